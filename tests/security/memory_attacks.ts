/**
 * Small requests that mean much.
 *
 * @module
 */

/** The service that they are sent to. */
export const MODEL_TEXT = `
service Bounds {
  entity Books { key ID : Integer; title : String; descr : LargeString; genre : Association to Genres; }
  entity Genres { key ID : Integer; name : String; parent : Association to Genres;
    children : Association to many Genres on children.parent = $self;
    books : Association to many Books on books.genre = $self; }
  entity Items { key ID : Integer; text : LargeString; parts : Composition of many { key no : Integer; text : String; }; }
  entity Large { key ID : Integer; text : LargeString; }
  action tell(count : Integer, length : Integer);
  action echo(text : LargeString) returns LargeString;
  function repeated(text : String, count : Integer) returns LargeString;
}
@protocol: 'rest' service Plain { entity Books as projection on Bounds.Books; entity Large as projection on Bounds.Large; }
`;

/** Its handlers and rows: a page of items is 2.3 MB, all large rows are 30 MB. */
export const SERVICE_CODE = `import fw from "@fw/runtime";
export class Bounds extends fw.ApplicationService {
  override async init() {
    const rows = (count, row) => Array.from({ length: count }, (_, at) => row(at + 1));
    fw.on("served", async () => {
      const { INSERT } = fw.ql;
      const fill = (entity, entries) => INSERT.into("Bounds." + entity).entries(entries);
      await fw.db.tx({}, async (tx) => {
        await tx.run(fill("Genres", rows(30, (ID) => ({ ID, name: "Genre " + ID, parent_ID: ID === 1 ? null : 1 }))));
        await tx.run(fill("Books", rows(200, (ID) => ({ ID, title: "Title " + ID, descr: "d".repeat(200), genre_ID: ID % 30 + 1 }))));
        await tx.run(fill("Items", rows(1000, (ID) => ({ ID, text: "x".repeat(2300) }))));
        await tx.run(fill("Large", rows(60, (ID) => ({ ID, text: "y".repeat(500000) }))));
      });
    });
    this.on("tell", (req) => {
      for (let at = 0; at < Math.min(req.data.count, 1000); at++) req.info("m".repeat(Math.min(req.data.length, 1000000)));
    });
    this.on("echo", (req) => req.data.text);
    this.on("repeated", (req) => req.data.text.repeat(Math.min(req.data.count, 100)));
    return super.init();
  }
}
`;

/** A request: method, path, body, content type. */
export type Attack = readonly [method: string, path: string, body?: string, type?: string];

const ROOT = "/odata/v4/bounds";
const LONG = "A".repeat(5000);

/** `c0`, and names that each join the one before with itself. */
function doubled(times: number, first: string): string {
  const names = Array.from({ length: times }, (_, at) => `concat(c${at},c${at}) as c${at + 1}`);
  return [`${first} as c0`, ...names].join(",");
}

/** Aliases that each join the next one with itself. */
function doubledAliases(times: number, last: string): string {
  const names = Array.from({ length: times }, (_, at) => `@a${at}=concat(@a${at + 1},@a${at + 1})`);
  return [...names, `@a${times}=${last}`].join("&");
}

function list(count: number, one: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => one(at)).join(",");
}

function jsonBatch(request: (at: number) => object, count = 100): Attack {
  const requests = Array.from(
    { length: count },
    (_, at) => ({ id: String(at), method: "GET", ...request(at) }),
  );
  return ["POST", `${ROOT}/$batch`, JSON.stringify({ requests })];
}

function multipartBatch(line: string): Attack {
  const part = `--b\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n\r\n\r\n`;
  return ["POST", `${ROOT}/$batch`, `${part.repeat(100)}--b--\r\n`, "multipart/mixed;boundary=b"];
}

const get = (path: string): Attack => ["GET", `${ROOT}/${path}`];
const post = (path: string, body: unknown): Attack => ["POST", `${ROOT}/${path}`, JSON.stringify(body)];
const nested = (name: string, other: string, depth: number): string =>
  depth === 0 ? "" : `$expand=${name}${depth === 1 ? "" : `(${nested(other, name, depth - 1)})`}`;

/** By what they try. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  "a text doubled nine times": get(`Books?$select=ID,c9&$compute=${doubled(9, `concat('${LONG}',title)`)}`),
  "a text doubled eleven times": get(
    `Books?$select=ID,c11&$compute=${doubled(11, `concat('${LONG}',title)`)}`,
  ),
  "a column doubled twelve times": get(`Books?$select=ID,c12&$compute=${doubled(12, "concat(descr,descr)")}`),
  "a short text as often as a query may be long": get(
    `Books?$select=ID,c11&$compute=${doubled(11, "concat('A',title)")}`,
  ),
  "just below the limit, in all rows": get(
    `Books?$select=ID,c6&$compute=${doubled(6, `concat('${LONG}',title)`)}`,
  ),
  "many columns that are just below the limit": get(
    `Books?$select=ID,${list(60, (at) => `d${at}`)}&$compute=${doubled(6, `concat('${LONG}',title)`)},${
      list(60, (at) => `concat(c6,'${at}') as d${at}`)
    }`,
  ),
  "large columns joined": get(`Large?$select=ID,c1&$compute=${doubled(1, "concat(text,text)")}`),
  "large columns joined in one row": get(
    `Large(1)?$select=ID,c6&$compute=${doubled(6, "concat(text,text)")}`,
  ),
  "letters changed": get(
    `Books?$select=ID,u&$compute=${doubled(6, `concat('${LONG}',title)`)},toupper(tolower(trim(c6))) as u`,
  ),
  "a part of a long text": get(
    `Books?$select=ID,s&$compute=${doubled(9, `concat('${LONG}',title)`)},substring(c9,1,2) as s`,
  ),
  "in $filter": get(`Books?$filter=contains(c9,'b')&$compute=${doubled(9, `concat('${LONG}',title)`)}`),
  "in $orderby": get(`Books?$orderby=c9&$compute=${doubled(9, `concat('${LONG}',title)`)}`),
  "in $orderby, just below the limit": get(
    `Books?$orderby=c6&$compute=${doubled(6, `concat('${LONG}',title)`)}`,
  ),
  "by aliases": get(`Books?$filter=contains(@a0,'b')&${doubledAliases(10, `'${LONG}'`)}`),
  "by aliases in a function": get(`repeated(text=@t,count=100)?@t='${"t".repeat(7000)}'`),
  "in $expand": get(`Genres?$expand=books($select=ID,c6;$compute=${doubled(6, `concat('${LONG}',title)`)})`),
  "in $expand of to-one": get(
    `Books?$expand=genre($select=ID,c6;$compute=${doubled(6, `concat('${LONG}',name)`)})`,
  ),
  "in $apply": get(`Books?$apply=compute(${doubled(9, `concat('${LONG}',title)`)})`),
  "in $apply, just below the limit": get(`Books?$apply=compute(${doubled(6, `concat('${LONG}',title)`)})`),
  "grouped": get(`Books?$apply=compute(${doubled(6, `concat('${LONG}',title)`)})/groupby((c6))`),
  "in $apply, one after the other": get(
    `Books?$apply=compute(concat('${LONG}',title) as c0)${
      Array.from({ length: 10 }, (_, at) => `/compute(concat(c${at},c${at}) as c${at + 1})`).join("")
    }`,
  ),
  "rows repeated by concat": get(`Items?$apply=concat(${list(60, () => "identity")})`),
  "rows repeated by concat of concat": get(
    `Items?$apply=concat(${list(8, () => `concat(${list(7, () => "identity")})`)})`,
  ),
  "groups repeated by concat": get(`Books?$apply=concat(${list(60, () => "groupby((ID,title,descr))")})`),
  "rollup": get("Books?$apply=groupby((rollup($all,genre/name,title,descr)),aggregate(ID with sum as n))"),
  "$expand there and back": get(`Books?${nested("genre", "books", 2)}`),
  "$expand as deep as it goes": get(`Books?${nested("genre", "books", 8)}`),
  "$expand again and again": get(`Genres?$expand=${list(40, () => "books")}`),
  "$expand of everything": get("Genres?$expand=*($levels=8)"),
  "$levels=max": get("Genres?$expand=children($levels=max;$expand=books)"),
  "$select again and again": get(`Items?$select=${list(1500, () => "text")}`),
  "a long $search": get(`Books?$search=${Array.from({ length: 800 }, (_, at) => `w${at}`).join(" OR ")}`),
  "a long $filter": get(
    `Books?$filter=${Array.from({ length: 300 }, (_, at) => `ID eq ${at}`).join(" or ")}`,
  ),
  "a long list": get(`Books?$filter=ID in (${list(1400, (at) => String(at))})`),
  "$crossjoin": get("$crossjoin(Items,Books)"),
  "$crossjoin with $expand": get("$crossjoin(Items,Books)?$expand=Items,Books"),
  "$all": get("$all"),
  "all large rows": get("Large"),
  "all large rows, sorted": get("Large?$orderby=text desc"),
  "all large rows with all metadata": ["GET", `${ROOT}/Large?$format=application/json;odata.metadata=full`],
  "all large rows by REST": ["GET", "/rest/plain/Large?$top=1000"],
  "a page of items": get("Items"),
  "a batch of pages": jsonBatch(() => ({ url: "Items" })),
  "a batch of pages in another format": multipartBatch("GET Items"),
  "a batch of long texts": jsonBatch(() => ({
    url: `Books?$select=ID,c9&$compute=${doubled(9, "concat(concat('0123456789',descr),title)")}`,
  })),
  "a batch of large rows": jsonBatch((at) => ({ url: `Large(${at % 60 + 1})` })),
  "a batch of large rows in a change set": jsonBatch((at) => ({
    url: `Large(${at % 60 + 1})`,
    atomicityGroup: "g",
  })),
  "a batch of functions": jsonBatch(() => ({ url: `repeated(text='${"t".repeat(400)}',count=100)` })),
  "a batch of writes that show what they wrote": jsonBatch((at) => ({
    method: "PATCH",
    url: `Large(${at % 60 + 1})`,
    body: {},
    headers: { prefer: "return=representation" },
  })),
  "a batch whose bodies refer to the bodies before": jsonBatch((at) =>
    at === 0
      ? { method: "POST", url: "echo", body: { text: "t".repeat(5000) } }
      : { method: "POST", url: "echo", body: { text: `$${at - 1}/value` }, dependsOn: [String(at - 1)] }
  ),
  "a batch whose bodies refer to a page": jsonBatch((at) =>
    at === 0
      ? { url: "Items" }
      : { method: "POST", url: "Items", body: { ID: 5000 + at, text: "$0/value" }, dependsOn: ["0"] }
  ),
  "a batch whose URLs refer to what was read": jsonBatch((at) =>
    at === 0 ? { url: "Large(1)" } : { url: "Books?$filter=descr eq $0/text", dependsOn: ["0"] }
  ),
  "a batch of conditions": jsonBatch((at) =>
    at === 0 ? { url: "Items" } : { url: "Books(1)", if: "$0/value ne null" }
  ),
  "unknown members": post(
    "Books",
    Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`m${at}`, 1])),
  ),
  "empty parts": post("Items", { ID: 9000, parts: Array.from({ length: 20_000 }, () => ({})) }),
  "parts of the wrong type": post("Items", { ID: 9000, parts: Array.from({ length: 12_000 }, () => 1) }),
  "deep arrays": ["POST", `${ROOT}/Items`, `{"ID":9000,"parts":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
  "deep objects": ["POST", `${ROOT}/Items`, `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
  "numbers": post("Items", { ID: 9000, parts: Array.from({ length: 3000 }, () => ({ no: 1e300 })) }),
  "a long query in a body": [
    "POST",
    `${ROOT}/Books/$query`,
    `$select=ID,c6&$compute=${doubled(6, `concat('${"A".repeat(15_000)}',title)`)}`,
    "text/plain",
  ],
  "many conditions in a body": [
    "POST",
    `${ROOT}/Books/$query`,
    `$filter=${Array.from({ length: 3000 }, (_, at) => `ID eq ${at}`).join(" or ")}`,
    "text/plain",
  ],
  "a thousand messages": post("tell", { count: 1000, length: 100 }),
  "long messages": post("tell", { count: 10, length: 100_000 }),
  "a batch of messages": jsonBatch(() => ({
    method: "POST",
    url: "tell",
    body: { count: 100, length: 1000 },
  })),
};

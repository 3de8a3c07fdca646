import assert from "node:assert/strict";
import { decodeBase64urlIgnorePadding } from "@oslojs/encoding";
import {
  type ApplicationService,
  createRuntime,
  type Row,
  type Runtime,
  type SelectQuery,
} from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { probeOf } from "../../../src/odata/resources/next_link.ts";
import { send } from "../../http/fixture.ts";

const CDL = `
  service S {
    entity E { key ID : Integer; name : String; of : Association to Groups; }
    @restrict: [{ grant: 'READ', where: (name <> 'x') }]
    entity Groups { key ID : Integer; name : String; title : localized String; }
    entity Versions { key ID : Integer; key fromDate : Date @cds.valid.from; toDate : Date @cds.valid.to; }
  }
  service D {
    @odata.draft.enabled entity Orders { key ID : Integer; of : Association to Groups; }
    entity Groups as projection on S.Groups;
  }`;

const DATA = new Map<string, Row[]>([
  ["S.E", ["c", "a", "b"].map((name, ID) => ({ ID, name, of_ID: ID }))],
  ["S.Groups", ["g", "x", "f"].map((name, ID) => ({ ID, name, title: name }))],
  ["S.Groups.texts", ["a", "b", "c"].map((title, ID) => ({ locale: "de", ID, title }))],
  ["D.Orders", [1, 2, 3].map((ID) => ({ ID, of_ID: 2 }))],
  ["S.Versions", [1, 2, 3].map((ID) => ({ ID, fromDate: "2020-01-01", toDate: "2030-01-01" }))],
]);

/** The token of the second page, where handlers run before a page is read. */
async function tokenOf(
  before?: (query: SelectQuery) => unknown,
  path = "E?$orderby=name",
  onStart: (runtime: Runtime) => void = () => {},
): Promise<string | null> {
  const runtime = createRuntime({
    model: parseCdl(CDL),
    data: DATA,
    env: { log: { levels: { default: "silent" } } },
    handlers: {
      S: (srv: ApplicationService) =>
        before && srv.before("READ", "E", (req) => void before(req.query as SelectQuery)),
    },
  });
  await runtime.start();
  onStart(runtime);
  try {
    const { body } = await send(runtime, `/odata/v4/s/${path}`, {
      user: "alice",
      headers: { prefer: "odata.maxpagesize=2" },
    });
    const link = body["@odata.nextLink"] as string;
    return new URL(link, "http://localhost").searchParams.get("$skiptoken");
  } finally {
    await runtime.close();
  }
}

Deno.test("a page goes on behind its last row where handlers leave the order, else behind as many rows", async () => {
  const usual = await tokenOf();
  assert.match(usual!, /^\D/);
  assert.equal(await tokenOf(() => {}), usual);
  assert.equal(await tokenOf((query) => query.SELECT.where), usual);
  const turned = await tokenOf((query) => {
    Object.assign(query.SELECT, { orderBy: [{ ref: ["name"], sort: "desc" }, { ref: ["ID"] }] });
  });
  assert.equal(turned, "2");
  const shorter = await tokenOf((query) => Object.assign(query.SELECT, { orderBy: [{ ref: ["ID"] }] }));
  assert.equal(shorter, "2");
  assert.equal(await tokenOf((query) => Object.assign(query.SELECT, { orderBy: undefined })), "2");
});

Deno.test("a page in an order by restricted rows goes on behind its last row, in which conditions of the user are", async () => {
  for (const path of ["E?$orderby=of/name", "E?$orderby=of/name&$filter=ID ge 0"]) {
    const token = await tokenOf(undefined, path);
    assert.match(token!, /^[nv]+\./, path);
  }
});

Deno.test("a page in an order by localized texts goes on behind the text in the language that it was read in", async () => {
  const valuesOf = async (path: string) => {
    const [, text] = (await tokenOf(undefined, `E?$orderby=of/title${path}`))!.split(".");
    return JSON.parse(new TextDecoder().decode(decodeBase64urlIgnorePadding(text!)));
  };
  assert.deepEqual(await valuesOf(""), [2, null, "f", "2"]);
  assert.deepEqual(await valuesOf("&sap-locale=de"), [2, null, "a", "0"]);
});

Deno.test("pages of active rows of an entity with drafts go on behind the last row, too", async () => {
  const token = await tokenOf(undefined, "../d/Orders?$filter=IsActiveEntity eq true&$orderby=of/name");
  assert.match(token!, /^vvv\./);
});

Deno.test("behind a page that has fewer rows than it may have nothing is looked for", async () => {
  const queriesOf = async (path: string) => {
    let count = 0;
    const token = await tokenOf(undefined, path, ({ db }) => {
      for (const name of ["perform", "run"] as const) {
        const ask = db![name].bind(db) as (...given: unknown[]) => never;
        Object.assign(db!, { [name]: (...given: unknown[]) => (count++, ask(...given)) });
      }
    });
    return [token, count];
  };
  const [, full] = await queriesOf("E?$filter=ID le 1");
  const [token, other] = await queriesOf("E?$filter=ID lt 1");
  assert.equal(token, null);
  assert.ok(other! < full!, `${other} queries`);
});

Deno.test("pages of a period go by the number of rows: it has several rows of a key, a point in time has one", async () => {
  assert.equal(await tokenOf(undefined, "Versions?sap-valid-from=2021-01-01&sap-valid-to=2022-01-01"), "2");
  for (const path of ["Versions", "Versions?sap-valid-at=2021-01-01"]) {
    assert.match((await tokenOf(undefined, path))!, /^[nv]+\./, path);
  }
});

Deno.test("the last row of a page is read once more only where it does not show what its order goes by", async () => {
  const readAgain = async (path: string) => {
    let count = 0;
    await tokenOf(undefined, path, ({ db }) => {
      const perform = db!.perform.bind(db);
      db!.perform = (statement) => {
        const { columns = [] } = (statement.query as SelectQuery).SELECT;
        if (columns.some((column) => column !== "*" && column.as === "k1")) count++;
        return perform(statement);
      };
    });
    return count;
  };
  for (const path of ["E", "E?$orderby=name", "E?$select=ID,name&$orderby=name desc", "E?$count=true"]) {
    assert.equal(await readAgain(path), 0, path);
  }
  for (const path of ["E?$orderby=of/name", "E?$select=ID&$orderby=of/name desc"]) {
    assert.equal(await readAgain(path), 1, path);
  }
});

Deno.test("queries for a row behind a page are made once for each choice of nulls, up to 64 of them", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const keyset = names.map((name) => ({
    type: { builtin: "cds.Integer" },
    desc: false,
    nullable: true,
    name,
  }));
  const orderBy = names.map((name) => ({ ref: [name] }));
  const page = (): SelectQuery => ({ SELECT: { from: { ref: ["S.E"] }, orderBy } });
  const choices = Array.from(
    { length: 66 },
    (_, at) => at.toString(2).padStart(7, "v").replaceAll("0", "v").replaceAll("1", "n"),
  );
  const isKept = (query: SelectQuery) => (nulls: string) =>
    probeOf(query, keyset, nulls) === probeOf(query, keyset, nulls);
  const kept = choices.filter(isKept(Object.freeze(page())));
  assert.deepEqual(kept, choices.slice(0, 64));
  assert.deepEqual(choices.filter(isKept(page())), [], "of queries that nobody has again");
});

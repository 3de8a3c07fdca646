import assert from "node:assert/strict";
import fc from "fast-check";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { propertyRuns } from "../property_runs.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY_ROWS, withSecrets } from "./library.ts";
import { LIBRARY, SECRETS } from "./library.ts";
import { soundUrls } from "./random_library_urls.ts";

const books = { items: { type: "ShopService.Books" } };

function modelOf({ definitions = {} }: Csn): Csn {
  const { "ShopService.Books": own, ...others } = definitions;
  return {
    definitions: {
      ...others,
      "ShopService.Books": {
        ...own,
        actions: {
          isRare: { kind: "function", returns: { type: "cds.Boolean" } },
          sell: { kind: "action", params: { by: { type: "cds.Integer" } }, returns: { type: "cds.Integer" } },
          fail: { kind: "action" },
          others: { kind: "function", returns: books },
          self: { kind: "function", returns: { type: "ShopService.Books" } },
          words: { kind: "function", returns: { items: { type: "cds.String" } } },
          codes: { kind: "function", returns: { items: { type: "cds.Integer" } } },
        },
      },
      "ShopService.allBooks": {
        kind: "function",
        params: { least: { type: "cds.Integer" } },
        returns: books,
      },
      "ShopService.oneBook": { kind: "function", returns: { type: "ShopService.Books" } },
      "ShopService.someBooks": { kind: "action", returns: books },
      "ShopService.number": { kind: "function", returns: { type: "cds.Integer" } },
    },
  };
}

async function withBooks(
  database: DatabaseFactory | undefined,
  run: (shop: Shop) => Promise<void>,
  { model = LIBRARY, data = LIBRARY_ROWS }: { model?: Csn; data?: typeof LIBRARY_ROWS } = {},
): Promise<void> {
  const shop = await openShop({
    model: modelOf(model),
    data,
    ...(database && { database }),
    register(service) {
      const db = () => service.host.db!;
      const all = { SELECT: { from: { ref: ["ShopService.Books"] } } };
      service.on("allBooks", async (req) => {
        const { least = 0 } = (req as ServiceRequest).data as { least?: number };
        return (await db().run(all) as Row[]).filter(({ ID }) => Number(ID) >= least);
      });
      service.on("oneBook", () => ({ ID: 70, title: "Made", stock: 4, author_ID: 1, tags: ["x"] }));
      service.on("isRare", "Books", async (req) => {
        const row = await db().run((req as ServiceRequest).query) as Row;
        return Number(row.stock) < 6;
      });
      service.on("self", "Books", (req) => db().run((req as ServiceRequest).query));
      service.on("codes", "Books", () => [7]);
      service.on("words", "Books", (req) => {
        return ["book", String(((req as ServiceRequest).params.at(-1) as Row).ID)];
      });
      service.on("others", "Books", async (req) => {
        const [{ ID: own }] = (req as ServiceRequest).params.slice(-1) as [Row];
        return (await db().run(all) as Row[]).filter(({ ID }) => ID !== own);
      });
      service.on("sell", "Books", async (req) => {
        const { by } = (req as ServiceRequest).data as { by: number };
        const [{ ID }] = (req as ServiceRequest).params.slice(-1) as [Row];
        const where = [{ ref: ["ID"] }, "=", { val: ID as number }];
        await db().run({
          UPDATE: {
            entity: "ShopService.Books",
            with: { stock: { xpr: [{ ref: ["stock"] }, "-", { val: by }] } },
            where,
          },
        });
        if (by > 100) throw new Error("Too many");
        return by + Number(ID);
      });
    },
  });
  try {
    await run(shop);
  } finally {
    await shop.close();
  }
}

const onEachEngine = async (run: (shop: Shop) => Promise<void>): Promise<void> => {
  for (const factory of Object.values(ENGINES)) await withBooks(factory, run);
};

const HEADERS = { "odata-maxversion": "4.01" };

async function bodyOf(shop: Shop, url: string): Promise<unknown> {
  const { status, body } = await shop.send("GET", url, { headers: HEADERS });
  assert.equal(status, 200, `${url} ${JSON.stringify(body)}`);
  if (typeof body !== "object") return body;
  const { "@odata.context": _context, ...rest } = body as Row;
  return rest;
}

Deno.test("paths go on behind functions as behind entity sets, on each engine (Part 2, 4.5.1)", () =>
  onEachEngine(async (shop) => {
    const urls = soundUrls.filter((url) => /^Books[/?]/.test(url) && !url.includes("isRare"));
    let [answered, refused] = [0, 0];
    const property = fc.asyncProperty(urls, async (url) => {
      const called = url.replace(/^Books\?/, "allBooks()/$filter(true)?").replace(/^Books\//, "allBooks()/");
      const [set, behind] = await Promise.all(
        [url, called].map((one) => shop.send("GET", encodeURI(one), { headers: HEADERS })),
      );
      if (behind!.status === 501) return void refused++;
      answered++;
      assert.equal(behind!.status, set!.status, JSON.stringify(behind!.body));
      if (set!.status !== 200) return;
      const bodies = [set, behind].map((answer) => {
        const { "@odata.context": _context, ...body } = answer!.body as Record<string, unknown>;
        return body;
      });
      assert.deepEqual(bodies[1], bodies[0]);
    });
    await fc.assert(property, propertyRuns(40, 9));
    assert.ok(answered > refused, `${answered} answered, ${refused} refused`);
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("what a function returns is counted, filtered, navigated and read by property (Part 2, 4.5.1)", () =>
  onEachEngine(async (shop) => {
    assert.equal(await bodyOf(shop, "allBooks(least=2)/$count"), "3");
    assert.equal(await bodyOf(shop, "allBooks(least=@l)/$count?@l=3&$filter=stock%20gt%200"), "1");
    assert.equal(await bodyOf(shop, "allBooks/$filter(stock%20gt%2010)/$count?least=2"), "1");
    assert.deepEqual(await bodyOf(shop, "oneBook()/title"), { value: "Made" });
    assert.deepEqual(await bodyOf(shop, "oneBook()/title/$value"), "Made");
    assert.deepEqual(await bodyOf(shop, "oneBook()/author?$select=name"), { ID: 1, name: "Emily" });
    assert.deepEqual(await bodyOf(shop, "oneBook()/author/books?$select=ID"), { value: [{ ID: 1 }] });
    assert.deepEqual(await bodyOf(shop, "allBooks()/3/author/name"), { value: "Edgar" });
    assert.deepEqual(await bodyOf(shop, "Books(2)/self()/loans?$select=days"), {
      value: [{ ID: 2, days: 3 }, { ID: 4, days: 5 }],
    });
    assert.equal(await bodyOf(shop, "Books(2)/others()/$count"), "3");
    assert.equal((await shop.send("GET", "allBooks(least=3)/1")).status, 404);
    assert.equal((await shop.send("GET", "oneBook()/nothing")).status, 404);
    for (const url of ["allBooks()/1/self()/title", "allBooks()/1/others()(2)"]) {
      assert.equal((await shop.send("GET", url)).status, 501, url);
    }
    assert.equal((await shop.send("POST", "someBooks/$count", { body: {} })).status, 501);
    for (const method of ["PATCH", "DELETE"]) {
      const { status, headers } = await shop.send(method, "oneBook()/author", { body: { name: "x" } });
      assert.deepEqual([status, headers.allow], [405, "GET, HEAD, OPTIONS"]);
    }
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("pages of what a function returned follow each other (Part 1, 11.2.6.7)", () =>
  onEachEngine(async (shop) => {
    const headers = { ...HEADERS, prefer: "maxpagesize=2" };
    const first = await shop.send("GET", "allBooks()/$filter(true)?$orderby=title&$select=ID", { headers });
    const { value, "@odata.nextLink": next } = first.body as { value: Row[]; "@odata.nextLink": string };
    const second = await shop.send("GET", next, { headers });
    const ids = [...value, ...(second.body as { value: Row[] }).value].map(({ ID }) => ID);
    assert.deepEqual(ids, [3, 4, 2, 1]);
  }));

Deno.test("rows behind what a function returned are those that the caller may read (authorization)", async () => {
  for (const factory of Object.values(ENGINES)) {
    await withBooks(factory, async (shop) => {
      assert.deepEqual(await bodyOf(shop, "oneBook()/author/books?$select=ID"), { value: [{ ID: 1 }] });
      assert.deepEqual(await bodyOf(shop, "oneBook()/author/books/$count"), "1");
      const titles = async (options: string) =>
        (await bodyOf(shop, `allBooks()?$select=title&${options}`) as { value: Row[] }).value.map(({ ID }) =>
          ID
        );
      // handlers read without restrictions; what options lead to is restricted
      assert.deepEqual(await titles("$filter=author/rank%20eq%2010"), [1, 91]);
      assert.deepEqual(await titles("$filter=author/books/any(b:b/ID%20gt%2090)"), []);
      assert.deepEqual(await titles("$filter=loans/$count%20gt%201"), [2]);
      const expanded = await bodyOf(
        shop,
        "oneBook()?$select=ID&$expand=author($select=ID;$expand=books($select=ID))",
      );
      assert.deepEqual(expanded, { ID: 70, author: { ID: 1, books: [{ ID: 1 }] } });
      assert.equal((await shop.send("GET", "Books/$each/isRare()")).status, 401); // nobody is granted the function
    }, { model: withSecrets(), data: SECRETS });
  }
});

Deno.test("operations behind $each are called for each member, all or none (Part 2, 4.12; Part 1, 11.5)", () =>
  onEachEngine(async (shop) => {
    const stocks = async () =>
      ((await bodyOf(shop, "Books?$select=stock")) as { value: Row[] }).value.map(({ stock }) => stock);
    const each = "Books/$filter(stock%20gt%200)/$each";
    const sold = await shop.send("POST", `${each}/sell`, { body: { by: 2 } });
    assert.deepEqual([sold.status, sold.body], [200, {
      "@odata.context": "../../../$metadata#Collection(Edm.Int32)",
      "value": [3, 4, 5],
    }]);
    assert.deepEqual(await stocks(), [10, 3, 18, 0]);
    assert.equal((await shop.send("POST", `${each}/ShopService.sell`, { body: { by: 200 } })).status, 500);
    assert.deepEqual(await stocks(), [10, 3, 18, 0]);
    assert.deepEqual(await bodyOf(shop, "Books/$each/isRare()"), { value: [false, true, false, true] });
    assert.deepEqual(await bodyOf(shop, "Books/$each/self()?$filter=ID%20gt%202&$select=ID&$count=true"), {
      "@odata.count": 2,
      "value": [{ ID: 3 }, { ID: 4 }],
    });
    const grouped = await shop.send("GET", "Books/$each/others()?$apply=aggregate($count%20as%20n)");
    assert.equal(grouped.status, 501);
    assert.equal((await shop.send("GET", "Books/$each/nothing()")).status, 404);
    const tagged = await shop.send("POST", `${each}/sell`, {
      body: { by: 1 },
      headers: { "if-match": '"1"' },
    });
    assert.equal(tagged.status, 412);
  }));

Deno.test("an operation that returns a collection gives a collection for each member (Part 2, 4.12)", () =>
  onEachEngine(async (shop) => {
    const url = "Books/$filter(ID%20le%202)/$each/others()?$count=true";
    const { status, body } = await shop.send("GET", url, { headers: HEADERS });
    const { "@odata.context": context, "@odata.count": count, value } = body as {
      "@odata.context": string;
      "@odata.count": number;
      value: Row[][];
    };
    assert.equal(status, 200);
    assert.equal(context, "../../../$metadata#Collection(Collection(ShopService.Books))");
    assert.equal(count, 2);
    assert.deepEqual(value.map((one) => one.map(({ ID }) => ID)), [[2, 3, 4], [1, 3, 4]]);
    assert.deepEqual(
      (await bodyOf(shop, `${url}&$top=1&$skip=1`) as { value: Row[][] }).value,
      value.slice(1),
    );
    const words = "Books/$filter(ID%20le%202)/$each/words()";
    const { body: codes } = await shop.send("GET", "Books/$filter(ID%20le%202)/$each/codes()", {
      headers: HEADERS,
    });
    assert.deepEqual(codes, {
      "@odata.context": "../../../$metadata#Collection(Collection(Edm.Int32))",
      "value": [[7], [7]],
    });
    assert.deepEqual(await bodyOf(shop, words), { value: [["book", "1"], ["book", "2"]] });
  }));

Deno.test("options of rows are about the members of each collection, those of pages about all (Part 1, 11.5.4.1)", () =>
  onEachEngine(async (shop) => {
    const members = async (options: string) =>
      (await bodyOf(shop, encodeURI(`Books/$filter(ID le 2)/$each/${options}`)) as { value: unknown }).value;
    assert.deepEqual(await members("others()?$filter=ID ge 3&$orderby=ID desc&$select=ID"), [
      [{ ID: 4 }, { ID: 3 }],
      [{ ID: 4 }, { ID: 3 }],
    ]);
    assert.deepEqual(await members("others()?$search=Raven&$select=title"), [
      [{ ID: 2, title: "The Raven" }],
      [],
    ]);
    assert.deepEqual(
      await members("others()?$compute=ID mul 2 as Twice&$filter=Twice lt 6&$select=Twice&$top=1&$skip=1"),
      [[{ ID: 1, Twice: 2 }]],
    );
    assert.deepEqual(await members("others()?$filter=ID eq 3&$select=ID&$expand=author($select=ID)&$top=1"), [
      [{ ID: 3, author: { ID: 2 } }],
    ]);
    assert.deepEqual(await members("words()?$filter=$this ne 'book'"), [["1"], ["2"]]);
  }));

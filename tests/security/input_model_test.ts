import assert from "node:assert/strict";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const TEXT = `
service Shop {
  entity Books { key ID: Integer; title: String; stock: Integer; @Core.Computed level: String default 'low';
    big: Int64; price: Decimal(30, 5); rate: Double; image: Binary; }
  @restrict: [{ grant: 'READ' }, { grant: 'CREATE', where: 'owner = $user' }]
  entity Notes { key ID: Integer; owner: String; }
}`;
const BOOKS = "/odata/v4/shop/Books";

/** Runs a test with a shop of one book. */
async function withShop(run: (shop: Shop) => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], {
      readFile: (path) => path === "m.cds" ? TEXT : undefined,
      isFile: (path) => path === "m.cds",
    }),
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    env: {
      requires: { auth: { kind: "mocked" }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map([["Shop.Books", [{ ID: 1, title: "Emma", level: "high" }]]]),
  });
  try {
    await run(new Shop(runtime));
  } finally {
    await runtime.close();
  }
}

class Shop {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Sends a body; a text goes as it is. */
  async send(method: string, url: string, body: unknown, type = "application/json") {
    const response = await this.#runtime.fetch(
      new Request(`http://localhost${url}`, {
        method,
        headers: { "content-type": type, authorization: `Basic ${btoa("alice:")}` },
        body: typeof body === "string" || body instanceof Uint8Array
          ? body as BodyInit
          : JSON.stringify(body),
      }),
    );
    return { status: response.status, text: await response.text() };
  }

  async rows(entity: string): Promise<Record<string, unknown>[]> {
    return await this.#runtime.db!.read(`Shop.${entity}`) as unknown as Record<string, unknown>[];
  }
}

Deno.test("a value for a computed element is never stored (input-model-002)", () =>
  withShop(async (shop) => {
    const { status } = await shop.send("PATCH", `${BOOKS}(1)`, { level: "mine", title: "x" });
    assert.ok([200, 204, 400].includes(status));
    await shop.send("POST", BOOKS, { ID: 2, level: "mine" });
    await shop.send("PUT", `${BOOKS}(1)`, { level: "mine", title: "y" });
    assert.ok((await shop.rows("Books")).every(({ level }) => level !== "mine"));
  }));

Deno.test("the key of the URL wins over a key in the body (input-model-004)", () =>
  withShop(async (shop) => {
    const { status } = await shop.send("PATCH", `${BOOKS}(1)`, { ID: 7, title: "x" });
    assert.ok([200, 204, 400].includes(status));
    assert.deepEqual((await shop.rows("Books")).map(({ ID }) => ID), [1]);
  }));

Deno.test("an unknown property is refused, and its value is not repeated (input-model-005)", () =>
  withShop(async (shop) => {
    for (const name of ["isAdmin", "__proto__x", "constructor"]) {
      const { status, text } = await shop.send("POST", BOOKS, { ID: 2, [name]: "s3cret-value" });
      assert.equal(status, 400, name);
      assert.ok(!text.includes("s3cret-value"));
    }
    assert.equal((await shop.rows("Books")).length, 1);
  }));

Deno.test("of duplicate members authorization and storage see the same one (input-model-007)", () =>
  withShop(async (shop) => {
    const texts = ['{"ID":1,"owner":"alice","owner":"bob"}', '{"ID":2,"owner":"bob","owner":"alice"}'];
    for (const text of texts) {
      const { status } = await shop.send("POST", "/odata/v4/shop/Notes", text);
      assert.ok([201, 400, 403].includes(status), text);
    }
    const owners = (await shop.rows("Notes")).map(({ owner }) => owner);
    assert.deepEqual(owners.filter((owner) => owner !== "alice"), []);
    assert.equal((await shop.send("POST", BOOKS, '{"ID":3,"ID":4}')).status === 201, true);
    assert.deepEqual((await shop.rows("Books")).map(({ ID }) => ID), [1, 4]);
  }));

Deno.test("a body of 10 MB of brackets is refused by size before anything parses it (input-model-009)", () =>
  withShop(async (shop) => {
    assert.equal((await shop.send("POST", BOOKS, "[".repeat(10_000_000))).status, 413);
    assert.equal((await shop.send("POST", BOOKS, "[".repeat(50_000))).status, 400);
  }));

Deno.test("numbers beyond a type are refused or stored exactly (input-model-010)", () =>
  withShop(async (shop) => {
    for (
      const [member, number] of [["big", "1e999"], ["price", "1e999"], ["rate", "1e999"], ["stock", "1e10"]]
    ) {
      const { status } = await shop.send("POST", BOOKS, `{"ID":2,"${member}":${number}}`);
      assert.equal(status, 400, `${member}: ${number}`);
    }
    const exact = "9007199254740993";
    const { status } = await shop.send("POST", BOOKS, `{"ID":2,"big":${exact},"price":${exact}}`);
    assert.ok([201, 400].includes(status));
    const [, row] = await shop.rows("Books");
    if (row) assert.deepEqual([String(row.big), String(row.price).replace(/\.0*$/, "")], [exact, exact]);
  }));

Deno.test("an object in the place of a value is of the wrong type (input-model-012)", () =>
  withShop(async (shop) => {
    for (const ID of [{ $ne: 1 }, [1], { $gt: "" }, { "=": 1 }, { ref: ["ID"] }]) {
      assert.equal((await shop.send("POST", BOOKS, { ID })).status, 400, JSON.stringify(ID));
      const title = { status: (await shop.send("PATCH", `${BOOKS}(1)`, { title: ID })).status };
      assert.equal(title.status, 400);
    }
    assert.deepEqual((await shop.rows("Books")).map(({ ID, title }) => [ID, title]), [[1, "Emma"]]);
  }));

Deno.test("a body in UTF-16 is refused or decoded right (input-model-014)", () =>
  withShop(async (shop) => {
    const text = '{"ID":2,"title":"ä"}';
    const bytes = new Uint8Array([...text].flatMap((char) => [char.charCodeAt(0), 0]));
    const { status } = await shop.send("POST", BOOKS, bytes, "application/json; charset=utf-16");
    assert.equal(status, 415);
    assert.equal((await shop.send("POST", BOOKS, text, "application/json; charset=UTF-8")).status, 201);
    assert.equal((await shop.rows("Books"))[1]!.title, "ä");
  }));

Deno.test("a binary value of 20 MB is refused by size (input-model-015)", () =>
  withShop(async (shop) => {
    const { status } = await shop.send("POST", BOOKS, { ID: 2, image: "A".repeat(20 * 1024 * 1024) });
    assert.equal(status, 413);
  }));

import assert from "node:assert/strict";
import type { GenericHandler } from "../../src/service/generic/generic_handlers.ts";
import type { DeleteBuilder } from "../../src/cqn/builders/delete.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import fw, { DELETE, INSERT, SELECT, UPDATE } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { ServiceFunction } from "../../src/fw/implementation.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { createShop, withShop } from "./shop.ts";

/** Sends a request to a shop whose catalog has handlers. */
async function ask(
  implementation: ServiceFunction,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const runtime = createShop({ kinds: denoKinds, handlers: { "shop.CatalogService": implementation } });
  const response = await runtime.fetch(
    new Request(`http://localhost/odata/v4/catalog/${path}`, {
      method: body === undefined ? "GET" : "POST",
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  );
  const answer = { status: response.status, body: await response.json() };
  await runtime.close();
  return answer;
}

type Book = { ID: number; title: string; stock: number };
const titles = ({ body }: { body: Record<string, unknown> }) =>
  (body.value as Book[]).map((book) => book.title);

Deno.test("rule 2: after('each') and a parameter named each run per row", async () => {
  const first = await ask((srv) => {
    srv.after("each", "Books", (book: Book) => void (book.title += "!"));
    srv.after("READ", "Books", (each: Book) => void (each.title += "?"));
  }, "Books?$top=2&$orderby=ID");
  assert.deepEqual(titles(first), ["Wuthering Heights!?", "Emma!?"]);
});

Deno.test("rule 3: what req.error() returns is never a result", async () => {
  const { status, body } = await ask(
    (srv) => srv.on("hello", (req: ServiceRequest) => req.error(409, "TAKEN")),
    "hello(name='x')",
  );
  assert.deepEqual([status, (body.error as { message: string }).message], [409, "TAKEN"]);
});

Deno.test("rule 4: conditions alternate text and values, which are parameters", () =>
  withShop({ kinds: denoKinds }, async () => {
    const changed = await UPDATE("shop.Books").where("ID =", 1).and("stock >=", 2).set("stock -=", 2);
    assert.equal(changed, 1);
    assert.equal((await SELECT.one.from("shop.Books", 1) as Book).stock, 10);
    assert.equal(await UPDATE("shop.Books").where("title =", "x' or 1=1 --").set("stock -=", 2), 0);
  }));

Deno.test("rule 5: definitions stand for their names in SQL and CQL text", () =>
  withShop({ kinds: denoKinds }, async () => {
    const { Books } = fw.entities("shop");
    assert.equal(`${Books}`, "shop.Books");
    assert.equal((await SELECT.from`${Books}`.where`ID = ${1}`).length, 1);
    const rows = await fw.run(`SELECT count(*) AS n FROM ${Books} WHERE stock > ?`, [1]) as { n: number }[];
    assert.equal(rows[0].n, 2);
    const [same] = await fw.run(
      `SELECT '${Books}' AS name, ${Books}.ID FROM ${Books} /* ${Books} */`,
    ) as Row[];
    assert.deepEqual({ ...same }, { name: "shop.Books", ID: 1 });
  }));

Deno.test("rule 6: handlers on paths run when the navigation is the target", async () => {
  const register: ServiceFunction = (srv) => {
    srv.on("READ", "Authors/books", () => [{ ID: 7, title: "By path" }]);
  };
  assert.deepEqual(titles(await ask(register, "Authors(1)/books")), ["By path"]);
  assert.equal(titles(await ask(register, "Books")).length, 3);
});

Deno.test("rule 7: entities are there when handler modules are evaluated", async () => {
  let early: unknown;
  const runtime = createShop({
    handlers: () => {
      early = fw.entities("shop").Books.name;
      return Promise.resolve({});
    },
  });
  await runtime.start();
  assert.equal(early, "shop.Books");
  await runtime.close();
});

Deno.test("rule 8: fluent queries of a service run there", () =>
  withShop({
    handlers: {
      "shop.CatalogService": (srv) => srv.after("each", "Books", (book: Book) => void (book.stock = -1)),
    },
  }, async () => {
    const service = await fw.connect.to("shop.CatalogService");
    const rows = await service.read("Books", ["ID", "stock"]).where({ ID: { ">": 1 } }).limit(1);
    assert.deepEqual(rows, [{ ID: 2, stock: -1 }]);
    assert.equal((await SELECT.one.from("shop.Books", 2) as Book).stock, 5);
  }));

Deno.test("rule 9: UPDATE and DELETE give the number of rows, INSERT the keys", () =>
  withShop({}, async () => {
    assert.equal(await UPDATE("shop.Books").set({ stock: 1 }).where("ID > 1"), 2);
    const inserted = await INSERT.into("shop.Books").entries({ ID: 8 }, { ID: 9 }) as Iterable<unknown>;
    assert.deepEqual([...inserted], [{ ID: 8 }, { ID: 9 }]);
    assert.equal(Number(inserted), 2);
    assert.equal(await DELETE.from("shop.Books").where("ID >= 8"), 2);
    const service = await fw.connect.to("shop.CatalogService");
    assert.equal(await service.update("Books").set({ stock: 2 }).where("ID > 1"), 2);
    assert.equal(await (service.delete("Books") as DeleteBuilder).where("ID > 1"), 2);
  }));

Deno.test("rule 10: entries of req.params convert to a single key", async () => {
  const { body } = await ask(
    (srv) =>
      srv.on("restock", "Books", (req: ServiceRequest) => {
        const [book] = req.params;
        assert.equal(typeof book, "object");
        assert.equal((book as { ID: number }).ID, 2);
        return Number(book) * 10 + String(book).length;
      }),
    "Books(2)/shop.CatalogService.restock",
    { by: 1 },
  );
  assert.equal(body.value, 21);
});

Deno.test("static handle_* are the generic handlers, and may be overridden", async () => {
  class Mine extends fw.ApplicationService {
    static override readonly handle_read: GenericHandler = async (req, scope) => {
      const rows = await fw.ApplicationService.handle_read(req, scope) as Row[];
      return rows.filter((row) => row.ID !== 1);
    };
  }
  const runtime = createShop({ kinds: denoKinds, handlers: { "shop.CatalogService": Mine } });
  const response = await runtime.fetch(new Request("http://localhost/odata/v4/catalog/Books"));
  assert.deepEqual(titles({ body: await response.json() }), ["Emma", "Persuasion"]);
  await runtime.close();
});

/**
 * Queries in all their forms on the database and on services (api 1, 4, 8).
 *
 * @module
 */

import assert from "node:assert/strict";
import { fw, INSERT, SELECT, UPDATE, UPSERT } from "../../mod.ts";
import type { Recorder, Service } from "../../mod.ts";
import { csnOf, withShop } from "./shop.ts";

const NONE = {
  name: "TypeError",
  message: "The query names no entity: .from(…), .into(…) or .entity(…) is missing",
};

Deno.test("texts of an entity are read by its definition (api 8)", () =>
  withShop({}, async () => {
    const { Books } = fw.entities("shop");
    await INSERT.into(Books).entries({ ID: 9, title: "Hello", texts: [{ locale: "de", title: "Hallo" }] });
    assert.equal(Books.texts!.name, "shop.Books.texts");
    assert.deepEqual(await SELECT.from(Books.texts!), [{ locale: "de", ID: 9, title: "Hallo" }]);
    assert.equal(fw.entities("shop").Authors.texts, undefined);
  }));

Deno.test("what is no query is refused with what is expected (api 1, 4)", () =>
  withShop({}, async ({ services }) => {
    for (const service of [services.db, services["shop.CatalogService"]]) {
      for (const [wrong, found] of [[undefined, "undefined"], [{}, "object"], [5, "number"]] as const) {
        const message =
          `A query with SELECT, INSERT, UPSERT, UPDATE or DELETE is expected, but found ${found}`;
        await assert.rejects(service.run(wrong as never), { name: "TypeError", message });
      }
      for (const query of [SELECT.columns("ID"), INSERT({ ID: 1 }), { SELECT: {} }, { DELETE: {} }]) {
        await assert.rejects(service.run(query as never), NONE);
      }
    }
    await assert.rejects(async () => await SELECT.columns("ID"), NONE);
  }));

Deno.test("handlers find rows given by columns, and those of a query, as data (spec 2.2)", async () => {
  const seen: unknown[] = [];
  const handlers = {
    "shop.CatalogService": (srv: Service) => {
      srv.before(["CREATE", "UPSERT"], "Books", (req) => void seen.push(req.data));
    },
  };
  await withShop({ handlers }, async ({ services }) => {
    const srv = services["shop.CatalogService"];
    const rows = INSERT.into("Books").columns("ID", "title").rows([10, "A"], [11, "B"]);
    assert.deepEqual(await srv.run(rows), [{ ID: 10, title: "A" }, { ID: 11, title: "B" }]);
    const values = UPSERT.into("Books").columns("ID", "title").values(10, "C");
    assert.deepEqual(await srv.send({ query: values }), { ID: 10, title: "C" });
    const authors = SELECT.from("shop.Authors").columns("ID + 20 as ID", "name").orderBy("ID");
    await srv.create("Books").columns("ID", "title").as(authors);
    assert.deepEqual(seen, [
      [{ ID: 10, title: "A" }, { ID: 11, title: "B" }],
      { ID: 10, title: "C" },
      [{ ID: 21, title: "Emily" }, { ID: 22, title: "Jane" }],
    ]);
    assert.deepEqual(
      await SELECT.from("shop.Books").columns("ID", "title").where("ID >=", 10).orderBy("ID"),
      [{ ID: 10, title: "C" }, { ID: 11, title: "B" }, { ID: 21, title: "Emily" }, { ID: 22, title: "Jane" }],
    );
  });
});

Deno.test("req.query takes projection functions, as queries that were begun with their entity do (spec 2.3, api 8)", async () => {
  const handlers = {
    "shop.CatalogService": (srv: Service) => {
      srv.on("READ", "Books", (req, next) => {
        const query = req.query as unknown as ReturnType<typeof SELECT.from>;
        query.columns((book: Recorder) => {
          book.stock;
          book.author((author) => author.name);
        });
        return next();
      });
    },
  };
  await withShop({ handlers }, async ({ services }) => {
    const found = await services["shop.CatalogService"].read("Books", 1, ["ID"]);
    assert.deepEqual(found, { ID: 1, stock: 12, author: { name: "Emily" } });
    const plain = await services["shop.CatalogService"].run({
      SELECT: { from: { ref: ["Books"] }, columns: [{ ref: ["ID"] }], one: true },
    });
    assert.deepEqual(plain, { ID: 1, stock: 12, author: { name: "Emily" } });
  });
});

Deno.test("queries take values later, patterns, and columns that are values; two columns of one name are refused (api 8)", () =>
  withShop({}, async () => {
    const byTitle = fw.ql`SELECT ID from shop.Books where title = ? or ID = ?`;
    const [first] = await SELECT.from("shop.Books").columns("ID", "title").orderBy("ID");
    assert.deepEqual(await fw.run(byTitle, [first.title, -1]), [{ ID: first.ID }]);
    assert.deepEqual(await fw.run(byTitle, ["-", -1]), []);

    const title = String(first.title);
    const pattern = new RegExp(`^${title.slice(0, 3)}.*${title.slice(-1)}$`);
    for (
      const query of [
        SELECT.from("shop.Books").columns("ID").where("title like", pattern),
        SELECT.from("shop.Books").columns("ID").where`title like ${pattern}`,
        SELECT.from("shop.Books").columns("ID").where({ title: { like: pattern } }),
        SELECT.from("shop.Books").columns("ID").where("title =", new RegExp(title)),
      ]
    ) {
      assert.deepEqual(await query, [{ ID: first.ID }]);
    }
    const others = await SELECT.from("shop.Books").columns("ID").where("title not like", pattern);
    assert.ok(others.every(({ ID }) => ID !== first.ID));

    assert.deepEqual(await fw.ql`SELECT from shop.Books { ${"extra"} } order by ID limit 1`, [{
      extra: "extra",
    }]);
    await assert.rejects(async () => await fw.ql`SELECT from shop.Books { min(ID) as a, max(ID) as a }`, {
      name: "TypeError",
      message: 'Several columns are named "a", expected an alias',
    });
  }));

Deno.test("UPSERT gives the number of rows (api 8)", () =>
  withShop({}, async () => {
    assert.equal(await UPSERT.into("shop.Books").entries({ ID: 1, title: "A" }, { ID: 77, title: "B" }), 2);
  }));

Deno.test("UPDATE without values fills in what the entity fills in by itself, or does nothing; keys are set by text (api 8)", async () => {
  const model = csnOf(`namespace my; entity Plain { key ID : Integer; n : Integer; }
    entity Filled { key ID : Integer; changed : Timestamp @cds.on.update: $now; }`);
  const data = new Map([["my.Plain", [{ ID: 1 }]], ["my.Filled", [{
    ID: 1,
    changed: "2020-01-01T00:00:00.000Z",
  }]]]);
  await withShop({ model, data }, async () => {
    assert.equal(await UPDATE("my.Plain", 1), 0);
    assert.equal(await UPDATE("my.Filled", 1), 1);
    const { changed } = await SELECT.one.from("my.Filled", 1) as { changed: string };
    assert.ok(changed > "2020-01-01T00:00:00.000Z");
    await UPDATE("my.Plain", 1).set({ ID: 5, n: 2 });
    await UPDATE("my.Plain", 1).set("ID = 7");
    assert.deepEqual(await SELECT.from("my.Plain"), [{ ID: 7, n: 2 }]);
  });
});

// deno-lint-ignore no-explicit-any -- what is expected tells the members
const plain = (query: unknown): any => JSON.parse(JSON.stringify(query));

Deno.test("paths to one row give one row, aliases stand in front of nested columns as well (api 8, CQL)", () =>
  withShop({}, async () => {
    const where = [{ ref: ["ID"] }, "=", { val: 1 }] as const;
    const book = await SELECT.from({ ref: [{ id: "shop.Books", where, cardinality: { max: 1 } }] }).columns(
      "ID",
    );
    assert.deepEqual(book as unknown, { ID: 1 });
    assert.deepEqual(plain(SELECT`shop.Books[ID=${1}]`), plain(SELECT.from`shop.Books[ID=${1}]`));
    assert.deepEqual(plain(SELECT.from("shop.Books").forUpdate({ wait: -1 })).SELECT.forUpdate, {});
    const set = UPDATE("shop.Books").set("title =", "A", "stock -=", 1);
    assert.deepEqual(plain(set), plain(UPDATE("shop.Books").set({ title: "A", stock: { "-=": 1 } })));
    assert.deepEqual(
      await SELECT.one`ID as no, author as by { name as n }`.from`shop.Books`.where({ ID: 1 }),
      {
        no: 1,
        by: { n: "Emily" },
      },
    );
  }));

Deno.test("columns that are paths are called by all of their steps, in views by the last one (api 8)", () =>
  withShop({ model: csnOf(PATHS) }, async () => {
    await INSERT.into("Authors").entries({ ID: 1, name: "Emily", home: { city: "Haworth" } });
    await INSERT.into("Books").entries({ ID: 7, author_ID: 1 });
    const [book] = await SELECT.from("Books as b").columns("b.ID", "author.name", "b.author.home.city");
    assert.deepEqual(book, { ID: 7, author_name: "Emily", author_home_city: "Haworth" });
    assert.deepEqual(await SELECT.one.from("Books").columns("author.name as n", "author.home.city"), {
      n: "Emily",
      author_home_city: "Haworth",
    });
    const nested = SELECT.one.from("Authors").columns((author: Recorder) =>
      author.books((b) => [b.author.name])
    );
    assert.deepEqual(await nested, { books: [{ author_name: "Emily" }] });
    const inner = SELECT.from("Books").columns("author.name");
    assert.deepEqual(await SELECT.from(inner as never).where({ author_name: "Emily" }), [{
      author_name: "Emily",
    }]);
    assert.deepEqual(await SELECT.from("Named"), [{ name: "Emily" }]);
    assert.deepEqual(Object.keys(SELECT.from("Books").columns("author.name").elements), ["author_name"]);
  }));

const PATHS = `
  entity Authors { key ID : Integer; name : String; home { city : String; }; books : Association to many Books on books.author = $self; }
  entity Books { key ID : Integer; author : Association to Authors; }
  entity Named as select from Books { author.name };
`;

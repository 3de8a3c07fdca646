import assert from "node:assert/strict";
import fw, { createRuntime, SELECT } from "../../../mod.ts";
import type { Recorder } from "../../../src/cqn/builders/projection_recorder.ts";
import type { ConditionArguments } from "../../../src/cqn/builders/query_builder.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { RemoteService } from "../../../src/odata/remote/remote_service.ts";
import { EMILY, JANE, withRemoteShop } from "./remote_shop.ts";

const titles = (rows: unknown) => (rows as Row[]).map((row) => row.title);

Deno.test("RemoteService reads all rows and one row by key", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const rows = await remote.read("Books") as Row[];
    assert.equal(last(), "GET Books");
    assert.equal(rows.length, 3);
    assert.deepEqual(rows[0], {
      ID: 1,
      title: "Wuthering Heights",
      stock: 12,
      price: 9.99,
      sold: null,
      published: "1847-12-01",
      address_city: "London",
      author_ID: EMILY,
    });
    const one = await remote.run(SELECT.one.from("Books", 2)) as Row;
    assert.equal(last(), "GET Books(2)");
    assert.deepEqual([one.title, one.price, one.sold], ["Emma", "1234567890123456.78", "9007199254740993"]);
    assert.equal(await remote.run(SELECT.one.from("Books", 99)), null);
    const edition = await remote.run(SELECT.one.from("Editions", { title: "Emma", edition: 1 })) as Row;
    assert.equal(last(), "GET Editions(title='Emma',edition=1)");
    assert.equal(edition.pages, 474);
  }));

Deno.test("RemoteService flattens structures of answers, whose members have values of their types [csn-cqn 4]", async () => {
  const model = parseCdl(`service Far {
    entity Parcels { key ID : Integer; size { weight : Decimal; box { volume : Decimal; } } }
  }`);
  const size = { weight: "1.50", box: { volume: "2.50" }, toString: "3.50", unknown: "4.50" };
  const client = createRuntime({
    model,
    kinds: { fetch: () => Promise.resolve(Response.json({ value: [{ ID: 1, size }] })) },
    env: {
      log: { levels: { default: "silent" } },
      requires: { Far: { kind: "odata", credentials: { url: "http://far.test" } } },
    },
  });
  await client.start();
  try {
    const far = await client.connect("Far") as RemoteService;
    assert.deepEqual(await far.read("Parcels"), [{
      ID: 1,
      size_weight: 1.5,
      size_box_volume: 2.5,
      size_toString: "3.50",
      size_unknown: "4.50",
    }]);
  } finally {
    await client.close();
  }
});

Deno.test("RemoteService sends columns, aliases, order and limit", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const rows = await remote.read("Books").columns("ID", "title as name").orderBy("stock desc", "title")
      .limit(2, 1);
    assert.equal(last(), "GET Books?$orderby=stock desc,title&$select=ID,title&$skip=1&$top=2");
    assert.deepEqual(rows, [{ ID: 2, name: "Emma" }, { ID: 3, name: "Persuasion" }]);
    const first = await remote.run(SELECT.one.from("Books").columns("title").orderBy("ID desc"));
    assert.equal(last(), "GET Books?$orderby=ID desc&$select=title&$top=1");
    assert.deepEqual(first, { title: "Persuasion" });
    const managed = await remote.read("Books", 2).columns("ID", "author");
    assert.deepEqual([last(), managed], ["GET Books(2)?$select=ID,author_ID", { ID: 2, author_ID: JANE }]);
    await assert.rejects(async () => await remote.read("Others").columns("size", "of.name"), { status: 502 });
    assert.equal(last(), "GET Others?$select=size&$expand=of($select=name)");
  }));

Deno.test("RemoteService sends a condition in the path that is no key as filter, as restrictions add it", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const where = [
      { ref: ["stock"] },
      "between",
      { val: 1 },
      "and",
      { val: 6 },
      "or",
      { ref: ["stock"] },
      ">",
      {
        val: 11,
      },
    ];
    const from = { ref: [{ id: "Books", where }] };
    const rest = [{ ref: ["ID"] }, "<", { val: 3 }];
    const rows = await remote.run({ SELECT: { from, columns: [{ ref: ["title"] }], where: rest } } as never);
    assert.equal(
      last(),
      "GET Books?$filter=(stock ge 1 and stock le 6 or stock gt 11) and ID lt 3&$select=title",
    );
    assert.equal((rows as Row[]).length > 0, true);
    const count = await remote.run({
      SELECT: { from, columns: [{ func: "count", args: ["*"], as: "n" }], one: true },
    } as never);
    assert.equal(last(), "GET Books/$count?$filter=stock ge 1 and stock le 6 or stock gt 11");
    assert.equal(typeof (count as Row).n, "number");
    await remote.run(
      { SELECT: { from: { ref: [{ id: "Books", where: [{ ref: ["ID"] }, "=", { val: 2 }] }] } } } as never,
    );
    assert.equal(last(), "GET Books(2)");
    await remote.run({ SELECT: { from: { ref: [{ id: "Books" }] }, where: rest } } as never);
    assert.equal(last(), "GET Books?$filter=ID lt 3");
    await remote.run({ SELECT: { from: { ref: [{ id: "Books" }] } } } as never);
    assert.equal(last(), "GET Books");
  }));

Deno.test("RemoteService sends conditions with literals of the type of the element", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const filter = async (...args: ConditionArguments) => {
      const rows = await remote.read("Books").where(...args);
      return [last().slice("GET Books?$filter=".length), titles(rows)];
    };
    assert.deepEqual(await filter({ author_ID: JANE, stock: { ">": 1 } }), [
      `author_ID eq ${JANE} and stock gt 1`,
      ["Emma"],
    ]);
    assert.deepEqual(await filter({ title: "O'Hara' or 1 eq 1 or title eq '" }), [
      "title eq 'O''Hara'' or 1 eq 1 or title eq '''",
      [],
    ]);
    assert.deepEqual(await filter({ ID: { in: [] } }), ["false", []]);
    assert.deepEqual(await filter("ID not in", [], "and stock >", 5), ["(not (false)) and stock gt 5", [
      "Wuthering Heights",
    ]]);
    assert.deepEqual(await filter({ title: "1847-12-01" }), ["title eq '1847-12-01'", []]);
    assert.deepEqual(await filter({ published: "1847-12-01" }), ["published eq 1847-12-01", [
      "Wuthering Heights",
    ]]);
    assert.deepEqual(await filter("stock between 1 and 6 or title like '%suas%'"), [
      "stock ge 1 and stock le 6 or contains(title,'suas')",
      ["Emma", "Persuasion"],
    ]);
    assert.deepEqual(await filter("(title like '%a%' and stock > 1) and title like 'E%'"), [
      "contains(title,'a') and stock gt 1 and startswith(title,'E')",
      ["Emma"],
    ]);
    assert.deepEqual(await filter({ ID: [1, 3] }), ["ID in (1,3)", ["Wuthering Heights", "Persuasion"]]);
    assert.deepEqual(await filter("sold is not null and not (stock = 5)"), [
      "sold ne null and (not (stock eq 5))",
      ["Persuasion"],
    ]);
    assert.deepEqual(await filter("author.name = 'Emily'"), ["author/name eq 'Emily'", [
      "Wuthering Heights",
    ]]);
    assert.deepEqual(await filter("exists tags[text = 'moors']"), ["tags/any(x1:x1/text eq 'moors')", [
      "Wuthering Heights",
    ]]);
    assert.deepEqual(await filter("exists tags[text = 'moors'].book[stock > 1]"), [
      "tags/any(x1:x1/text eq 'moors' and (x1/book ne null and x1/book/stock gt 1))",
      ["Wuthering Heights"],
    ]);
    assert.deepEqual(await filter("not exists tags"), ["not tags/any()", ["Emma", "Persuasion"]]);
    assert.deepEqual(await filter("(stock + 1) * 2 = 12"), ["(stock add 1) mul 2 eq 12", ["Emma"]]);
    assert.deepEqual(await filter("tolower(title) = 'emma'"), ["tolower(title) eq 'emma'", ["Emma"]]);
  }));

Deno.test("RemoteService writes texts of large numbers as numbers beside what is calculated, on either side", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const filter = async (condition: string) => {
      await remote.read("Books").where(condition);
      return last().slice("GET Books?$filter=".length);
    };
    const [one, next] = ["9007199254740993", "9007199254740994"];
    assert.equal(await filter(`'${one}' = sold`), `${one} eq sold`);
    assert.equal(await filter(`sold + 1 = '${next}'`), `sold add 1 eq ${next}`);
    assert.equal(await filter(`1 + sold = '${next}'`), `1 add sold eq ${next}`);
    assert.equal(await filter(`'${next}' = sold + '1'`), `${next} eq sold add 1`);
    assert.equal(await filter(`sold = '${one}' + '1'`), `sold eq ${one} add 1`);
    assert.equal(await filter(`'${one}' - '1' = sold`), `${one} sub 1 eq sold`);
  }));

Deno.test("RemoteService counts related rows by $count", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const rows = await remote.read("Books").where("count(tags) > 0 and stock > count(tags)");
    assert.equal(last(), "GET Books?$filter=tags/$count gt 0 and stock gt tags/$count");
    assert.deepEqual(titles(rows), ["Wuthering Heights"]);
  }));

Deno.test("RemoteService takes a path for one of properties where no model describes the entity, `exists` for one of rows", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const filter = async (condition: string) => {
      await assert.rejects(async () => await remote.read("Others").where(condition), { status: 502 });
      return last().slice("GET Others?$filter=".length);
    };
    assert.equal(await filter("exists tags"), "tags/any()");
    assert.equal(await filter("exists tags[text = 'x']"), "tags/any(x1:x1/text eq 'x')");
    assert.equal(await filter("exists author.books"), "author ne null and author/books/any()");
    assert.equal(await filter("author.name = 'x' and size > 1"), "author/name eq 'x' and size gt 1");
  }));

Deno.test("RemoteService sends the user and the time of the request as values", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const user = new fw.User({ id: "O'Hara", attr: { level: "7" } });
    const context = { user, locale: "de", timestamp: new Date("2026-01-02T03:04:05.678Z") };
    const filter = async (condition: string) => {
      await assert.rejects(fw.tx(context, () => remote.read("Others").where(condition)), { status: 502 });
      return last().slice("GET Others?$filter=".length);
    };
    assert.equal(
      await filter("owner = $user or owner = $user.id"),
      "owner eq 'O''Hara' or owner eq 'O''Hara'",
    );
    assert.equal(await filter("language = $user.locale"), "language eq 'de'");
    assert.equal(await filter("level < $user.level"), "level lt '7'");
    assert.equal(await filter("tenant = $user.tenant"), "tenant eq null");
    assert.equal(await filter("changed < $now"), "changed lt 2026-01-02T03:04:05.678Z");
  }));

Deno.test("RemoteService calls sets by their names in the service, whatever it is called where it is required", () => {
  const credentials = { url: "http://shop.test/odata/v4/catalog" };
  const far = { kind: "odata", service: "shop.CatalogService", credentials };
  return withRemoteShop({ requires: { far } }, async ({ client, last }) => {
    const remote = await client.connect("far");
    assert.equal((await remote.run(SELECT.from("shop.CatalogService.Books")) as Row[]).length, 3);
    assert.equal(last(), "GET Books");
  });
});

Deno.test("RemoteService sends no path whose steps have order or limit", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const orderBy = [{ ref: ["ID"] }];
    const limit = { rows: { val: 1 } };
    const where = [{ ref: ["ID"] }, "=", { val: 1 }];
    for (const step of [{ orderBy }, { limit }, { where, orderBy }, { where, limit }]) {
      const from = { ref: [{ id: "Books", ...step }] };
      await assert.rejects(async () => await remote.run({ SELECT: { from } } as never), {
        status: 501,
        message: "A path with order or limit cannot be sent to a remote service",
      });
    }
    assert.equal(sent.length, 0);
  }));

Deno.test("RemoteService sends patterns that are texts only", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const message = "A pattern with wildcards inside cannot be sent to a remote service";
    for (const pattern of ["5", "true", "null", "author.name", "'a%b'", "'a_'"]) {
      const read = async () => await remote.read("Books").where(`title like ${pattern}`);
      await assert.rejects(read, { status: 501, message }, pattern);
    }
    assert.equal(sent.length, 0);
  }));

Deno.test("RemoteService sends lists of values in one, and no parameter that has no value", () =>
  withRemoteShop({}, async ({ remote, last, sent }) => {
    const where = (...items: unknown[]) =>
      remote.run({ SELECT: { from: { ref: ["Books"] }, columns: [{ ref: ["ID"] }], where: items } } as never);
    assert.deepEqual(await where({ ref: ["ID"] }, "in", { val: [1, 3] }), [{ ID: 1 }, { ID: 3 }]);
    assert.equal(last(), "GET Books?$filter=ID in (1,3)&$select=ID");
    assert.deepEqual(await where({ ref: ["ID"] }, "in", { val: [] }), []);
    assert.equal(last(), "GET Books?$filter=false&$select=ID");
    await assert.rejects(async () => await where({ ref: ["ID"] }, "=", { ref: ["given"], param: true }), {
      status: 501,
      message: 'The parameter "given" without a value cannot be sent to a remote service',
    });
    assert.equal(sent.length, 2);
  }));

Deno.test("RemoteService addresses rows below others, and filters the last step of a path only", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const one = (ID: unknown) => [{ ref: ["ID"] }, "=", { val: ID }];
    const below = (...ref: unknown[]) => remote.run({ SELECT: { from: { ref } } } as never);
    const inStock = [{ ref: ["stock"] }, ">", { val: 1 }];
    const rows = await below({ id: "Authors", where: one(JANE) }, { id: "books", where: inStock });
    assert.equal(last(), `GET Authors(${JANE})/books?$filter=stock gt 1`);
    assert.deepEqual(titles(rows), ["Emma"]);
    const from = { ref: [{ id: "Books", where: one(1) }, "tags"] };
    assert.equal(await remote.run({ DELETE: { from, where: one(2) } } as never), 1);
    assert.equal(last(), "DELETE Books(1)/tags(2)");
    assert.deepEqual((await below({ id: "Books", where: one(1) }, "tags") as Row[]).map(({ ID }) => ID), [1]);
  }));

Deno.test("RemoteService expands associations, with paths in columns as well", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const rows = await remote.read("Books", 1).columns((b: Recorder) => {
      b.title, b.author((a: Recorder) => a.name), b.tags((t: Recorder) => t.text);
    });
    assert.equal(
      last(),
      "GET Books(1)?$select=title&$expand=author($select=name),tags($select=text)",
    );
    const nested = { author: { name: "Emily" }, tags: [{ text: "gothic" }, { text: "moors" }] };
    assert.deepEqual(rows, { title: "Wuthering Heights", ...nested });
    const flat = await remote.read("Books").columns("ID", "author.name as by").where({ ID: 2 });
    assert.deepEqual(flat, [{ ID: 2, by: "Jane" }]);
  }));

Deno.test("RemoteService reads paths along associations that are expanded, too, whatever these show [csn-cqn 6]", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const run = async (columns: string, entity = "Books") =>
      (await remote.run(parseCqlQuery(`select from ${entity} { ${columns} } where ID = 1`)) as Row[])[0];
    const expected = { ID: 1, author: { ID: EMILY }, by: "Emily" };
    assert.deepEqual(await run("ID, author { ID }, author.name as by"), expected);
    assert.equal(last(), "GET Books?$filter=ID eq 1&$select=ID&$expand=author($select=ID,name)");
    assert.deepEqual(await run("ID, author.name as by, author { ID }"), expected);
    assert.deepEqual(await run("ID, author.name as by, author.ID as key"), {
      ID: 1,
      by: "Emily",
      key: EMILY,
    });
    const deep = await run("text, book.author.name as writer, book { title }, book.address.city", "Tags");
    assert.deepEqual(deep, {
      ...{
        text: "gothic",
        writer: "Emily",
        book: { title: "Wuthering Heights" },
        book_address_city: "London",
      },
    });
    await assert.rejects(run("author[name = 'X'] { ID }, author.name as by"), { status: 501 });
  }));

Deno.test("RemoteService refuses columns whose filters it cannot send, in place of wrong values [csn-cqn 6]", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const refused = [
      "select from Books { title, author[name = 'X'].name as writer }",
      "select from Books { title, author.{ name } }",
      "select from shop.LocalService.Stocked { name, labels[word <> 'moors'].word as label }",
    ];
    for (const text of refused) {
      await assert.rejects(async () => await remote.run(parseCqlQuery(text)), { status: 501 }, text);
    }
    assert.equal(sent.length, 0);
  }));

Deno.test("RemoteService sends condition, order and page of infix filters with expanded rows [csn-cqn 6]", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const rows = await remote.run(parseCqlQuery(
      "select from Books { title, tags[text <> 'moors' order by text desc limit 1] { text } } where ID = 1",
    ));
    assert.equal(
      decodeURIComponent(last()),
      "GET Books?$filter=ID eq 1&$select=title&" +
        "$expand=tags($filter=text ne 'moors';$orderby=text desc;$select=text;$top=1)",
    );
    assert.deepEqual(rows, [{ title: "Wuthering Heights", tags: [{ text: "gothic" }] }]);
    const projected = await remote.run(parseCqlQuery(
      "select from shop.LocalService.Stocked { name, labels[word <> 'moors' order by word desc limit 1] { word } } " +
        "where number = 1",
    ));
    assert.match(
      decodeURIComponent(last()),
      /&\$expand=tags\(\$filter=text ne 'moors';\$orderby=text desc;\$select=text;\$top=1\)$/,
    );
    assert.deepEqual(projected, [{ name: "Wuthering Heights", labels: [{ word: "gothic" }] }]);
  }));

Deno.test("RemoteService counts rows and searches", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    assert.deepEqual(await remote.run(SELECT.one.from("Books").columns("count(*) as n").where("stock > 1")), {
      n: 2,
    });
    assert.equal(last(), "GET Books/$count?$filter=stock gt 1");
    assert.deepEqual(await remote.run(SELECT.from("Books").columns("COUNT(1) as n")), [{ n: 3 }]);
    for (const column of ["count(title) as n", "count(distinct title) as n"]) {
      await assert.rejects(() => remote.run(SELECT.one.from("Books").columns(column)), { status: 501 });
    }
    const rows = await remote.run({
      SELECT: { from: { ref: ["Books"] }, count: true, limit: { rows: { val: 1 } } },
    }) as Row[] & { $count?: number };
    assert.deepEqual([rows.length, rows.$count], [1, 3]);
    const found = await remote.run({ SELECT: { from: { ref: ["Books"] }, search: [{ val: "Emma" }] } });
    assert.equal(last(), 'GET Books?$search="Emma"');
    assert.deepEqual(titles(found), ["Emma"]);
    const search = [{ xpr: [{ val: "Emma" }, "or", { val: "Persuasion" }] }, "and", "not", { val: "x" }];
    await remote.run({ SELECT: { from: { ref: ["Books"] }, search } } as never);
    assert.equal(last(), 'GET Books?$search=("Emma" OR "Persuasion") AND NOT "x"');
    for (const unsaid of [{ ref: ["title"] }, { func: "f", args: [], xpr: [{ val: "x" }] }]) {
      const query = { SELECT: { from: { ref: ["Books"] }, search: [unsaid] } };
      await assert.rejects(async () => await remote.run(query as never), { status: 501 });
    }
    const broken = { SELECT: { from: { ref: ["Books"] }, search: ["like"] } };
    await assert.rejects(async () => await remote.run(broken as never), /Unknown operator "like"/);
  }));

Deno.test("RemoteService follows the pages of a result, on the same host only", () =>
  withRemoteShop({
    server: { env: { query: { limit: { max: 1 } } } },
    fetch: async (request, server) => {
      const response = await server.fetch(request);
      if (!request.headers.has("x-mislead")) return response;
      return Response.json({ ...await response.json(), "@odata.nextLink": "http://evil.test/Books" });
    },
  }, async ({ remote, sent }) => {
    assert.equal(titles(await remote.read("Books")).length, 3);
    assert.equal(sent.length, 3);
    const misled = remote.send({ query: SELECT.from("Books"), headers: { "x-mislead": "1" } });
    await assert.rejects(misled, { status: 502 });
    assert.ok(!sent.some((request) => request.url.includes("evil")));
  }));

Deno.test("RemoteService follows so many pages at most (remotePages)", async () => {
  const server = { env: { query: { limit: { max: 1 } } } };
  await withRemoteShop({ server, limits: { remotePages: 3 } }, async ({ remote }) => {
    assert.equal(titles(await remote.read("Books")).length, 3);
  });
  await withRemoteShop({ server, limits: { remotePages: 2 } }, async ({ remote, sent }) => {
    await assert.rejects(async () => await remote.read("Books"), { status: 502 });
    assert.equal(sent.length, 2);
  });
});

Deno.test("RemoteService inserts, updates, upserts and deletes", () =>
  withRemoteShop({}, async ({ remote, last, sent }) => {
    const created = await remote.create("Books", {
      ID: 4,
      title: "New",
      price: "7.50",
      author: { ID: JANE },
    }) as Row;
    assert.equal(last(), "POST Books");
    assert.equal(await sent.at(-1)!.text(), `{"ID":4,"title":"New","price":7.50,"author_ID":"${JANE}"}`);
    assert.deepEqual([created.title, created.author_ID], ["New", JANE]);
    assert.equal(await remote.update("Books", 4).set({ stock: 3 }), 1);
    assert.equal(last(), "PATCH Books(4)");
    assert.equal(
      await remote.upsert({ title: "Emma", edition: 2, pages: 5 }).into("Editions").then((row) =>
        (row as Row).pages
      ),
      5,
    );
    assert.equal(last(), "PUT Editions(title='Emma',edition=2)");
    assert.equal(await remote.delete("Books", 4), 1);
    assert.equal(await remote.delete("Books", 4), 0);
    await assert.rejects(async () => await remote.update("Books").set({ stock: 0 }).where("stock > 1"), {
      status: 501,
    });
    await assert.rejects(async () => await remote.delete("Books"), { status: 501 });
  }));

Deno.test("RemoteService answers 501 to what OData has no word for", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    await assert.rejects(async () => await remote.read("Books").groupBy("author_ID"), { status: 501 });
    await assert.rejects(async () => await remote.read("Books").columns("stock + 1 as more"), {
      status: 501,
    });
    await assert.rejects(async () => await remote.read("Books").where("title like 'a%b'"), { status: 501 });
    for (const entity of ["Books", "shop.LocalService.Stocked"]) {
      const query = parseCqlQuery(`select from ${entity}[order by price limit 1]`);
      await assert.rejects(async () => await remote.run(query), { status: 501 });
    }
    assert.equal(sent.length, 0);
  }));

Deno.test("RemoteService sends queries on local projections as queries on its entities", () =>
  withRemoteShop({}, async ({ client, remote, last }) => {
    const local = await client.connect("shop.LocalService");
    local.on("READ", "Titles", (req) => remote.run(req.query));
    const answer = async (path: string) => {
      const response = await client.fetch(new Request(`http://localhost/odata/v4/local/${path}`));
      return await response.json();
    };
    const { value } = await answer(
      "Titles?$filter=name eq 'Emma' or book lt 2&$orderby=name desc&$select=book,name",
    );
    assert.match(last(), /^GET Books\?\$filter=title eq 'Emma' or ID lt 2&\$orderby=title desc/);
    assert.deepEqual(value, [{ book: 1, name: "Wuthering Heights" }, { book: 2, name: "Emma" }]);
    assert.equal((await answer("Titles(2)")).name, "Emma");
    assert.equal(await answer("Titles/$count?$filter=book lt 2"), 1);
    assert.equal(last(), "GET Books/$count?$filter=ID lt 2");
  }));

Deno.test("RemoteService writes values as the types behind an association have them", () =>
  withRemoteShop({}, async ({ remote, last }) => {
    const edition = remote.read("Tags").columns("ID").where({
      "book.published": "1847-12-01",
      "book.author.ID": EMILY,
    });
    await edition;
    assert.equal(
      last(),
      `GET Tags?$filter=book/published eq 1847-12-01 and book/author/ID eq ${EMILY}&$select=ID`,
    );
  }));

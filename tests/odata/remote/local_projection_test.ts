/**
 * Queries on local projections that handlers hand on to a remote service (README, other services).
 */

import assert from "node:assert/strict";
import { INSERT, type Row, SELECT, UPDATE } from "../../../mod.ts";
import type { Column } from "../../../src/cqn/cqn.ts";
import { EMILY, JANE, withRemoteShop } from "./remote_shop.ts";

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  /** Method and URL of the last request to the service; empty when there was none. */
  readonly sent: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A test whose requests to local projections are handed on as they are. */
function handsOn(name: string, test: (send: Send) => Promise<void>): void {
  Deno.test(name, () =>
    withRemoteShop({}, async ({ client, remote, sent, last }) => {
      const local = await client.connect("shop.LocalService");
      local.on("*", (req) => remote.run(req.query!));
      await test(async (method, path, body) => {
        const before = sent.length;
        const headers = { "content-type": "application/json" };
        const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
        const response = await client.fetch(new Request(`http://localhost/odata/v4/local/${path}`, init));
        const text = await response.text();
        return {
          status: response.status,
          body: text === "" ? undefined : JSON.parse(text),
          sent: sent.length > before ? last() : "",
        };
      });
    }));
}

handsOn("the condition of a local projection goes to the remote service with every read", async (send) => {
  const all = await send("GET", "Stocked?$select=name");
  assert.match(all.sent, /^GET Books\?\$filter=stock gt 0&/);
  assert.deepEqual(all.body.value, [{ name: "Wuthering Heights", number: 1 }, { name: "Emma", number: 2 }]);
  const some = await send("GET", "Stocked?$select=number&$filter=cost lt 20 or name eq 'Persuasion'");
  assert.match(some.sent, /\$filter=stock gt 0 and \(price lt 20 or title eq 'Persuasion'\)/);
  assert.deepEqual(some.body.value, [{ number: 1 }]);
  assert.equal((await send("GET", "Stocked/$count")).body, 2);
  assert.equal((await send("GET", "Stocked(2)?$select=name")).body.name, "Emma");
  assert.equal((await send("GET", "Stocked(3)?$select=name")).status, 404);
  const cheap = await send("GET", "Cheap?$select=amount,cost");
  assert.match(cheap.sent, /\$filter=price lt 20 and stock gt 0/);
  assert.deepEqual(cheap.body.value, [{ number: 1, amount: 9.99, cost: 9.99 }]);
});

handsOn("the condition of a local projection holds for what associations lead to", async (send) => {
  const expanded = await send("GET", "Writers?$expand=works($select=name;$orderby=name)");
  assert.match(expanded.sent, /\$expand=books\(\$filter=stock gt 0;\$orderby=title;/);
  assert.deepEqual(expanded.body.value.map((row: { works: unknown }) => row.works), [
    [{ number: 1, name: "Wuthering Heights" }],
    [{ number: 2, name: "Emma" }],
  ]);
  const any = async (title: string) =>
    (await send("GET", `Writers?$filter=works/any(w:w/name eq '${title}')`)).body.value.length;
  assert.deepEqual([await any("Emma"), await any("Persuasion")], [1, 0]);
  const works = await send("GET", `Writers(${JANE})/works?$select=name`);
  assert.deepEqual(works.body.value, [{ number: 2, name: "Emma" }]);
  assert.equal((await send("GET", `Writers(${JANE})/works(2)?$select=name`)).status, 200);
  assert.equal((await send("GET", `Writers(${JANE})/works(3)?$select=name`)).status, 404);
  assert.equal((await send("GET", "Stocked(2)/writer")).body.called, "Jane");
  const behind = await send("GET", "Stocked(3)/writer");
  assert.deepEqual([behind.sent, behind.body], [
    "GET Books?$filter=ID eq 3 and stock gt 0&$select=ID&$top=1",
    undefined,
  ]);
  assert.deepEqual((await send("GET", "Stocked(1)/labels")).body.value.length, 2);
  assert.equal((await send("GET", "Stocked(1)/labels/$count")).body, 2);
  assert.equal((await send("GET", "Stocked(3)/labels/$count")).body, 0);
  assert.deepEqual((await send("GET", `Writers(${JANE})/works(3)/writer`)).body, undefined);
});

handsOn(
  "where a URL has no place for the condition of a local projection nothing is sent: 501",
  async (send) => {
    const paths = [
      "Labels(1)/stocked?$select=name",
      "Labels?$expand=stocked($select=name)",
      "Labels?$filter=stocked/name eq 'Emma'",
      "Writers?$filter=works/$count gt 1",
      "Stocked?$select=twice",
    ];
    for (const path of paths) {
      const { status, sent } = await send("GET", path);
      assert.deepEqual([path, status, sent], [path, 501, ""]);
    }
    assert.deepEqual((await send("PATCH", "Stocked(3)", { name: "x" })).sent, "");
  },
);

handsOn("names are those of the remote service wherever they stand", async (send) => {
  const one = await send("GET", "Labels(1)/of");
  assert.equal(one.sent, "GET Tags(1)/book?$select=ID,title,stock");
  assert.deepEqual([one.status, one.body.book, one.body.name], [200, 1, "Wuthering Heights"]);
  const nested = await send(
    "GET",
    "Stocked?$select=number&$expand=writer($select=called),labels($filter=word eq 'moors')",
  );
  assert.deepEqual(nested.body.value[0], {
    number: 1,
    writer: { key: EMILY, called: "Emily" },
    labels: [{ ID: 2, word: "moors", of_ID: 1, stocked_ID: 1, title: "Wuthering Heights" }],
  });
  const columns = "number,price,cost,town,writer_ID,authorName,shown";
  const flat = await send("GET", `Stocked?$select=${columns}&$orderby=authorName desc,town&$top=1&$skip=1`);
  assert.match(flat.sent, /\$orderby=author\/name desc,address_city/);
  assert.deepEqual(flat.body.value, [{
    number: 1,
    price: 9.99,
    cost: 9.99,
    town: "London",
    writer_ID: EMILY,
    authorName: "Emily",
  }]);
  const filter =
    "writer/called eq 'Emily' and writer_ID ne null and labels/any(l:l/word eq 'moors') and labels/$count eq 2";
  const found = await send("GET", `Stocked?$select=number&$filter=${filter}`);
  assert.match(
    found.sent,
    /author\/name eq 'Emily' and author_ID ne null and tags\/any\(x1:x1\/text eq 'moors'\)/,
  );
  assert.deepEqual(found.body.value, [{ number: 1 }]);
});

handsOn("changes of local projections are changes of the remote entity", async (send) => {
  const created = await send("POST", "Titles", { book: 9, name: "New", stock: 4 });
  assert.deepEqual([created.status, created.body.book, created.body.name], [201, 9, "New"]);
  const changed = await send("PATCH", "Titles(9)", { name: "Newer" });
  assert.deepEqual([changed.status, changed.body.name], [200, "Newer"]);
  await send("POST", "Labels", { ID: 9, word: "new", of: { book: 9 } });
  assert.equal((await send("GET", "Labels(9)?$expand=of($select=name)")).body.of.name, "Newer");
  assert.equal((await send("DELETE", "Titles(9)")).status, 204);
  assert.equal((await send("GET", "Titles(9)")).status, 404);
});

Deno.test("paths that begin at entities of this application are not sent: 501, not an answer without rows", () =>
  withRemoteShop({}, async ({ client, remote, sent }) => {
    const local = await client.connect("shop.LocalService");
    local.on("READ", "Titles", (req) => remote.run(req.query));
    const response = await client.fetch(new Request("http://localhost/odata/v4/local/Marks(1)/title"));
    await response.body?.cancel();
    await assert.rejects(remote.run(SELECT.from("shop.LocalService.Marks")), { status: 501 });
    assert.deepEqual([response.status, sent.length], [501, 0]);
  }));

Deno.test("what the service tells of a new row has the names of the projection, and nothing that it did not tell", async () => {
  const told = { ID: 7, text: "new", book: { ID: 1, title: "Wuthering Heights" }, more: 1 };
  const fetch = () => Promise.resolve(Response.json(told, { status: 201 }));
  await withRemoteShop({ fetch }, async ({ remote }) => {
    const label = { ID: 7, word: "new", of: { book: 1 } };
    const created = await remote.run(INSERT.into("shop.LocalService.Labels").entries(label));
    const [of, stocked] = [{ book: 1, name: "Wuthering Heights" }, { number: 1, name: "Wuthering Heights" }];
    assert.deepEqual(created, { ID: 7, word: "new", of, stocked });
  });
});

Deno.test("rows within rows are sent with the names of the remote service, to one and to many", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const label = { ID: 8, word: "heath", of: { book: 1 } };
    await remote.run(INSERT.into("shop.LocalService.Labels").entries(label));
    assert.deepEqual(await sent.at(-1)!.json(), { ID: 8, text: "heath", book_ID: 1 });
    const writer = {
      key: "33333333-3333-3333-3333-333333333333",
      works: [{ number: 8, name: "Agnes Grey" }],
    };
    await remote.run(INSERT.into("shop.LocalService.Writers").entries(writer));
    assert.deepEqual(await sent.at(-1)!.json(), { ID: writer.key, books: [{ ID: 8, title: "Agnes Grey" }] });
  }));

Deno.test("values of elements that are those of other rows there, or calculated here, are not sent: 501", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const values: readonly [name: string, value: unknown, entity: string, message: RegExp][] = [
      ["title", "Emma", "Labels", /A value of "title"/],
      ["authorName", "Anne", "Stocked", /A value of "authorName"/],
      ["twice", 4, "Stocked", /"twice" of .*calculated here/],
    ];
    for (const [name, value, entity, message] of values) {
      const insert = INSERT.into(`shop.LocalService.${entity}`).entries({ [name]: value });
      await assert.rejects(remote.run(insert), { status: 501, message }, name);
    }
    await assert.rejects(
      remote.run(UPDATE("shop.LocalService.Labels", 1).with({ word: "new", title: "Emma" })),
      { status: 501, message: /A value of "title"/ },
    );
    assert.equal(sent.length, 0);
    await remote.run(
      INSERT.into("shop.LocalService.Stocked").entries({ number: 9, town: "Bath", shown: true }),
    );
    assert.deepEqual(await sent[0]!.json(), { ID: 9, address_city: "Bath" });
  }));

Deno.test("a path that begins at the row itself is one without that begin", () =>
  withRemoteShop({}, async ({ remote, last, sent }) => {
    const read = (entity: string, where: string) =>
      remote.run(SELECT.from(`shop.LocalService.${entity}`).columns("name").where(where));
    await read("Titles", "$self.name = 'Emma' and $self.stock > book");
    assert.match(last(), /\$filter=title eq 'Emma' and stock gt ID/);
    await read("Stocked", "$self.writer.called = 'Jane' or exists $self.labels[word = 'moors']");
    assert.match(last(), /author\/name eq 'Jane' or tags\/any\(x1:x1\/text eq 'moors'\)/);
    await read("Titles", "$projection.name = 'Emma'");
    assert.match(last(), /\$filter=title eq 'Emma'/);
    await remote.run(SELECT.from("shop.LocalService.Costly").columns("number").where("$self.cost < 30"));
    assert.match(last(), /\$filter=\(?price gt 20 and author\/name ne 'Emily'\)? and price lt 30/);
    const before = sent.length;
    await assert.rejects(read("Titles", "$self is null"), { status: 501 });
    await assert.rejects(remote.run(SELECT.from("Books").where("$self is null")), { status: 501 });
    assert.equal(sent.length, before);
  }));

Deno.test("an association whose elements are taken out of it hides no element of its name, and no name within goes out: 501", () =>
  withRemoteShop({}, async ({ remote, last, sent }) => {
    const read = (...columns: Column[]) =>
      remote.run({ SELECT: { from: { ref: ["shop.LocalService.Credits"] }, columns } });
    const rows = await read({ ref: ["number"] }, { ref: ["author"] }, { ref: ["writer_ID"] });
    assert.match(last(), /^GET Books\?\$select=ID,title,author_ID/);
    assert.deepEqual((rows as Row[])[1], { number: 2, author: "Emma", writer_ID: JANE });
    const before = sent.length;
    for (const ref of [["by"], ["maker_called"], ["maker", "called"]]) {
      await assert.rejects(
        async () => await read({ ref: ["number"] }, { ref }),
        { status: 501 },
        ref.join("."),
      );
    }
    assert.equal(sent.length, before);
  }));

Deno.test("columns that are no elements, and elements of others side by side with them, are not asked for: 501", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    const columns: readonly Column[] = [
      { val: 1, as: "one" },
      { func: "toupper", args: [{ ref: ["word"] }], as: "loud" },
      { ref: ["of"], inline: [{ ref: ["name"] }] },
      { expand: [{ ref: ["word"] }], as: "inner" },
      { ref: undefined, expand: [{ ref: ["word"] }], as: "inner" },
    ];
    for (const column of columns) {
      const query = { SELECT: { from: { ref: ["shop.LocalService.Labels"] }, columns: [column] } };
      await assert.rejects(
        remote.run(query),
        { status: 501, message: /calculated column/ },
        JSON.stringify(column),
      );
    }
    assert.equal(sent.length, 0);
  }));

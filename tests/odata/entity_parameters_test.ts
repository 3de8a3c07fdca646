import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = `
  type Link { book : Association to S.Books; note : String(5); }
  service S {
    entity Books { key ID : Integer; title : String(5); parent : Association to Books; place { x : Integer; };
      pages : Composition of many Pages on pages.book = $self; }
    entity Pages { key ID : Integer; book : Association to Books; }
    type Shelf { books : many Books; }
    action one(book : Books);
    action many1(books : many Books);
    action shelf(shelf : Shelf);
    action link(link : Link);
  }`;

const BOOK = { ID: 1, title: "Emma", parent_ID: 2, place_x: 3, pages: [{ ID: 4, book_ID: 1 }] };

Deno.test("parameters take entities and structures in the form of $metadata: one, many, nested, with foreign keys (JSON Format 7)", async () => {
  const seen: unknown[] = [];
  const runtime = createRuntime({
    model: parseCdl(MODEL),
    handlers: {
      S: (srv) => {
        for (const name of Object.keys(srv.operations)) srv.on(name, (req) => void seen.push(req.data));
      },
    },
    env: { log: { levels: { default: "silent" } }, requires: { db: false } },
  });
  await runtime.start();
  const post = async (name: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const answer = await send(runtime, `/odata/v4/s/${name}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return [answer.status, (answer.body as { error?: { target?: string } } | undefined)?.error?.target];
  };
  const calls: [string, unknown][] = [
    ["one", { book: BOOK }],
    ["many1", { books: [BOOK, { ID: 5, parent: { ID: 6 } }] }],
    ["shelf", { shelf: { books: [BOOK] } }],
    ["link", { link: { book_ID: 7, note: "x" } }],
  ];
  for (const [name, body] of calls) assert.deepEqual(await post(name, body), [204, undefined], name);
  assert.deepEqual(seen.slice(0, 1), [{ book: BOOK }]);
  assert.deepEqual(seen[1], { books: [BOOK, { ID: 5, parent_ID: 6 }] });
  assert.deepEqual(seen.slice(2), [{ shelf: { books: [BOOK] } }, { link: { book_ID: 7, note: "x" } }]);
  assert.deepEqual(await post("many1", { books: [{ ID: 1, nope: 1 }] }), [400, "books"]);
  assert.deepEqual(await post("many1", { books: [{ ID: "x" }] }), [400, "books[0]/ID"]);
  assert.deepEqual(await post("link", { link: { book_ID: "x" } }), [400, "link/book_ID"]);
  await runtime.close();
});

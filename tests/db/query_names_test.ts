/** Names and values that queries of existing code have. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`namespace shop;
  entity Books { key ID : Integer; title : localized String; author : Association to Authors; }
  entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
  entity Nested as projection on Books { *, author { name, ID as number } };
`));

const ROWS: Query[] = [
  { INSERT: { into: "shop.Authors", entries: [{ ID: 5, name: "A" }, { ID: 6, name: null }] } },
  {
    INSERT: {
      into: "shop_Books",
      entries: [{ ID: 1, title: "one", author_ID: 5, texts: [{ locale: "de", title: "eins" }] }, {
        ID: 2,
        title: "one more",
        author_ID: 5,
      }, { ID: 3, title: "three", author_ID: 6 }],
    },
  },
];

/** What queries find. */
const FOUND: Readonly<Record<string, readonly Row[]>> = {
  // nested columns of a view are structures of it
  "select from shop.Nested { ID, author_name, author_number } order by ID": [
    { ID: 1, author_name: "A", author_number: 5 },
    { ID: 2, author_name: "A", author_number: 5 },
    { ID: 3, author_name: null, author_number: 6 },
  ],
  // a comparison with null asks whether there is a value
  "select from shop.Authors { ID } where name = null": [{ ID: 6 }],
  "select from shop.Authors { ID } where exists books[author.name = null]": [{ ID: 6 }],
  "select from shop.Authors { ID } where name <> null": [],
  "select from shop.Authors { ID, name = null as isNameless : Boolean } order by ID": [
    { ID: 5, isNameless: false },
    { ID: 6, isNameless: true },
  ],
  // the row of the query that others stand in
  "select from shop.Books { ID } where exists author.books[ID <> $main.ID and title like $main.title || '%']":
    [
      { ID: 1 },
    ],
  "select from shop.Books { ID } where exists author[exists books[ID > $main.ID]]": [{ ID: 1 }],
  // entities with the texts of the language
  "select from localized.shop.Books { ID, title } where ID = 1": [{ ID: 1, title: "eins" }],
  "select from shop.Books { ID, title } where ID = 1": [{ ID: 1, title: "one" }],
  "select from shop.Authors { ID } where ID in (select author.ID from localized.shop.Books where title = 'eins')":
    [{ ID: 5 }],
  // the name of the table stands for its entity
  "select from shop_Books { ID } where author.name = 'A' order by ID": [{ ID: 1 }, { ID: 2 }],
};

for (const [index, name] of ["memory", "sqlite", "postgres"].entries()) {
  Deno.test(`queries have names and values as existing code writes them (${name}) (csn-cqn 7)`, async () => {
    const databases = await createAllEngines(MODEL);
    try {
      const database = databases[index];
      if (database === undefined) return;
      await database.deploy(new Map());
      const tx = database.begin(new EventContext({ locale: "de" }));
      for (const query of ROWS) await tx.run(query);
      for (const [text, rows] of Object.entries(FOUND)) {
        const found = await tx.run(parseCqlQuery(text)) as Row[];
        assert.deepEqual(found.map((row) => ({ ...row })), rows, text);
      }
      const inner = parseCqlQuery("select from shop.Books { ID, title, author.name as author }");
      for (const [term, ids] of [["THREE", [3]], ["a", [1, 2]], ["x", []]] as const) {
        const from = inner as { SELECT: Extract<Query, { SELECT: unknown }>["SELECT"] };
        const rows = await tx.run({
          SELECT: { from, search: [{ val: term }], orderBy: [{ ref: ["ID"] }] },
        }) as Row[];
        assert.deepEqual(rows.map(({ ID }) => ID), ids, term);
      }
      await assert.rejects(
        async () => await tx.run(parseCqlQuery("select from Books")),
        /Unknown entity "Books", did you mean "shop.Books"/,
      );
      await tx.rollback();
    } finally {
      for (const database of databases) await database.close();
    }
  });
}

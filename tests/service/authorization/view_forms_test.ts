/** Restricted views in all forms that views have: with parameters, translated, temporal, with own tables, of handlers. */

import assert from "node:assert/strict";
import type { ApplicationService } from "../../../src/service/application_service.ts";
import { type App, withApp } from "../../data/app.ts";
import { ENGINES } from "../../odata/engines.ts";

const MODEL = `context db {
@restrict: [{ grant: '*', where: (title = 'x' and exists readers[user = $user]) }]
entity Books { key ID : Integer; title : localized String(20); stock : Integer;
  readers : Association to many Readers on readers.book = $self; }
entity Readers { key ID : Integer; user : String(20); book : Association to Books; }
@restrict: [{ grant: '*', where: (exists readers[user = $user]) }]
entity Prices { key ID : Integer; key since : Date @cds.valid.from; until : Date @cds.valid.to; price : Integer;
  readers : Association to many Readers on readers.ID = ID; }
@cds.persistence.skip @restrict: [{ grant: '*', where: (owner = $user) }]
entity Remote { key ID : Integer; owner : String(20); }
@restrict: [{ grant: '*', where: (owner = $user) }]
entity Notes { key ID : Integer; owner : String(20); mark { owner : String(20); }; }
@insertonly @restrict: [{ grant: '*', where: (ID > 1) }] entity Log { key ID : Integer; text : String(20); }
}
@path: 'test' @odata service Test {
  entity Wanted (least : Integer) as select from db.Books { key ID, stock as amount } where stock >= :least;
  entity Titles as projection on db.Books { key ID, title as name };
  entity Dear as projection on db.Prices { key ID, key since, until, price as cost };
  entity Others as projection on db.Remote { key ID };
  entity Near as projection on db.Remote { key ID, owner as who };
  entity Nearer as select from Near as near { key near.ID, near.who as owner };
  @insertonly: false entity Lines as select from db.Log { key ID, text };
  entity Names as select from Titles { key ID, name as title };
  entity Written as select from db.Notes { *, mark.owner };
  entity Last as select from db.Notes { key ID, owner } order by ID desc limit 1;
  entity Owners as select from db.Notes { key owner, count(*) as notes : Integer } group by owner;
  entity Pairs as select from db.Notes as one join db.Notes as other on one.ID <> other.ID
    { key one.ID, one.owner as owner };
  entity Both as select from db.Notes { key ID, owner } union select from db.Log { key ID, text as owner };
  entity Reading as select from db.Books:readers { key ID, user as name };
  function sum() returns Integer;
}
`;
const ROWS = {
  "db.Books": [{ ID: 1, title: "x", stock: 5 }, { ID: 2, title: "x", stock: 5 }, {
    ID: 3,
    title: "y",
    stock: 5,
  }],
  "db.Books.texts": [{ ID: 1, locale: "de", title: "eins" }, { ID: 3, locale: "de", title: "x" }],
  "db.Readers": [{ ID: 1, user: "ann", book_ID: 1 }, { ID: 2, user: "bob", book_ID: 2 }, {
    ID: 3,
    user: "ann",
    book_ID: 3,
  }],
  "db.Prices": [
    { ID: 1, since: "2000-01-01", until: "2010-01-01", price: 1 },
    { ID: 1, since: "2010-01-01", until: "9999-12-31", price: 2 },
    { ID: 2, since: "2010-01-01", until: "9999-12-31", price: 3 },
  ],
  "db.Notes": [
    { ID: 1, owner: "ann", mark_owner: "bob" },
    { ID: 2, owner: "bob", mark_owner: "ann" },
  ],
  "db.Log": [{ ID: 1, text: "a" }, { ID: 2, text: "b" }],
};
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "given" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {} } } },
};
const handlers = (srv: ApplicationService) => {
  for (const name of ["Others", "Near", "Nearer"]) srv.on("READ", name, () => [{ ID: 1 }, { ID: 2 }]);
  // queries that handlers send to the service see what the user may see
  srv.on("sum", async () => {
    const rows = await srv.run({ SELECT: { from: { ref: ["Test.Titles"] } } }) as { ID: number }[];
    return rows.reduce((sum, { ID }) => sum + ID, 0);
  });
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`restrictions hold below views of every form (${engine})`, () =>
    withApp({ model: MODEL, rows: ROWS, database, env, handlers }, async (app: App) => {
      const read = async (path: string, headers: Record<string, string> = {}) => {
        const { status, body, text } = await app.send("GET", path, { user: "ann", headers });
        assert.equal(status, 200, `${path}: ${text}`);
        return body.value;
      };
      assert.deepEqual(await read("Wanted(least=3)/Set"), [{ ID: 1, amount: 5 }]);
      assert.deepEqual(await read("Wanted(least=9)/Set"), []);
      assert.deepEqual(await read("Titles"), [{ ID: 1, name: "x" }]);
      // neither the text nor the rows are those of another language
      const german = { "accept-language": "de" };
      assert.deepEqual(await read("Titles", german), [{ ID: 1, name: "eins" }]);
      assert.deepEqual(await read("Names", german), [{ ID: 1, title: "eins" }]);
      assert.deepEqual(await read("Titles?$filter=name eq 'eins'", german), [{ ID: 1, name: "eins" }]);
      assert.deepEqual(await read("Dear?$select=cost"), [{ ID: 1, since: "2010-01-01", cost: 2 }]);
      assert.deepEqual(await read("Lines"), [{ ID: 2, text: "b" }]);
      // the view shows another element by the name that the condition uses
      assert.deepEqual(await read("Written?$select=ID,owner"), [{ ID: 1, owner: "bob" }]);
      assert.deepEqual(await read("sum()"), 1);
      // the last one of those that may be seen
      assert.deepEqual(await read("Last"), [{ ID: 1, owner: "ann" }]);
      assert.deepEqual(await read("Owners"), [{ owner: "ann", notes: 1 }]);
      assert.deepEqual(await read("Pairs"), []);
      assert.deepEqual(await read("Reading"), [{ ID: 1, name: "ann" }]);
      assert.deepEqual(await read("Both?$orderby=ID"), [{ ID: 1, owner: "ann" }, { ID: 2, owner: "b" }]);
      // nobody can tell handlers which of their rows may be seen
      assert.equal((await app.send("GET", "Others", { user: "ann" })).status, 403);
      // where they show what the condition names, the query does
      for (const name of ["Near", "Nearer"]) {
        assert.deepEqual(await read(`${name}?$select=ID`), [{ ID: 1 }, { ID: 2 }]);
      }
    }));
}

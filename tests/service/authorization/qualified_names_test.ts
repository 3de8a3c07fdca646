/** Names in subqueries of conditions: with the name of their entity, in full or not, wherever the condition holds. */

import assert from "node:assert/strict";
import { withApp } from "../../data/app.ts";
import { ENGINES } from "../../odata/engines.ts";

const CONDITIONS = [
  "exists (select 1 as x from my.Members where my.Members.team = my.Teams.ID and user = $user)",
  "exists (select 1 as x from my.Members as m where m.team = my.Teams.ID and m.user = $user)",
  "exists (select 1 as x from my.Members where Members.team = Teams.ID and Members.user = $user)",
  "ID in (select team from my.Members where my.Members.user = $user)",
  "my.Teams.name = $user or Teams.name = $user",
];
const ROWS = {
  "my.Teams": [{ ID: 1, name: "bob" }, { ID: 2, name: "ann" }],
  "my.Members": [{ ID: 1, user: "ann", team: 2 }, { ID: 2, user: "bob", team: 1 }],
  "my.Tasks": [{ ID: 1, team_ID: 1 }, { ID: 2, team_ID: 2 }],
};
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "given" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {} } } },
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`conditions may name entities in full (${engine})`, async () => {
    for (const where of CONDITIONS) {
      for (const written of [`'${where.replaceAll("'", "''")}'`, `(${where})`]) {
        const model = `namespace my;
          @restrict: [{ grant: '*', where: ${written} }] entity Teams { key ID : Integer; name : String(20); }
          entity Members { key ID : Integer; user : String(20); team : Integer; }
          entity Tasks { key ID : Integer; team : Association to Teams; }
          @path: 'test' @odata service Test {
            entity Tasks as projection on my.Tasks;
            entity Teams as projection on my.Teams;
            @cds.redirection.target: false entity Others as select from my.Teams as t { key t.ID as no };
          }`;
        await withApp({ model, rows: ROWS, database, env }, async (app) => {
          const rows = async (path: string) => (await app.send("GET", path, { user: "ann" })).body.value;
          assert.deepEqual(await rows("Teams"), [{ ID: 2, name: "ann" }], where);
          assert.deepEqual(await rows("Others"), [{ no: 2 }], where);
          assert.deepEqual(await rows("Tasks?$expand=team($select=ID)&$select=ID&$orderby=ID"), [
            { ID: 1, team: null },
            { ID: 2, team: { ID: 2 } },
          ], where);
          assert.deepEqual(await rows("Tasks?$filter=team/name ne null&$select=ID"), [{ ID: 2 }], where);
        });
      }
    }
  });
}

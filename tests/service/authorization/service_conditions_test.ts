/** A condition at a service is about no rows: its privilege grants nothing, the others hold (auth 7). */

import assert from "node:assert/strict";
import { withApp } from "../../data/app.ts";
import { ENGINES } from "../../odata/engines.ts";

function model(restrict: string): string {
  return `@path: 'test' @odata @restrict: ${restrict} service Test { entity E { key ID : Integer; } }`;
}

const [database] = Object.values(ENGINES);
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "given" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {} } } },
};

for (
  const [annotation, read, write] of [
    ["[{ grant: '*', to: 'Boss' }, { grant: '*', to: 'any', where: 'ID = 1' }]", 403, 403],
    ["[{ grant: '*', to: 'authenticated-user' }, { grant: '*', to: 'any', where: 'ID = 1' }]", 200, 201],
    ["[{ grant: '*', to: 'any', where: 'ID = 1' }]", 403, 403],
    ["[{ grant: '*', where: 'ID = 1' }, { grant: '*', to: 'any', where: true }]", 200, 201],
  ] as const
) {
  Deno.test(`a condition at a service grants nothing: ${annotation}`, () =>
    withApp({ model: model(annotation), rows: {}, database, env }, async (app) => {
      assert.equal((await app.send("GET", "E", { user: "ann" })).status, read);
      assert.equal((await app.send("POST", "E", { user: "ann", body: { ID: 1 } })).status, write);
    }));
}

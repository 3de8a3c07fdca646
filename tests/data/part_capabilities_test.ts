/** Deep writes of parts whose entity does not allow them (auth 7, behaviours 5). */

import assert from "node:assert/strict";
import { type Answer, type App, withApp } from "./app.ts";

const ROWS = {
  db_Orders: [{ ID: 1, name: "o" }],
  db_Items: [{ ID: 1, name: "i", order_ID: 1 }, { ID: 2, name: "i", order_ID: 1 }],
};

const READ_ONLY = "405 ENTITY_IS_READ_ONLY";
const INSERT_ONLY = "405 ENTITY_IS_INSERT_ONLY";
const NOT_CRUD = "405 ENTITY_IS_NOT_CRUD";
const FREE = { inserted: "201", changed: "200", added: "200", removed: "200", deleted: "204" };

/** What becomes of parts that are written with their whole. */
async function outcome(annotation: string): Promise<Record<string, string>> {
  const model = `
    entity db_Orders { key ID : Integer; name : String(20); items : Composition of many db_Items on items.order = $self; }
    entity db_Items { key ID : Integer; name : String(20); order : Association to db_Orders; }
    service Test { entity Orders as projection on db_Orders; ${annotation} entity Items as projection on db_Items; }`;
  const outcomes: Record<string, string> = {};
  const told = async (name: string, pending: Promise<Answer>) => {
    const { status, body } = await pending;
    const code = (body as { error?: { code?: string } } | undefined)?.error?.code;
    outcomes[name] = code === undefined ? String(status) : `${status} ${code}`;
  };
  const patch = (app: App, items: readonly object[]) => app.patch("Orders(1)", { "items@delta": items });
  await withApp({ model, rows: ROWS }, async (app) => {
    await told("inserted", app.post("Orders", { ID: 2, items: [{ ID: 10 }] }));
    await told("changed", patch(app, [{ ID: 1, name: "x" }]));
    await told("added", patch(app, [{ ID: 11 }]));
    await told("removed", app.patch("Orders(1)", { items: [] }));
    await told("deleted", app.send("DELETE", "Orders(1)"));
    assert.equal((await app.get("Orders(1)")).status, 404);
  });
  return outcomes;
}

for (
  const [annotation, differs] of Object.entries({
    "": {},
    "@readonly": { inserted: READ_ONLY, changed: READ_ONLY, added: READ_ONLY, removed: READ_ONLY },
    "@insertonly": { inserted: "204", changed: INSERT_ONLY, removed: INSERT_ONLY },
    "@Capabilities.InsertRestrictions.Insertable: false": { inserted: NOT_CRUD, added: NOT_CRUD },
    "@Capabilities.UpdateRestrictions.Updatable: false": { changed: NOT_CRUD },
    "@Capabilities.DeleteRestrictions.Deletable: false": { removed: NOT_CRUD },
  })
) {
  Deno.test(`what deep writes may do to parts of an entity ${annotation || "without annotation"}; they go with their whole`, async () =>
    assert.deepEqual(await outcome(annotation), { ...FREE, ...differs }));
}

/**
 * The rules that database engines keep where contexts see different parts of one model (feature toggles).
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { withToggles } from "../../src/model/toggles.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { Database, DatabaseOptions } from "../../src/service/database.ts";

const BASE: Csn = {
  definitions: {
    "t.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, title: { type: "cds.String" } },
    },
    "t.View": { kind: "entity", projection: { from: { ref: ["t.Books"] } } },
  },
};
const TOGGLE: Csn = {
  definitions: {
    "t.Pages": {
      kind: "entity",
      elements: {
        no: { key: true, type: "cds.Integer" },
        book: { key: true, type: "cds.Association", target: "t.Books", keys: [{ ref: ["ID"] }] },
      },
    },
  },
  extensions: [{
    extend: "t.Books",
    elements: {
      stock: { type: "cds.Integer", default: { val: 7 } },
      pages: {
        type: "cds.Composition",
        target: "t.Pages",
        cardinality: { max: "*" },
        on: [{ ref: ["pages", "book"] }, "=", { ref: ["$self"] }],
      },
    },
  }],
};

/** Creates an engine. */
export type ToggledDatabaseUnderTest = (
  options: Pick<DatabaseOptions, "model" | "modelOf">,
) => Database | Promise<Database>;

/**
 * Registers the suite for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 */
export function testDatabaseToggles(name: string, create: ToggledDatabaseUnderTest): void {
  Deno.test(`${name}: reads see the model of their context, writes follow that of the tables`, async () => {
    const base = linkModel(BASE);
    const model = linkModel(withToggles({ model: BASE, toggles: { toggle: TOGGLE } }));
    const db = await create({ model, modelOf: ({ features }) => features.has("toggle") ? model : base });
    const run = async (query: Query, ...features: string[]) => {
      const tx = db.begin(new EventContext({ features: new Set(features) }));
      try {
        const result = await tx.run(query);
        await tx.commit();
        return JSON.parse(JSON.stringify(result));
      } catch (error) {
        await tx.rollback();
        throw error;
      }
    };
    const all = (entity: string): Query => Object.freeze({ SELECT: { from: { ref: [entity] } } });
    try {
      await db.deploy(new Map());
      await run({ INSERT: { into: { ref: ["t.Books"] }, entries: [{ ID: 1, title: "a" }] } });
      const pages = [{ no: 1 }, { no: 2 }];
      await run(
        { INSERT: { into: { ref: ["t.Books"] }, entries: [{ ID: 2, title: "b", pages }] } },
        "toggle",
      );
      for (const entity of ["t.Books", "t.View"]) {
        // the same template in both models, in turn
        const query = all(entity);
        for (let turn = 0; turn < 2; turn++) {
          assert.deepEqual(await run(query), [{ ID: 1, title: "a" }, { ID: 2, title: "b" }]);
          assert.deepEqual(await run(query, "toggle"), [
            { ID: 1, title: "a", stock: 7 },
            { ID: 2, title: "b", stock: 7 },
          ]);
        }
      }
      const hidden: Query = { SELECT: { from: { ref: ["t.Books"] }, columns: [{ ref: ["stock"] }] } };
      await assert.rejects(run(hidden));
      await run({
        UPDATE: {
          entity: { ref: ["t.Books"] },
          data: { title: "c" },
          where: [{ ref: ["ID"] }, "=", { val: 2 }],
        },
      });
      assert.equal((await run(all("t.Pages"), "toggle")).length, 2);
      await run({ DELETE: { from: { ref: ["t.Books"] }, where: [{ ref: ["title"] }, "=", { val: "c" }] } });
      // children that the context does not see go with their parent
      assert.deepEqual(await run(all("t.Pages"), "toggle"), []);
    } finally {
      await db.close();
    }
  });
}

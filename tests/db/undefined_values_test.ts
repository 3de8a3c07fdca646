/**
 * Members of conditions that are undefined, where they are let pass: no row has them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setPassUndefined } from "../../src/cqn/builders/entity_argument.ts";
import { DELETE, SELECT } from "../../mod.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel({
  definitions: {
    Books: {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, title: { type: "cds.String" } },
    },
  },
});

const CONDITIONS: readonly object[] = [
  { title: undefined },
  { ID: 1, title: undefined },
  { not: { title: undefined } },
  { title: { "=": undefined } },
  { title: { "!=": undefined } },
  { ID: [1, undefined] },
  { ID: { in: [1, undefined] } },
  { ID: { between: 0, and: undefined } },
];

Deno.test("members of conditions that are undefined are met by no row, by all engines", async () => {
  setPassUndefined(() => true);
  try {
    for (const database of await createAllEngines(MODEL)) {
      await database.deploy(new Map([["Books", [{ ID: 1, title: "Emma" }, { ID: 2, title: null }]]]));
      const tx = database.begin(new EventContext());
      for (const condition of CONDITIONS) {
        const read = SELECT.from("Books").where(condition as never);
        assert.deepEqual(await tx.run(read as never), [], JSON.stringify(condition));
        assert.equal(await tx.run(DELETE.from("Books").where(condition as never) as never), 0);
      }
      const either = { or: [{ ID: 1 }, { title: undefined }] };
      assert.deepEqual(await tx.run(SELECT.from("Books").columns("ID").where(either as never) as never), [
        { ID: 1 },
      ]);
      await tx.commit();
      await database.close();
    }
  } finally {
    setPassUndefined(() => false);
  }
});

/** Parts that a query asks for by conditions of its own, not by the row of a query around it (auth 7). */

import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import type { Query, RefStep } from "../../../src/cqn/cqn.ts";
import { withApp } from "../../data/app.ts";

const MODEL = `service Test {
  @restrict: [{ grant: 'READ', where: (owner = $user) }, { to: 'boss' }]
  entity Wholes { key ID : Integer; owner : String; parts : Composition of many { key pos : Integer; text : String; }; }
}`;

Deno.test("parts are read by themselves only by those who may read all wholes, by whatever condition they are found", () =>
  withApp({
    model: MODEL,
    rows: {
      "Test.Wholes": [{ ID: 1, owner: "ada" }, { ID: 2, owner: "bob" }],
      "Test.Wholes.parts": [{ up__ID: 1, pos: 1, text: "a" }, { up__ID: 2, pos: 1, text: "b" }],
    },
  }, async (app) => {
    const partsOf = (user: User, step: RefStep): Promise<unknown> => {
      const query: Query = { SELECT: { from: { ref: [step] }, columns: [{ ref: ["text"] }] } };
      return app.runtime.services.Test!.tx({ user }, (tx) => tx.run(query));
    };
    const id = "Test.Wholes.parts";
    const steps: readonly RefStep[] = [
      id,
      { id, where: [{ ref: ["pos"] }, "=", { val: 1 }] },
      { id, where: [{ ref: ["pos"] }, "=", { ref: ["pos"] }] },
    ];
    for (const step of steps) {
      await assert.rejects(partsOf(new User({ id: "ada" }), step), { code: "403" }, JSON.stringify(step));
      const all = await partsOf(new User({ id: "eva", roles: ["boss"] }), step);
      assert.deepEqual(all, [{ text: "a" }, { text: "b" }]);
    }
  }));

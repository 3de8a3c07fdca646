import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { withApp } from "../../data/app.ts";

Deno.test("rows are left out at the beginning and at the end, each with or without the other (csn-cqn 3)", () =>
  withApp({
    model: "service Test { entity E { key ID : Integer; } }",
    rows: { "Test.E": [1, 2, 3].map((ID) => ({ ID })) },
    database: "memory",
  }, async ({ runtime }) => {
    const ids = async (limit: object) => {
      const select = { from: { ref: ["Test.E"] }, orderBy: [{ ref: ["ID"] }], limit };
      return (await runtime.db!.run({ SELECT: select }) as Row[]).map(({ ID }) => ID);
    };
    assert.deepEqual(await ids({}), [1, 2, 3]);
    assert.deepEqual(await ids({ offset: { val: 1 } }), [2, 3]);
    assert.deepEqual(await ids({ offset: { val: 0 } }), [1, 2, 3]);
    assert.deepEqual(await ids({ rows: { val: 1 } }), [1]);
    assert.deepEqual(await ids({ rows: { val: 1 }, offset: { val: 1 } }), [2]);
    assert.deepEqual(await ids({ rows: { val: 9 }, offset: { val: 2 } }), [3]);
  }));

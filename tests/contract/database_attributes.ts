/**
 * Attributes of the user in conditions.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Xo } from "../../src/cqn/cqn.ts";
import { column, expectError, type Fixture, type Test } from "./database_fixture.ts";

/**
 * Registers the tests for an engine.
 *
 * @param test registers one
 */
export function testAttributes(test: Test): void {
  test("an attribute of the user means any of its values", async ({ rows }) => {
    assert.deepEqual(await idsOf(rows, { ref: ["address", "city"] }, "=", { ref: ["$user", "city"] }), [1]);
  });
  test("what is calculated of an attribute of the user is one value (auth 7)", async ({ rows }) => {
    const town = { ref: ["$user", "town"] };
    const ids = (...where: Xo[]) => idsOf(rows, ...where);
    const [home, x] = [{ ref: ["address", "city"] }, { val: "x" }];
    assert.deepEqual(await ids(home, "=", town, "||", x), []);
    assert.deepEqual(await ids(x, "||", town, "=", home), []);
    assert.deepEqual(await ids(home, "||", x, "=", town, "||", x), [1]);
    assert.deepEqual(await ids(town, "||", x, "=", home, "||", x), [1]);
  });
  test("an attribute in a list stands for all of its values, elsewhere it has one (auth 7)", async ({ rows }) => {
    const ids = (...where: Xo[]) => idsOf(rows, ...where);
    const [id, some] = [{ ref: ["ID"] }, { ref: ["$user", "authors"] }];
    assert.deepEqual(await ids(id, "in", { list: [{ val: 1 }, some] }), [1, 2]);
    assert.deepEqual(await ids(id, "not", "in", { list: [{ val: 1 }, some] }), [3]);
    assert.deepEqual(await ids(id, "not", "in", { list: [some, { val: 3 }] }), [1]);
    await expectError(ids(id, "<", some), 403);
    await expectError(ids("not", { xpr: [{ ref: ["name"] }, "like", some] }), 403);
  });
}

/** The authors that meet a condition. */
async function idsOf(rows: Fixture["rows"], ...where: Xo[]): Promise<readonly unknown[]> {
  const found = await rows({ from: { ref: ["my.Authors"] }, columns: [column("ID")], where });
  return found.map((row) => row.ID);
}

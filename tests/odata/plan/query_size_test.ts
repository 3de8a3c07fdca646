import assert from "node:assert/strict";
import { assertSize } from "../../../src/odata/plan/options/query_size.ts";

Deno.test("assertSize() counts objects and lists, at any depth and wherever they are shared (queryNodes)", () => {
  const ref = { ref: ["title"] };
  const nodes = [{ xpr: [ref, "=", ref] }, undefined]; // an object, a list, and twice an object with a list
  assertSize(nodes, 6);
  assert.throws(() => assertSize(nodes, 5), { status: 400 });
});

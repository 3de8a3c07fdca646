import assert from "node:assert/strict";
import { deepFreeze } from "../../src/util/deep_freeze.ts";

Deno.test("deepFreeze() freezes plain objects and arrays at any depth, and gives the same value", () => {
  const bare = Object.assign(Object.create(null), { inner: {} });
  const value = { list: [{ a: 1 }], bare };
  assert.equal(deepFreeze(value), value);
  for (const one of [value, value.list, value.list[0], bare, bare.inner]) assert.ok(Object.isFrozen(one));
});

Deno.test("deepFreeze() leaves objects of classes, and what is no object", () => {
  const date = new Date(0);
  const map = new Map();
  const bare = Object.setPrototypeOf(() => {}, null);
  deepFreeze({ date, map, bare });
  assert.deepEqual([date, map, bare].map(Object.isFrozen), [false, false, false]);
  for (const value of [null, undefined, 1, "a", false]) assert.equal(deepFreeze(value), value);
});

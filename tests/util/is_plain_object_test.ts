import assert from "node:assert/strict";
import { isPlainObject, mergeDeep } from "../../src/util/is_plain_object.ts";

Deno.test("isPlainObject() takes objects of no class, mergeDeep() merges them and nothing else", () => {
  for (const value of [{}, Object.create(null)]) assert.equal(isPlainObject(value), true);
  for (const value of [null, [], new Date(0), new Map(), "a", undefined, () => {}]) {
    assert.equal(isPlainObject(value), false);
  }
  const given = { a: { b: 1, c: [1] }, d: { e: 1 }, f: 1 };
  const merged = mergeDeep(given, { a: { c: [2], g: null }, d: 2, f: { h: 1 }, i: undefined });
  assert.deepEqual(merged, { a: { b: 1, c: [2], g: null }, d: 2, f: { h: 1 } });
  assert.deepEqual(given, { a: { b: 1, c: [1] }, d: { e: 1 }, f: 1 });
  const foreign = mergeDeep(JSON.parse('{"__proto__": {"x": 1}, "a": 1}'));
  assert.deepEqual([foreign, "x" in foreign], [{ a: 1 }, false]);
});

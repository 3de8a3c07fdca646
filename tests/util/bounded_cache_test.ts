import assert from "node:assert/strict";
import { BoundedCache } from "../../src/util/bounded_cache.ts";

Deno.test("a bounded cache keeps the values used last", () => {
  const cache = new BoundedCache<string, number>(3);
  for (const [at, key] of ["a", "b", "c"].entries()) cache.set(key, at);
  assert.equal(cache.get("a"), 0);
  cache.set("b", 7);
  cache.set("d", 3);
  assert.deepEqual(["a", "b", "c", "d"].map((key) => cache.get(key)), [0, 7, undefined, 3]);
  assert.equal(cache.size, 3);
  cache.delete("a");
  assert.deepEqual([cache.get("a"), cache.size], [undefined, 2]);
});

Deno.test("a value that is set again replaces no other, and a cache of none keeps none", () => {
  const cache = new BoundedCache<string, number>(2);
  for (const key of ["a", "b", "b", "b"]) cache.set(key, 1);
  assert.deepEqual([cache.size, cache.get("a")], [2, 1]);
  const none = new BoundedCache<string, number>(0);
  none.set("a", 1);
  assert.deepEqual([none.size, none.get("a")], [0, undefined]);
});

import assert from "node:assert/strict";
import { addAll, appended } from "../../src/util/add_all.ts";
import { callableMap } from "../../src/util/callable_map.ts";
import { contentTag } from "../../src/util/content_tag.ts";
import { isTenantId } from "../../src/util/is_tenant_id.ts";
import { unqualified } from "../../src/util/unqualified.ts";

Deno.test("addAll() adds more items than a stack holds, in their order", () => {
  const list = [0];
  addAll(list, Array.from({ length: 200_000 }, (_, index) => index + 1));
  assert.deepEqual([list.length, list[1], list.at(-1)], [200_001, 1, 200_000]);
});

Deno.test("appended() gives another list with one more", () => {
  for (const list of [[], [1], [1, 2], [1, 2, 3]]) {
    const before = [...list];
    assert.deepEqual(appended<number>(list, 9), [...before, 9]);
    assert.deepEqual(list, before);
  }
});

Deno.test("unqualified() is what stands behind the last dot", () => {
  assert.deepEqual(["sap.common.Countries", "Books", "", "a."].map(unqualified), [
    "Countries",
    "Books",
    "",
    "",
  ]);
});

Deno.test("isTenantId() takes 64 letters, digits, and signs that do not stand first", () => {
  for (const id of ["a", "0", "t-1", "A_b.c-d", "x".repeat(64)]) assert.equal(isTenantId(id), true, id);
  for (
    const id of ["", "-a", ".a", "_a", "a/b", "a b", "ä", "a\n", "x".repeat(65), 1, null, undefined, ["a"]]
  ) {
    assert.equal(isTenantId(id), false, String(id));
  }
});

Deno.test("contentTag() is the SHA-256 of the content, so it can stand in an entity tag", () => {
  assert.equal(contentTag(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  assert.equal(contentTag("ä"), contentTag("ä"));
  assert.notEqual(contentTag("a"), contentTag("b"));
});

Deno.test("callableMap() has its values as only properties, is iterable over them, and can be called", () => {
  const map = callableMap<number, string, string>(
    { name: 1, call: 2 },
    (argument = "none") => `called ${argument}`,
  );
  assert.deepEqual([map("x"), map()], ["called x", "called none"]);
  assert.deepEqual([Object.keys(map), [...map]], [["name", "call"], [1, 2]]);
  assert.deepEqual([map.name, map.call, map.length, map.apply], [1, 2, undefined, undefined]);
});

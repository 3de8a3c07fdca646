import assert from "node:assert/strict";
import { nearestName } from "../../src/util/nearest_name.ts";

Deno.test("nearestName() proposes names that differ in few letters only (design 6, rejections)", () => {
  const known = ["Books", "Authors", "Map", "title"];
  for (
    const [name, nearest] of [
      ["Book", "Books"],
      ["auhtors", "Authors"],
      ["titel", "title"],
      ["Mop", "Map"],
      ["Bks", "Books"],
      ["Bar", undefined],
      ["Ttl", "title"],
      ["Tot", undefined],
      ["Publishers", undefined],
    ] as const
  ) assert.equal(nearestName(name, known), nearest, name);
});

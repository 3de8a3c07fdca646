import assert from "node:assert/strict";
import { editDistance, nearestName } from "../../src/util/nearest_name.ts";

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

Deno.test("nearestName() takes the nearest of several, the first of equals, and one letter of short names", () => {
  for (
    const [name, known, nearest] of [
      ["title", ["titles", "title"], "title"],
      ["title", ["title", "titles"], "title"],
      ["titlx", ["title", "titls"], "title"],
      ["id", ["ID"], "ID"],
      ["ix", ["ID"], "ID"],
      ["xy", ["ID"], undefined],
      ["i", ["ID"], "ID"],
      ["i", ["x"], "x"],
      ["i", ["xyz"], undefined],
      ["", ["x"], "x"],
      ["", ["xy"], undefined],
      ["abc", ["abxyz"], undefined],
      ["abc", ["abcde"], "abcde"],
      ["abc", ["a"], undefined],
      ["abcde", ["abcxy"], "abcxy"],
      ["abcde", ["abxyz"], undefined],
      ["abcdef", ["abcxyz"], "abcxyz"],
      ["abcdef", ["abcdefghi"], "abcdefghi"],
      ["abcdef", ["abcdefghij"], undefined],
      ["abcdef", ["abwxyz"], undefined],
      ["abcdef", ["abc"], "abc"],
      ["abcdef", ["ab"], undefined],
      ["abc", [], undefined],
    ] as const
  ) assert.equal(nearestName(name, known), nearest, `${name} of ${known.join()}`);
});

Deno.test("editDistance() counts letters that are put in, left out and replaced", () => {
  for (
    const [a, b, distance] of [
      ["", "", 0],
      ["", "abc", 3],
      ["abc", "", 3],
      ["abc", "abc", 0],
      ["abc", "axc", 1],
      ["abc", "ac", 1],
      ["ac", "abc", 1],
      ["abc", "cab", 2],
      ["ab", "ba", 2],
      ["kitten", "sitting", 3],
      ["sunday", "saturday", 3],
      ["Abc", "abc", 1],
    ] as const
  ) assert.equal(editDistance(a, b), distance, `${a} ${b}`);
});

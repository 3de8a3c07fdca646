import assert from "node:assert/strict";
import { pairsOf } from "../../src/odata/resources/hierarchy_nodes.ts";

const TREE = new Map<string, string | null>([["a", null], ["b", "a"], ["c", "b"], ["d", "nowhere"], [
  "e",
  "e",
]]);

const textsOf = (reach: Parameters<typeof pairsOf>[2]) =>
  pairsOf(TREE, 100, reach)!.map(({ node, below }) => `${node} ${below}`).sort();

Deno.test("pairs of nodes are those of a path from a root, up to a distance (Aggregation 5.5.2.1)", () => {
  assert.deepEqual(textsOf({}), ["a b", "a c", "b c"]);
  assert.deepEqual(textsOf({ distance: 1 }), ["a b", "b c"]);
  assert.deepEqual(textsOf({ keepStart: true }), ["a a", "a b", "a c", "b b", "b c", "c c", "d d"]);
});

Deno.test("more pairs than the limit are none (odata-limits)", () => {
  assert.equal(pairsOf(TREE, 6, { keepStart: true }), undefined);
  assert.equal(pairsOf(TREE, 7, { keepStart: true })!.length, 7);
});

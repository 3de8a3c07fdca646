import assert from "node:assert/strict";
import { pairsOf, topLevels } from "../../src/odata/resources/hierarchy_nodes.ts";

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

Deno.test("nodes of the first levels, and what is shown more or less below single ones (Hierarchy.TopLevels)", () => {
  const parents: Record<string, string | null> = {
    a: null,
    b: "a",
    c: "b",
    d: "c",
    e: "b",
    f: "a",
    g: null,
    h: "g",
  };
  const tree = new Map(Object.entries({ ...parents, i: "nowhere", j: "i", x: "y", y: "x" }));
  type Below = Readonly<Record<string, number | null>>;
  const nodes = (levels?: number, below: Below = {}, shown: readonly string[] = []) => {
    const changes = Object.entries(below).map(([node, below]) => ({ node, below }));
    return topLevels(tree, { levels, changes: { levels: changes, shown } }).join("");
  };
  assert.equal(nodes(), "abcdefghij");
  assert.equal(nodes(1), "agi");
  assert.equal(nodes(2), "abfghij");
  assert.equal(nodes(3), "abcefghij");
  assert.equal(nodes(1, { a: 1 }), "abfgi");
  assert.equal(nodes(1, { a: 2 }), "abcefgi");
  assert.equal(nodes(1, { a: null }), "abcdefgi");
  assert.equal(nodes(1, { a: 1, b: 1 }), "abcefgi");
  assert.equal(nodes(1, { b: 1 }), "agi", "below a node that is not shown");
  assert.equal(nodes(undefined, { a: 0 }), "aghij");
  assert.equal(nodes(undefined, { a: 0, b: 1 }), "aghij");
  assert.equal(nodes(undefined, { c: 0, g: 0 }), "abcefgij");
  assert.equal(nodes(1, {}, ["d"]), "abcdgi", "with the way to them");
  assert.equal(nodes(1, {}, ["d", "c", "h"]), "abcdghi");
  assert.equal(nodes(1, { g: 1 }, ["b", "j", "nothing", "x"]), "abghij");
});

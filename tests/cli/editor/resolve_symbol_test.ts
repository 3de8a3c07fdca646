/** What names in a model mean, while it is typed. */

import assert from "node:assert/strict";
import { occurrencesIn } from "../../../src/cli/editor/resolve_symbol.ts";
import { Workspace } from "../../../src/cli/editor/workspace.ts";

/** The meanings of the names in a source, with elements behind colons. */
function meanings(text: string): readonly string[] {
  const workspace = new Workspace("/nowhere");
  workspace.change("/nowhere/a.cds", text);
  workspace.check();
  return occurrencesIn(workspace, workspace.source("/nowhere/a.cds")!).map(({ token, meaning }) =>
    `${token.text} = ${meaning.name}${meaning.element === undefined ? "" : `:${meaning.element}`}`
  );
}

Deno.test("projections that lead back to themselves have no further elements", () => {
  assert.deepEqual(meanings("entity A as projection on A { x };"), ["A = A", "A = A"]);
  assert.deepEqual(
    meanings("entity A as projection on B { x }; entity B as projection on A { x };"),
    ["A = A", "B = B", "B = B", "A = A"],
  );
});

Deno.test("names of a projection are elements of what it is a projection on", () => {
  assert.deepEqual(
    meanings("entity A { key x : Integer; } entity B as projection on A; entity C as select from B { x };"),
    ["A = A", "x = A:x", "B = B", "A = A", "C = C", "B = B", "x = A:x"],
  );
  assert.deepEqual(
    meanings("entity A { key x : Integer; b : Association to B; } entity B as projection on A { b.x };")
      .slice(-2),
    ["b = A:b", "x = A:x"],
    "along an association back to the projection",
  );
});

Deno.test("elements are known up to the end of what has them, which brackets are a part of, and not behind it", () => {
  assert.deepEqual(
    meanings("entity A { x : Integer; y : Integer; } entity B as projection on A { x } where y = 1;").slice(
      -2,
    ),
    ["x = A:x", "y = A:y"],
  );
  assert.deepEqual(
    meanings("entity A { x : Integer; }; type x : String; type B : x; entity C { z : Integer; y : x; };"),
    ["A = A", "x = A:x", "x = x", "B = B", "x = x", "C = C", "z = C:z", "y = C:y", "x = x"],
  );
});

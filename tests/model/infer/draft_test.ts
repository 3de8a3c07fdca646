import assert from "node:assert/strict";
import {
  type DraftElement,
  isAssociation,
  isToMany,
  isView,
  suggestion,
} from "../../../src/model/infer/draft.ts";

Deno.test("an element with a target, an aspect as target, or a type of associations is one of them", () => {
  const isOne = (element: object) => isAssociation(element as DraftElement);
  for (
    const element of [{ target: "A" }, { targetAspect: "A" }, { type: "cds.Association" }, {
      type: "cds.Composition",
    }]
  ) assert.equal(isOne(element), true, JSON.stringify(element));
  for (const element of [{}, { type: "cds.Integer" }, { elements: {} }]) {
    assert.equal(isOne(element), false, JSON.stringify(element));
  }
});

Deno.test("an association leads to many rows where at most more than one is said", () => {
  const many = [undefined, {}, { max: 0 }, { max: 1 }, { max: 2 }, { max: "*" as const }].map((cardinality) =>
    isToMany({ ...(cardinality && { cardinality }) })
  );
  assert.deepEqual(many, [false, false, false, false, true, true]);
});

Deno.test("definitions with a query or a projection are views, and unknown names are told the nearest", () => {
  const views = [{}, { query: {} }, { projection: {} }].map((one) =>
    isView(one as Parameters<typeof isView>[0])
  );
  assert.deepEqual(views, [false, true, true]);
  assert.equal(suggestion("Bok", ["Author", "Book"]), ', did you mean "Book"?');
  assert.equal(suggestion("Bok", []), "");
});

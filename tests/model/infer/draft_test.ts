import assert from "node:assert/strict";
import {
  type DraftElement,
  isAssociation,
  isToMany,
  isView,
  suggestion,
} from "../../../src/model/infer/draft.ts";
import type { Csn, CsnDefinition } from "../../../src/model/csn.ts";
import { inferModel } from "../../../src/model/infer_model.ts";

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

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

Deno.test("a model that is inferred stays as it was in all its parts, whose copies are completed", () => {
  const t = { type: "T" };
  const part = { elements: { t } };
  const operation = { kind: "action", params: { t, many: { items: t } }, returns: { items: part } } as const;
  const ID = { key: true, type: "cds.Integer" } as const;
  const csn: Csn = {
    definitions: {
      T: { kind: "type", type: "cds.String", length: 9 },
      Many: { kind: "type", items: part },
      E: {
        kind: "entity",
        elements: {
          ID,
          t,
          s: part,
          i: { items: part },
          parts: {
            type: "cds.Composition",
            cardinality: { max: "*" },
            targetAspect: { elements: { key: ID, t } },
          },
        },
        actions: { act: { ...operation } },
      },
      V: { kind: "entity", params: { p: t }, projection: { from: { ref: ["E"] } } },
      act: { ...operation },
      untold: { elements: { t } } as CsnDefinition,
    },
  };
  const before = JSON.stringify(csn);
  const { definitions } = inferModel(frozen(csn));
  assert.equal(JSON.stringify(csn), before);
  const { Many, E, V, act, untold } = JSON.parse(JSON.stringify(definitions));
  const whole = { type: "T", length: 9 };
  const completed = [
    Many.items.elements.t,
    E.elements.t,
    E.elements.s.elements.t,
    E.elements.i.items.elements.t,
    definitions!["E.parts"].elements!.t,
    ...[E.actions.act, act].flatMap(({ params, returns }) => [
      params.t,
      params.many.items,
      returns.items.elements.t,
    ]),
    V.params.p,
    untold.elements.t,
  ];
  for (const [index, one] of completed.entries()) assert.deepEqual({ ...one }, whole, String(index));
  assert.equal(untold.kind, "type");
});

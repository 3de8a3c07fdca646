import assert from "node:assert/strict";
import type { Expression } from "../../src/cqn/cqn.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import type { CsnElement } from "../../src/model/csn.ts";

const ref = (path: string): Expression => ({ ref: path.split(".") });

/** Type and facets of a view column with the expression. */
function typed(expression: Expression): unknown {
  const csn = inferModel({
    definitions: {
      A: {
        kind: "entity",
        elements: {
          ID: { key: true, type: "cds.Integer" },
          name: { type: "cds.String", length: 9, "@title": "N" },
          price: { type: "cds.Decimal", precision: 9, scale: 2 },
        },
      },
      V: { kind: "entity", projection: { from: { ref: ["A"] }, columns: [{ ...expression, as: "x" }] } },
    },
  });
  const { "@Core.Computed": computed, ...rest } = csn.definitions!.V.elements!.x;
  assert.equal(computed, true);
  return rest;
}

Deno.test("inferModel() tells the types of literals, functions and operators without cast", () => {
  assert.deepEqual(typed({ val: "a" }), { type: "cds.String" });
  assert.deepEqual(typed({ val: 1 }), { type: "cds.Integer" });
  assert.deepEqual(typed({ val: true }), { type: "cds.Boolean" });
  assert.deepEqual(typed({ func: "count", args: ["*"] }), { type: "cds.Int64" });
  assert.deepEqual(typed({ func: "max", args: [ref("name")] }), { type: "cds.String", length: 9 });
  assert.deepEqual(typed({ xpr: [ref("name"), "||", { val: "!" }] }), { type: "cds.String" });
  assert.deepEqual(typed({ xpr: [ref("ID"), ">", { val: 1 }] }), { type: "cds.Boolean" });
  assert.deepEqual(typed({ xpr: [ref("ID"), "+", { val: 1 }] }), { type: "cds.Integer" });
  assert.deepEqual(typed({ xpr: [ref("ID"), "*", ref("price")] }), { type: "cds.Decimal" });
  assert.deepEqual(
    typed({ xpr: ["case", "when", ref("ID"), "=", { val: 1 }, "then", { val: "a" }, "end"] }),
    {
      type: "cds.String",
    },
  );
  assert.deepEqual(typed({ func: "something", args: [] }), {});
});

Deno.test("inferModel() types calculated elements, also as associations with a filter", () => {
  const elements: Record<string, CsnElement> = {
    ID: { key: true, type: "cds.Integer" },
    name: { type: "cds.String", length: 9 },
    nick: { value: ref("name") },
    homes: {
      type: "cds.Association",
      cardinality: { max: "*" },
      target: "H",
      on: [{ ref: ["homes", "owner"] }, "=", { ref: ["$self"] }],
    },
    home: {
      value: { ref: [{ id: "homes", cardinality: { max: 1 }, where: [ref("main"), "=", { val: true }] }] },
    },
  };
  const { P } = inferModel({
    definitions: {
      P: { kind: "entity", elements },
      H: {
        kind: "entity",
        elements: {
          ID: { key: true, type: "cds.Integer" },
          main: { type: "cds.Boolean" },
          owner: { type: "cds.Association", target: "P" },
        },
      },
    },
  }).definitions!;
  assert.equal(P.elements!.nick.length, 9);
  assert.equal(P.elements!.nick["@Core.Computed"], true);
  assert.deepEqual(JSON.parse(JSON.stringify(P.elements!.home)), {
    type: "cds.Association",
    cardinality: { max: 1 },
    target: "H",
    on: [
      { xpr: [{ ref: ["home", "owner"] }, "=", { ref: ["$self"] }] },
      "and",
      { xpr: [{ ref: ["home", "main"] }, "=", { val: true }] },
    ],
  });
});

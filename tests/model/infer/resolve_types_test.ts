import assert from "node:assert/strict";
import { parseColumns, parseExpression } from "../../../src/cqn/parse_cql.ts";
import type { Expression } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import type { DraftElement } from "../../../src/model/infer/draft.ts";
import { expressionType } from "../../../src/model/infer/resolve_types.ts";
import { problemsOf } from "./problems_of.ts";

const ELEMENTS: Readonly<Record<string, DraftElement>> = {
  n: { type: "cds.Integer" },
  l: { type: "cds.Int64" },
  d: { type: "cds.Decimal", precision: 9, scale: 2 },
  f: { type: "cds.Double" },
  t: { type: "cds.String", length: 9 },
  b: { type: "cds.Boolean", "@title": "B" },
  s: { elements: { x: { type: "cds.Integer" } } },
  m: { items: { type: "cds.String" } },
  to: { type: "cds.Association", target: "T" },
};

/** The type of an expression, and its facets. */
function typed(expression: Expression | string): string {
  const parsed = typeof expression === "string"
    ? parseColumns(`${expression} as x`)[0] as Expression
    : expression;
  const { type, length, precision, scale, ...rest } = expressionType(
    parsed,
    (steps) => ELEMENTS[steps.join(".")],
  );
  const facets = [length, precision, scale].filter((facet) => facet !== undefined);
  return [String(type).replace("cds.", ""), ...facets, ...Object.keys(rest)].join(" ");
}

Deno.test("an expression has the type of what it calculates, and none where that cannot be told [csn-cqn 3]", () => {
  const cases: readonly (readonly [expression: string, type: string])[] = [
    ["1", "Integer"],
    ["1.5", "Decimal"],
    ["'a'", "String"],
    ["true", "Boolean"],
    ["null", "undefined"],
    ["x'0f'", "Binary"],
    ["date'2020-01-01'", "Date"],
    ["t", "String 9"],
    ["d", "Decimal 9 2"],
    ["b", "Boolean"],
    ["s", "undefined elements"],
    ["m", "undefined items"],
    ["to", "undefined"],
    ["nope", "undefined"],
    ["$now", "Timestamp"],
    ["$user.id", "String"],
    ["$tenant", "String"],
    ["n + 1", "Integer"],
    ["l - n", "Int64"],
    ["n / 2", "Decimal"],
    ["n * d", "Decimal"],
    ["d / d", "Decimal"],
    ["n + f", "Double"],
    ["f / n", "Double"],
    ["d + f", "Double"],
    ["n + t", "undefined"],
    ["f + t", "Double"],
    ["n + nope", "undefined"],
    ["-n", "Integer"],
    ["-d", "Decimal"],
    ["-f", "Double"],
    ["t || 'x'", "String"],
    ["case when b then t else 'x' end", "String 9"],
    ["case when b then 1 else t end", "Integer"],
    ["cast(n as String)", "Integer"],
    ["count(*)", "Int64"],
    ["max(t)", "String 9"],
    ["min(d)", "Decimal 9 2"],
    ["sum(n)", "Integer"],
    ["avg(f)", "Double"],
    ["avg(n)", "Decimal"],
    ["average(d)", "Decimal"],
    ["coalesce(t, 'x')", "String 9"],
    ["round(d)", "Decimal 9 2"],
    ["floor(f)", "Double"],
    ["length(t)", "Integer"],
    ["upper(t)", "String"],
    ["contains(t, 'x')", "Boolean"],
    ["string_agg(t, ',')", "String"],
    ["current_date()", "Date"],
    ["something(n)", "undefined"],
    ["max()", "undefined"],
    ["max(*)", "undefined"],
  ];
  assert.deepEqual(cases.map(([expression]) => [expression, typed(expression)]), cases);
  const call: Expression = { xpr: [{ ref: ["t"] }, ".", { func: "length", args: [] }] };
  assert.equal(typed(call), "undefined", "calls of methods are told elsewhere");
  const conditions = ["not b", "n = 1", "n in (1, 2)", "t like 'x%'", "n between 1 and 2", "exists to"];
  for (const condition of conditions) {
    assert.equal(typed({ xpr: parseExpression(condition) }), "Boolean", condition);
  }
});

Deno.test("elements of types, of parts and of items have the facets of their types [csn-cqn 3]", () => {
  const { definitions } = inferModel(parseCdl(`
    type T : String(9);
    type U : T;
    entity E {
      key id : Integer;
      parts : Composition of many { key id : Integer; t : U; s { t : T; } };
      list : many { t : T };
      first : type of second; second : type of third; third : type of fourth; fourth : T;
    }
    type A : Composition of many { key t : U; };
    service S {
      event V { t : U; }
      function f(t : T) returns T;
      entity P as projection on E { id } actions { action a(t : T) returns T; };
    }`));
  const { E, A } = definitions!;
  const aspect = (target: unknown) =>
    (target as Csn["definitions"] & { elements: Record<string, DraftElement> }).elements;
  const { "S.V": V, "S.f": f, "S.P": P } = definitions!;
  const { a } = P!.actions as unknown as Record<string, typeof f>;
  const found = {
    parts: aspect(E!.elements!.parts.targetAspect).t,
    structure: aspect(E!.elements!.parts.targetAspect).s.elements!.t,
    list: E!.elements!.list.items!.elements!.t,
    chain: E!.elements!.first,
    type: aspect(A!.targetAspect).t,
    event: V!.elements!.t,
    parameter: f!.params!.t,
    result: f!.returns!,
    parameterOfAction: a!.params!.t,
    resultOfAction: a!.returns!,
  };
  for (const [name, element] of Object.entries(found)) assert.equal(element.length, 9, name);
});

Deno.test("types that are not there or lead back to themselves are told, but for those of remote services", () => {
  const cases: readonly (readonly [text: string, ...problems: string[]])[] = [
    ["entity E { key id : Nope; }", 'Unknown type "Nope" in "E"'],
    ["@cds.external entity E { key id : Nope; }"],
    [
      "entity E { key id : type of F:x; } entity F { key y : Integer; }",
      'Unknown type "F.x" in "E": unknown element "x"',
    ],
    ["@cds.external entity E { key id : type of F:x; } entity F { key y : Integer; }"],
    ["type T : U; type U : T; entity E { key id : T; }", 'Cyclic type in "T"'],
    ["entity E { key id : Integer; l : many { x : Nope; }; }", 'Unknown type "Nope" in "E"'],
    [
      "entity E { key id : Integer; parts : Composition of many { key x : Nope; }; }",
      'Unknown type "Nope" in "E"',
    ],
  ];
  assert.deepEqual(cases.map(([text]) => [text, ...problemsOf(text)]), cases);
  const chain = Array.from({ length: 250 }, (_, index) => `type T${index} : T${index + 1};`).join(" ");
  assert.deepEqual(problemsOf(`${chain} type T250 : String;`).slice(0, 1), [
    "More than 200 definitions build on each other",
  ]);
});

Deno.test("the prefix of built-in types may be left out, and elements that are calculated are told as such", () => {
  const { E } = inferModel({
    definitions: {
      E: {
        kind: "entity",
        elements: {
          id: { key: true, type: "Integer" },
          x: { type: "cds.Integer", value: { ref: ["id"] } },
          y: { type: "cds.Integer", value: { ref: ["id"] }, "@Core.Computed": false },
        },
      },
    },
  }).definitions!;
  const { id, x, y } = E!.elements!;
  assert.deepEqual([id.type, id["@Core.Computed"], x["@Core.Computed"], y["@Core.Computed"]], [
    ...["cds.Integer", undefined, true, false],
  ]);
});

import assert from "node:assert/strict";
import type { Csn, CsnDefinition } from "../../../src/model/csn.ts";
import { entityProblems, functionProblem } from "../../../src/model/warnings/definition_problems.ts";

const key = { key: true, type: "cds.Integer" };
const KEYLESS = 'has no key, so nobody can ask for one of its rows: expected "key" before an element';
const DEFINITIONS: NonNullable<Csn["definitions"]> = {
  "S": { kind: "service" },
  "S.inner": { kind: "context" },
  "R": { kind: "service", ...{ "@cds.external": true } },
  "ctx": { kind: "context" },
};

function problems(name: string, entity: object): readonly string[] {
  return entityProblems(name, { kind: "entity", ...entity } as CsnDefinition, DEFINITIONS);
}

Deno.test("entityProblems() finds entities of services without a key, but those of one row", () => {
  for (const name of ["S.A", "S.inner.A"]) {
    assert.deepEqual(problems(name, { elements: {} }), [KEYLESS], name);
  }
  for (const name of ["A", "ctx.A", "R.A", "T.A"]) assert.deepEqual(problems(name, {}), [], name);
  assert.deepEqual(problems("S.A", { elements: { id: key } }), []);
  assert.deepEqual(problems("S.A", { "@odata.singleton": true }), []);
  assert.deepEqual(problems("S.A", { "@cds.api.ignore": true }), []);
  assert.deepEqual(problems("S.A", { "@odata.singleton": false, "@cds.api.ignore": true }), [KEYLESS]);
  assert.deepEqual(problems("S.A", { kind: "type" }), []);
});

Deno.test("entityProblems() finds virtual keys and halves of periods of tables", () => {
  const virtual = { v: { ...key, virtual: true } };
  const said = 'has the virtual key "v", but virtual elements are not stored';
  assert.deepEqual(problems("A", { elements: { id: key, ...virtual } }), [said]);
  assert.deepEqual(problems("A", { elements: { v: { type: "cds.Integer", virtual: true } } }), []);
  const [from, to] = [{ a: { "@cds.valid.from": true } }, { b: { "@cds.valid.to": true } }];
  const half = (given: string, missing: string) => [`has ${given}, but no ${missing}: a period needs both`];
  assert.deepEqual(problems("A", { elements: from }), half("@cds.valid.from", "@cds.valid.to"));
  assert.deepEqual(problems("A", { elements: to }), half("@cds.valid.to", "@cds.valid.from"));
  assert.deepEqual(problems("A", { elements: { ...from, ...to } }), []);
  for (
    const view of [{ projection: { from: { ref: ["B"] } } }, { query: { SELECT: { from: { ref: ["B"] } } } }]
  ) {
    assert.deepEqual(problems("A", { elements: { ...virtual, ...from }, ...view }), []);
  }
});

Deno.test("functionProblem() finds names that are almost functions, and calls with too few arguments", () => {
  const cases: readonly (readonly [expression: object, said: string | undefined])[] = [
    [{ func: "lenght", args: [] }, 'Function "lenght" is unknown, did you mean "length"?'],
    [{ func: "my_function", args: [] }, undefined],
    [{ func: "$mod", args: [] }, undefined],
    [
      { func: "substring", args: [{ ref: ["a"] }] },
      'Function "substring" takes at least 2 arguments, but gets 1',
    ],
    [{ func: "SUBSTRING", args: [] }, 'Function "SUBSTRING" takes at least 2 arguments, but gets 0'],
    [{ func: "substring", args: [1, 2] }, undefined],
    [{ func: "substring", args: [1, 2, 3] }, undefined],
    [{ func: "substring", args: { a: 1 } }, undefined],
    [{ func: "substring" }, undefined],
    [{ func: "lower", args: [] }, undefined],
    [{ ref: ["lenght"] }, undefined],
    [{ func: 5 }, undefined],
  ];
  for (const [expression, said] of cases) {
    assert.equal(functionProblem(expression), said, JSON.stringify(expression));
  }
});

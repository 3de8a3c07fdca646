import assert from "node:assert/strict";
import type { Csn, CsnDefinition, CsnElement } from "../../src/model/csn.ts";
import { inferAddedElements, inferModel } from "../../src/model/infer_model.ts";

const ID = { key: true, type: "cds.Integer" } as const;

function infer(definitions: Record<string, CsnDefinition>, extensions: Csn["extensions"] = []) {
  return inferModel({ definitions, extensions }).definitions!;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function expectError(definitions: Record<string, CsnDefinition>, message: RegExp): void {
  assert.throws(() => infer(definitions), (error: Error) => {
    assert.equal(error.name, "ConfigurationError");
    assert.match(error.message, message);
    return true;
  });
}

Deno.test("inferModel() returns an inferred model as it is", () => {
  const csn: Csn = { definitions: { A: { kind: "entity", elements: { ID } } }, meta: { flavor: "inferred" } };
  assert.equal(inferModel(csn), csn);
});

Deno.test("inferModel() does not change its input and gives the same when run on its own result", () => {
  const csn: Csn = {
    definitions: {
      A: { kind: "entity", elements: { ID, name: { type: "cds.String", localized: true } } },
      S: { kind: "service" },
      "S.A": { kind: "entity", projection: { from: { ref: ["A"] } } },
    },
  };
  const before = JSON.stringify(csn);
  const once = inferModel(csn);
  assert.equal(JSON.stringify(csn), before);
  const { meta: _meta, ...unmarked } = once;
  assert.deepEqual(plain(inferModel(unmarked)), plain(once));
});

Deno.test("inferModel() copies the elements of includes before the own ones, of extends behind them", () => {
  const { A } = infer({
    Early: { kind: "aspect", "@early": 1, elements: { e: { type: "cds.String" } } },
    Late: { kind: "aspect", elements: { l: { type: "cds.Date" } } },
    A: { kind: "entity", includes: ["Early"], elements: { ID } },
  }, [{ extend: "A", includes: ["Late"] }]);
  assert.deepEqual(Object.keys(A.elements!), ["e", "ID", "l"]);
  assert.equal(A["@early"], 1);
  assert.deepEqual(A.includes, ["Early", "Late"]);
});

Deno.test("inferModel() applies extends before annotates, the later annotation wins", () => {
  const { A } = infer({ A: { kind: "entity", elements: { ID } } }, [
    { annotate: "A", "@t": 1, elements: { x: { "@u": "x" } } },
    { extend: "A", elements: { x: { type: "cds.String" } } },
    { annotate: "A", "@t": 2 },
  ]);
  assert.equal(A["@t"], 2);
  assert.equal(A.elements!.x["@u"], "x");
});

Deno.test("inferModel() annotates elements of a named structure at the one use of the type", () => {
  const { A, T } = infer({
    A: { kind: "entity", elements: { ID, t: { type: "T" } } },
    T: { kind: "type", elements: { x: { type: "cds.Date" } } },
  }, [{ annotate: "A", elements: { t: { elements: { x: { "@title": "X" } } } } }]);
  assert.equal(A.elements!.t.elements!.x["@title"], "X");
  assert.equal(T.elements!.x["@title"], undefined);
});

Deno.test("inferModel() inserts the annotation so far for ... and up to an entry", () => {
  const { A } = infer({ A: { kind: "entity", "@l": ["a", "b", "c"], elements: { ID } } }, [
    { annotate: "A", "@l": [{ "...": "b" }, "x", { "...": true }, "y"] },
  ]);
  assert.deepEqual(A["@l"], ["a", "b", "x", "c", "y"]);
});

Deno.test("inferModel() fills the keys of managed associations with all keys of the target", () => {
  const { B } = infer({
    A: { kind: "entity", elements: { x: ID, y: { key: true, type: "cds.String" } } },
    B: { kind: "entity", elements: { ID, a: { type: "cds.Association", target: "A" } } },
  });
  assert.deepEqual(B.elements!.a.keys, [{ ref: ["x"] }, { ref: ["y"] }]);
});

Deno.test("inferModel() repeats facets and annotations of types at elements, not enum and elements", () => {
  const { A } = infer({
    T: { kind: "type", "@title": "T", type: "cds.String", length: 9, enum: { a: {} } },
    U: { kind: "type", type: "T" },
    A: { kind: "entity", elements: { ID, t: { type: "U" }, s: { type: { ref: ["A", "t"] } } } },
  });
  assert.deepEqual(plain(A.elements!.t), { type: "U", length: 9, "@title": "T" });
  assert.equal(A.elements!.s.length, 9);
});

Deno.test("inferModel() generates the entity of a composition of an aspect, nested ones too", () => {
  const result = infer({
    O: {
      kind: "entity",
      elements: {
        ID,
        Items: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          targetAspect: {
            elements: {
              pos: ID,
              Lots: { type: "cds.Composition", cardinality: { max: "*" }, target: "Lot" },
            },
          },
        },
      },
    },
    Lot: { kind: "aspect", elements: { lot: ID } },
  });
  assert.deepEqual(result.O.elements!.Items.on, [{ ref: ["Items", "up_"] }, "=", { ref: ["$self"] }]);
  assert.deepEqual(plain(result["O.Items"].elements!.up_), {
    key: true,
    type: "cds.Association",
    cardinality: { min: 1, max: 1 },
    target: "O",
    keys: [{ ref: ["ID"] }],
    notNull: true,
  });
  assert.deepEqual(result["O.Items.Lots"].elements!.up_.keys, [{ ref: ["up_"] }, { ref: ["pos"] }]);
});

Deno.test("inferModel() generates texts entities with the elements texts and localized", () => {
  const result = infer({
    A: {
      kind: "entity",
      elements: { name: { type: "cds.String", length: 5, localized: true }, ID, other: { type: "cds.Date" } },
    },
  });
  assert.deepEqual(plain(result["A.texts"].elements), {
    locale: { key: true, type: "cds.String", length: 14 },
    name: { type: "cds.String", length: 5, localized: null },
    ID: { key: true, type: "cds.Integer" },
  });
  assert.deepEqual(result.A.elements!.texts.on, [{ ref: ["texts", "ID"] }, "=", { ref: ["ID"] }]);
  assert.deepEqual(result.A.elements!.localized.on?.slice(4), [
    { ref: ["localized", "locale"] },
    "=",
    { ref: ["$user", "locale"] },
  ]);
});

Deno.test("inferModel() includes the texts aspect of the common model in texts entities", () => {
  const result = infer({
    "sap.common.TextsAspect": {
      kind: "aspect",
      elements: { locale: { key: true, type: "cds.String", length: 14 }, extra: { type: "cds.Boolean" } },
    },
    A: { kind: "entity", elements: { ID, name: { type: "cds.String", localized: true } } },
  });
  assert.deepEqual(Object.keys(result["A.texts"].elements!), ["locale", "extra", "ID", "name"]);
});

Deno.test("inferModel() names the unknown and the nearest known name, with the place in the source", () => {
  const $location = { file: "a.cds", line: 3, col: 7 };
  expectError(
    {
      Thing: { kind: "type", type: "cds.Date" },
      A: { kind: "entity", elements: { ID, t: { type: "Thimg", $location } } },
    },
    /^a\.cds:3:7: Unknown type "Thimg" in "A", did you mean "Thing"\?$/,
  );
});

Deno.test("inferModel() tolerates unknown types in external definitions", () => {
  const t = { type: "X" } as const;
  assert.equal(
    infer({ A: { kind: "event", "@cds.external": true, elements: { t } } }).A.elements!.t.type,
    "X",
  );
});

Deno.test("inferModel() refuses unknown includes, targets and aspects", () => {
  expectError(
    { A: { kind: "entity", includes: ["X"], elements: { ID } } },
    /Unknown definition "X" included by "A"/,
  );
  expectError(
    { A: { kind: "entity", elements: { ID, b: { type: "cds.Association", target: "B" } } } },
    /Unknown target "B"/,
  );
});

Deno.test("inferModel() refuses cyclic types and includes", () => {
  expectError({ A: { kind: "type", type: "B" }, B: { kind: "type", type: "A" } }, /Cyclic type/);
  expectError(
    { A: { kind: "aspect", includes: ["B"] }, B: { kind: "aspect", includes: ["A"] } },
    /Cyclic include/,
  );
});

Deno.test("inferModel() lets associations lead to views without key, not to tables without one", () => {
  const definitions = (own: object): Record<string, CsnDefinition> => ({
    K: { kind: "entity", elements: { x: { type: "cds.Integer" } } },
    T: { kind: "entity", projection: { from: { ref: ["K"] } } },
    A: { kind: "entity", elements: { ID, t: { type: "cds.Association", target: "T", ...own } } },
    V: { kind: "entity", projection: { from: { ref: ["A"] } } },
  });
  const { A, V } = infer(definitions({}));
  assert.deepEqual([A.elements!.t.keys, V.elements!.t.keys], [[], []]);
  expectError(definitions({ key: true }), /The key of "A" is an association to "T", which has no key/);
  expectError(
    definitions({ target: "K" }),
    /Managed association in "A" leads to "K", which has no key/,
  );
});

Deno.test("inferModel() refuses paths of conditions that lead nowhere", () => {
  expectError({
    B: { kind: "entity", elements: { ID } },
    A: {
      kind: "entity",
      elements: {
        ID,
        b: { type: "cds.Association", target: "B", on: [{ ref: ["b", "nope"] }, "=", { ref: ["ID"] }] },
      },
    },
  }, /Unresolved path "b\.nope" in "b" of "A": unknown element "nope"/);
});

Deno.test("inferAddedElements() gives added associations their keys, also in views, and refuses targets that are not there", () => {
  const model = inferModel({
    definitions: {
      A: { kind: "entity", elements: { ID } },
      B: { kind: "entity", elements: { ID } },
      V: { kind: "entity", projection: { from: { ref: ["A"] } } },
    },
  });
  const added = (target: string) => {
    const { A } = model.definitions!;
    const elements = { ...A.elements, to: { type: "cds.Association", target } };
    return inferAddedElements({ ...model, definitions: { ...model.definitions, A: { ...A, elements } } })
      .definitions!;
  };
  const { A, V } = added("B");
  for (const { elements } of [A, V]) assert.deepEqual(elements!.to.keys, [{ ref: ["ID"] }]);
  assert.throws(() => added("C"), {
    name: "ConfigurationError",
    message: /Unknown target "C" of an association in "A"/,
  });
});

Deno.test("managed associations have keys wherever they stand, and their explicit keys are looked at there [csn-cqn 5]", () => {
  const to = { type: "cds.Association", target: "A" };
  const definitions = (one: CsnElement): Record<string, CsnDefinition> => ({
    A: { kind: "entity", elements: { ID } },
    T: { kind: "type", ...one },
    M: { kind: "type", items: { elements: { to: one } } },
    S: { kind: "type", elements: { s: { elements: { to: one } }, m: { items: { elements: { to: one } } } } },
    E: { kind: "entity", elements: { ID, to: one, s: { elements: { to: one } }, t: { type: "T" } } },
  });
  const { T, M, S, E } = infer(definitions(to));
  const places = [T, M.items!.elements!.to, S.elements!.s.elements!.to, S.elements!.m.items!.elements!.to];
  for (const place of [...places, E.elements!.to, E.elements!.s.elements!.to, E.elements!.t]) {
    assert.deepEqual((place as CsnElement).keys, [{ ref: ["ID"] }]);
  }
  for (const name of ["T", "M", "S", "E"]) {
    const { A, [name]: one } = definitions({ ...to, keys: [{ ref: ["no"] }] });
    expectError(
      { A, ...(name === "E" && { T: definitions(to).T }), [name]: one },
      new RegExp(`Unknown key "no" of target "A" in "${name}"`),
    );
    const { [name]: lost } = definitions({ ...to, target: "B" });
    expectError(
      { A, ...(name === "E" && { T: definitions(to).T }), [name]: lost },
      new RegExp(`Unknown target "B" of an association in "${name}"`),
    );
  }
});

Deno.test("aspects and types are targets without keys of their own; to many rows leads no key", () => {
  const elements = { x: { type: "cds.Integer" } };
  for (const kind of ["aspect", "type"] as const) {
    const { B } = infer({
      A: { kind, elements },
      B: { kind: "aspect", elements: { ID, a: { type: "cds.Association", target: "A" } } },
    });
    assert.equal(B.elements!.a.keys, undefined, kind);
  }
  const many = { type: "cds.Association", target: "A", cardinality: { max: "*" } } as const;
  const { B } = infer({ A: { kind: "entity", elements }, B: { kind: "entity", elements: { ID, many } } });
  assert.equal(B.elements!.many.keys, undefined);
});

Deno.test("calculated elements have the types of what they name, beside them first, at the top with $self [csn-cqn 5]", () => {
  const ref = (...path: string[]) => ({ value: { ref: path } });
  const { A } = infer({
    A: {
      kind: "entity",
      elements: {
        ID,
        name: { type: "cds.String", length: 3 },
        to: { type: "cds.Association", target: "A" },
        s: {
          elements: {
            name: { type: "cds.String", length: 7 },
            near: ref("name"),
            far: ref("$self", "name"),
            top: ref("ID"),
            deep: { elements: { around: ref("name"), out: ref("ID") } },
          },
        },
        through: ref("to", "s", "name"),
        own: ref("$self", "s", "name"),
        said: { type: "cds.Date", ...ref("name") },
        formed: { elements: { x: { type: "cds.Date" } }, ...ref("name") },
        listed: { items: { type: "cds.Date" }, ...ref("name") },
        again: ref("to"),
        computed: { value: { xpr: [{ ref: ["ID"] }, "+", { val: 1 }] } },
      },
    },
  });
  const { s, ...others } = A.elements!;
  const told = ({ type, length }: CsnElement) =>
    [type, length].filter((part) => part !== undefined).join(" ");
  const all = { ...others, ...s.elements, ...s.elements!.deep.elements };
  assert.deepEqual(Object.fromEntries(Object.entries(all).map(([key, element]) => [key, told(element)])), {
    ID: "cds.Integer",
    name: "cds.String 7",
    to: "cds.Association",
    near: "cds.String 7",
    far: "cds.String 3",
    top: "cds.Integer",
    deep: "",
    around: "cds.String 7",
    out: "cds.Integer",
    through: "cds.String 7",
    own: "cds.String 7",
    said: "cds.Date",
    formed: "",
    listed: "",
    again: "cds.Association",
    computed: "cds.Integer",
  });
  assert.deepEqual(plain(A.elements!.again), {
    type: "cds.Association",
    target: "A",
    keys: [{ ref: ["ID"] }],
  });
});

Deno.test("a calculated association has the place where it stands, what is said there, and is no key", () => {
  const $location = { file: "a.cds", line: 3, col: 7 };
  const to = { type: "cds.Association", target: "B", key: true, "@title": "To", "@x": 1 } as const;
  const calculated = { value: { ref: ["to"] }, "@title": "Own", $location };
  const { A } = infer({
    B: { kind: "entity", elements: { ID } },
    A: { kind: "entity", elements: { to, again: calculated } },
  });
  assert.deepEqual(plain(A.elements!.again), {
    type: "cds.Association",
    target: "B",
    keys: [{ ref: ["ID"] }],
    "@title": "Own",
    "@x": 1,
    $location,
  });
});

Deno.test("inferAddedElements() leaves elements of views that are there as they are, and adds the others", () => {
  const model = inferModel({
    definitions: {
      A: { kind: "entity", elements: { ID, name: { type: "cds.String" } } },
      V: { kind: "entity", projection: { from: { ref: ["A"] } } },
    },
  });
  const { A, V } = model.definitions!;
  const name = { type: "cds.LargeString", "@title": "Changed" };
  const { V: view } = inferAddedElements({
    ...model,
    definitions: {
      A: { ...A, elements: { ...A.elements, added: { type: "cds.Date" } } },
      V: { ...V, elements: { ...V.elements, name, own: { type: "cds.Time" } } },
    },
  }).definitions!;
  assert.deepEqual(plain(view.elements), {
    ID,
    name,
    added: { type: "cds.Date" },
    own: { type: "cds.Time" },
  });
});

Deno.test("inferAddedElements() lets added associations of a service lead to the entities of the service", () => {
  const from = (name: string): CsnDefinition => ({ kind: "entity", projection: { from: { ref: [name] } } });
  const model = inferModel({
    definitions: {
      A: { kind: "entity", elements: { ID } },
      B: { kind: "entity", elements: { ID } },
      S: { kind: "service" },
      "S.A": from("A"),
      "S.B": from("B"),
    },
  });
  const { A } = model.definitions!;
  const elements = { ...A.elements, to: { type: "cds.Association", target: "B" } };
  const added = inferAddedElements({
    ...model,
    definitions: { ...model.definitions, A: { ...A, elements } },
  });
  assert.equal(added.definitions!.A.elements!.to.target, "B");
  assert.equal(added.definitions!["S.A"].elements!.to.target, "S.B");
});

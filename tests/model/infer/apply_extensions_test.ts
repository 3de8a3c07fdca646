import assert from "node:assert/strict";
import type { CsnDefinition, CsnElement, CsnExtension } from "../../../src/model/csn.ts";
import { inferModel } from "../../../src/model/infer_model.ts";

const ID = { key: true, type: "cds.Integer" } as const;

const BASE: Readonly<Record<string, CsnDefinition>> = {
  A: {
    kind: "entity",
    elements: {
      ID,
      name: { type: "cds.String", length: 10 },
      nested: { elements: { x: { type: "cds.Date" }, deep: { elements: { y: { type: "cds.Date" } } } } },
      list: { items: { elements: { x: { type: "cds.Date" } } } },
      parts: { type: "cds.Composition", targetAspect: { elements: { no: ID } } },
      to: { type: "cds.Association", target: "A" },
    },
    actions: { go: { kind: "action", params: { p: { type: "cds.String" } } } },
  },
  N: { kind: "type", elements: { x: { type: "cds.Date" } } },
  L: { kind: "type", items: { elements: { x: { type: "cds.Date" } } } },
};

/** The definition `name` with extensions. */
function extended(name: string, ...extensions: readonly CsnExtension[]): CsnDefinition {
  const { definitions } = inferModel({ definitions: BASE, extensions });
  return JSON.parse(JSON.stringify(definitions![name]));
}

/** An element of the entity after an extension of its elements. */
function elementOf(name: string, element: object, extend = "A"): CsnElement | undefined {
  const { elements, items } = extended(extend, { extend, elements: { [name]: element as CsnElement } });
  return (elements ?? items?.elements)?.[name];
}

Deno.test("an extend adds elements that have a type, items, elements, a value or a target [csn-cqn 8]", () => {
  const added: readonly (readonly [element: object, result: object])[] = [
    [{ type: "cds.Date" }, { type: "cds.Date" }],
    [{ items: { type: "cds.String" } }, { items: { type: "cds.String" } }],
    [{ elements: { z: { type: "cds.Date" } } }, { elements: { z: { type: "cds.Date" } } }],
    [{ value: { ref: ["ID"] } }, { value: { ref: ["ID"] }, type: "cds.Integer", "@Core.Computed": true }],
    [{ target: "A", on: [{ ref: ["new", "ID"] }, "=", { ref: ["ID"] }] }, {
      target: "A",
      on: [{ ref: ["new", "ID"] }, "=", { ref: ["ID"] }],
    }],
  ];
  for (const [element, result] of added) assert.deepEqual(elementOf("new", element), result);
  assert.equal(elementOf("new", { targetAspect: { elements: { no: ID } } })!.target, "A.new");
  for (
    const element of [{ "@title": "T" }, { doc: "d" }, { kind: "extend", type: "cds.Date" }, {
      kind: "annotate",
      type: "cds.Date",
    }]
  ) {
    assert.equal(elementOf("new", element), undefined, JSON.stringify(element));
  }
});

Deno.test("an extend of an element that is there annotates it, changes facets or adds to its structure [csn-cqn 8]", () => {
  assert.deepEqual(elementOf("name", { "@title": "T" }), { type: "cds.String", length: 10, "@title": "T" });
  assert.deepEqual(elementOf("name", { kind: "extend", length: 20 }), { type: "cds.String", length: 20 });
  const z = { type: "cds.Time" };
  const x = { type: "cds.Date" };
  const nested = (elements: object) => elementOf("nested", { elements })!.elements;
  assert.deepEqual(nested({ z }), { x, deep: { elements: { y: x } }, z });
  assert.deepEqual(nested({ deep: { elements: { z } } }), { x, deep: { elements: { y: x, z } } });
  assert.deepEqual(nested({ x: { "@title": "T" } }), {
    x: { ...x, "@title": "T" },
    deep: { elements: { y: x } },
  });
  assert.deepEqual(elementOf("list", { elements: { z } })!.items!.elements, { x, z });
  assert.deepEqual(elementOf("z", z, "N"), z);
  assert.deepEqual(elementOf("z", z, "L"), z);
  assert.deepEqual(
    extended("A.parts", { extend: "A", elements: { parts: { elements: { z } } as never } }).elements!.z,
    z,
  );
});

Deno.test("an element that is declared twice is refused, with what it is [csn-cqn 8]", () => {
  for (
    const element of [
      { type: "cds.Date" },
      { items: { type: "cds.String" } },
      { elements: { z: { type: "cds.Date" } }, type: "N" },
      { elements: { z: { type: "cds.Date" } }, items: { type: "cds.String" } },
      { value: { ref: ["ID"] } },
      { target: "A" },
      { targetAspect: "N" },
    ]
  ) {
    assert.throws(() => elementOf("name", element), { message: /^Duplicate element "name" in "A"$/ });
  }
});

Deno.test("an extend adds includes, parameters, symbols, facets and columns to what is there [csn-cqn 8]", () => {
  const definitions: Readonly<Record<string, CsnDefinition>> = {
    ...BASE,
    I: { kind: "aspect", elements: { i: { type: "cds.Date" } } },
    J: { kind: "aspect", elements: { j: { type: "cds.Date" } } },
    E: { kind: "type", type: "cds.String", length: 3, enum: { a: {} } },
    P: { kind: "entity", projection: { from: { ref: ["A"] }, columns: [{ ref: ["ID"] }] } },
    Q: { kind: "entity", query: { SELECT: { from: { ref: ["A"] } } } },
  };
  const { A, E, P, Q } = inferModel({
    definitions,
    extensions: [
      { extend: "A", includes: ["I"] },
      { extend: "A", includes: ["J"], "@title": "T" },
      { extend: "E", enum: { b: {} }, length: 5 },
      { extend: "P", columns: [{ ref: ["name"] }] },
      { extend: "Q", columns: [{ ref: ["name"], as: "again" }], params: { p: { type: "cds.Date" } } },
      { extend: "A", actions: { go: { params: { q: { type: "cds.Date" } }, "@title": "Go" } } as never },
      { extend: "A", actions: { come: { kind: "action" } } },
    ],
  }).definitions!;
  assert.deepEqual(A.includes, ["I", "J"]);
  assert.deepEqual(Object.keys(A.elements!).slice(-2), ["i", "j"]);
  assert.equal(A["@title"], "T");
  assert.deepEqual([Object.keys(E.enum!), E.length], [["a", "b"], 5]);
  assert.deepEqual(Object.keys(P.elements!), ["ID", "name"]);
  assert.deepEqual(Object.keys(Q.elements!), [...Object.keys(A.elements!), "again"]);
  assert.deepEqual(Object.keys(Q.params!), ["p"]);
  assert.deepEqual(Object.keys(A.actions!), ["go", "come"]);
  assert.deepEqual(Object.keys(A.actions!.go.params!), ["p", "q"]);
  assert.equal(A.actions!.go["@title" as never], "Go");
  assert.throws(
    () => extended("A", { extend: "A", actions: { go: { kind: "action" } } }),
    { message: /^Duplicate operation "go" of "A"$/ },
  );
});

Deno.test("annotations reach parameters, results, nested elements and symbols, and what does not exist is left out", () => {
  const definitions: Readonly<Record<string, CsnDefinition>> = {
    F: {
      kind: "function",
      params: { p: { type: "cds.String" } },
      returns: { type: "cds.String" },
    },
    G: { kind: "action" },
    E: { kind: "type", type: "cds.String", enum: { a: {}, b: { "@title": "B" } } },
    B: {
      kind: "entity",
      elements: {
        ID,
        e: { type: "cds.String", enum: { a: {} } },
        f: { type: "cds.String", enum: { a: {} } },
      },
      actions: {
        go: { kind: "function", params: { p: { type: "cds.Date" } }, returns: { type: "cds.Date" } },
        come: { kind: "action" },
      },
    },
  };
  const title = { "@title": "T" };
  const { B, E, F, G } = JSON.parse(JSON.stringify(
    inferModel({
      definitions,
      extensions: [
        { annotate: "F", params: { p: title, no: title }, returns: title },
        { annotate: "E", enum: { b: { "@x": 1 }, a: title } } as CsnExtension,
        {
          annotate: "B",
          doc: "Bs",
          elements: { ID: { enum: { a: title } }, e: { enum: { a: title } }, f: title, none: title },
          actions: {
            go: { params: { p: title }, returns: title, ...title },
            come: { returns: title },
            none: title,
          },
        } as object as CsnExtension,
        { annotate: "G", returns: title, "@x": 1 },
        { annotate: "Nothing", ...title },
      ],
    }).definitions,
  ));
  assert.deepEqual(F.params, { p: { type: "cds.String", ...title } });
  assert.deepEqual(F.returns, { type: "cds.String", ...title });
  assert.deepEqual(E.enum, { a: title, b: { "@title": "B", "@x": 1 } });
  assert.deepEqual(G, { kind: "action", "@x": 1 });
  assert.equal(B.doc, "Bs");
  assert.deepEqual(B.elements.e.enum, { a: title });
  assert.deepEqual(B.elements.f, { type: "cds.String", enum: { a: {} }, ...title });
  assert.deepEqual(B.elements.ID, { key: true, type: "cds.Integer" });
  assert.deepEqual(Object.keys(B.elements), ["ID", "e", "f"]);
  assert.deepEqual(B.actions.come, { kind: "action" });
  assert.deepEqual(Object.keys(B.actions), ["go", "come"]);
  assert.deepEqual(B.actions.go, {
    kind: "function",
    params: { p: { type: "cds.Date", ...title } },
    returns: { type: "cds.Date", ...title },
    ...title,
  });
});

Deno.test("annotations reach elements of structures, of items and of aspects, at this use of a type, and no target [csn-cqn 8]", () => {
  const title = { "@title": "T" };
  const titled = { type: "cds.Date", ...title };
  const change = { elements: { x: title } };
  const { A, N, "A.parts": P } = JSON.parse(JSON.stringify(
    inferModel({
      definitions: {
        ...BASE,
        A: {
          ...BASE.A,
          elements: {
            ...BASE.A.elements,
            named: { type: "N" },
            many: { items: { elements: { x: { type: "cds.Date" } } } },
          },
        },
      },
      extensions: [{
        annotate: "A",
        elements: {
          nested: change,
          list: change,
          many: { items: change },
          named: change,
          name: change,
          parts: { elements: { no: title } },
          to: { elements: { ID: title } },
        },
      }],
    }).definitions,
  ));
  assert.deepEqual(A.elements.nested.elements.x, titled);
  assert.deepEqual(A.elements.list.items.elements.x, titled);
  assert.deepEqual(A.elements.many.items.elements.x, titled);
  assert.deepEqual(A.elements.named.elements.x, titled);
  assert.deepEqual(N.elements.x, { type: "cds.Date" });
  assert.deepEqual([A.elements.name.elements, A.elements.to.elements], [undefined, undefined]);
  assert.equal(P.elements.no["@title"], "T");
  assert.equal(A.elements.ID["@title"], undefined);
});

Deno.test("columns are added to the query of one SELECT; unions and tables stay as they are", () => {
  const SELECT = { from: { ref: ["A"] }, columns: [{ ref: ["ID"] }] };
  const columns = [{ ref: ["name"] }];
  const { A, U } = inferModel({
    definitions: {
      ...BASE,
      U: { kind: "entity", query: { SET: { op: "union", args: [{ SELECT }, { SELECT }] } } },
    },
    extensions: [{ extend: "U", columns }, { extend: "A", columns }],
  }).definitions!;
  assert.deepEqual(Object.keys(U.elements!), ["ID"]);
  assert.deepEqual(Object.keys(A.elements!), Object.keys(BASE.A.elements!));
});

Deno.test("... in an array stands for the entries before, up to one like the pattern [csn-cqn 8]", () => {
  const merged = (before: unknown, value: unknown) =>
    extended("A", { annotate: "A", "@l": before as never }, { annotate: "A", "@l": value as never })["@l"];
  const all = { "...": true };
  const upTo = (pattern: unknown) => ({ "...": pattern });
  const cases: readonly (readonly [before: unknown, value: unknown, result: unknown])[] = [
    [["a"], ["b"], ["b"]],
    [["a"], [all, "b"], ["a", "b"]],
    [["a"], ["b", all], ["b", "a"]],
    ["a", [all, "b"], ["b"]],
    [["a", "b", "c"], [upTo("b"), "x", all], ["a", "b", "x", "c"]],
    [["a", "b", "c"], [upTo("none"), "x", all], ["a", "b", "c", "x"]],
    [["a", "b", "a", "c"], [upTo("a"), "x", upTo("a"), "y", all], ["a", "x", "b", "a", "y", "c"]],
    [[{ k: 1, l: 2 }, { k: 2 }], [upTo({ k: 1 }), "x", all], [{ k: 1, l: 2 }, "x", { k: 2 }]],
    [[{ k: 1 }, { k: 1, l: 2 }], [upTo({ k: 1, l: 2 }), "x", all], [{ k: 1 }, { k: 1, l: 2 }, "x"]],
    [[{ k: [1, 2] }, { k: [1] }], [upTo({ k: [1] }), "x", all], [{ k: [1, 2] }, "x", { k: [1] }]],
    [["a", ["b"], { b: 1 }], [upTo(["b"]), "x", all], ["a", ["b"], "x", { b: 1 }]],
    [["b", { 0: "b" }, ["b"]], [upTo(["b"]), "x", all], ["b", { 0: "b" }, ["b"], "x"]],
    [["k", { k: 1 }], [upTo({ k: 1 }), "x", all], ["k", { k: 1 }, "x"]],
  ];
  for (const [before, value, result] of cases) {
    assert.deepEqual(merged(before, value), result, JSON.stringify([before, value]));
  }
});

Deno.test("an extend of what is generated waits for it, and of what never comes it is a mistake", () => {
  const late = extended("A.parts", { extend: "A.parts", elements: { z: { type: "cds.Date" } } });
  assert.deepEqual(late.elements!.z, { type: "cds.Date" });
  assert.throws(() => extended("A", { extend: "AA", "@title": "T" }), {
    message: /^Unknown definition "AA" in extend, did you mean "A"\?$/,
  });
});

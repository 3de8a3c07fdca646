import assert from "node:assert/strict";
import { CdlParser } from "../../../src/model/cdl/cdl_parser.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { compile, definition, elements } from "./memory_host.ts";

function expectElement(text: string, expected: unknown, others = ""): void {
  const [element] = Object.values(elements(text, others));
  assert.deepEqual(element, expected, text);
}

Deno.test("CdlParser has an unambiguous grammar", () => {
  assert.doesNotThrow(() => new CdlParser(false));
});

Deno.test("compileCdl() puts definitions under their namespace, services and contexts", () => {
  const csn = compile(
    "namespace a.b; entity X {} service S { type T : String; context C { aspect A {} } } entity X.Y {}",
  );
  assert.deepEqual(Object.keys(csn.definitions ?? {}), [
    ...["a.b.X", "a.b.S", "a.b.S.T", "a.b.S.C", "a.b.S.C.A", "a.b.X.Y"],
  ]);
  assert.equal(csn.definitions?.["a.b.S"].kind, "service");
  assert.equal(csn.definitions?.["a.b.S.C"].kind, "context");
});

Deno.test("compileCdl() reads types with facets by position and by name", () => {
  expectElement("x : String(40);", { type: "cds.String", length: 40 });
  expectElement("x : Decimal(9,2);", { type: "cds.Decimal", precision: 9, scale: 2 });
  expectElement("x : Decimal(9);", { type: "cds.Decimal", precision: 9 });
  expectElement("x : Decimal(9, variable);", { type: "cds.Decimal", precision: 9, scale: "variable" });
  expectElement("x : Decimal(scale: 2, precision: 9);", { type: "cds.Decimal", precision: 9, scale: 2 });
  expectElement("x : N.Money(7);", { type: "N.Money", precision: 7 }, "context N { type Money : Decimal; }");
  const chain = "context N { type Money : Decimal; type Price : Money; }";
  expectElement("x : N.Price(7);", { type: "N.Price", precision: 7 }, chain);
  expectElement("x : hana.ST_POINT(4326);", { type: "cds.hana.ST_POINT", srid: 4326 });
  expectElement("x : cds.Integer64;", { type: "cds.Integer64" });
});

Deno.test("compileCdl() reads structured, arrayed, enum and referenced types", () => {
  expectElement("x { a : Integer; }", { elements: { a: { type: "cds.Integer" } } });
  expectElement("x : { a : Integer } not null;", { elements: { a: { type: "cds.Integer" } }, notNull: true });
  expectElement("x : many String(3);", { items: { type: "cds.String", length: 3 } });
  expectElement("x : array of { a : Date; };", { items: { elements: { a: { type: "cds.Date" } } } });
  expectElement("x : String enum { a; b = 'B' @title: 'b'; };", {
    type: "cds.String",
    enum: { a: {}, b: { "@title": "b", val: "B" } },
  });
  expectElement("x : String @t enum { a };", { type: "cds.String", "@t": true, enum: { a: {} } });
  expectElement("x : Integer enum { low = -1 } default -1;", {
    type: "cds.Integer",
    enum: { low: { val: -1 } },
    default: { val: -1 },
  });
  expectElement("x : type of y.z; y { z : Date; }", { type: { ref: ["E", "y", "z"] } });
  expectElement("x { a : Date; b : type of a; }", {
    elements: { a: { type: "cds.Date" }, b: { type: { ref: ["E", "x", "a"] } } },
  });
  expectElement("x : O:a.b;", { type: { ref: ["O", "a", "b"] } }, "entity O { a { b : Date; } }");
  expectElement("x : type of O:a;", { type: { ref: ["O", "a"] } }, "entity O { a : Date; }");
});

Deno.test("compileCdl() reads the modifiers of elements", () => {
  expectElement("key x : UUID;", { key: true, type: "cds.UUID" });
  expectElement("virtual x : Boolean;", { virtual: true, type: "cds.Boolean" });
  expectElement("x : localized String(5) not null;", {
    localized: true,
    type: "cds.String",
    length: 5,
    notNull: true,
  });
  expectElement("x : String null;", { type: "cds.String", notNull: false });
  expectElement("x : Date default $now;", { type: "cds.Date", default: { ref: ["$now"] } });
  expectElement("x : Integer default 1 not null;", {
    type: "cds.Integer",
    default: { val: 1 },
    notNull: true,
  });
  expectElement("x : String(5) = first || 'x'; first : String;", {
    type: "cds.String",
    length: 5,
    value: { xpr: [{ ref: ["first"] }, "||", { val: "x" }] },
  });
  expectElement("x = (a + 1) stored; a : Integer;", {
    value: { xpr: [{ ref: ["a"] }, "+", { val: 1 }], stored: true },
  });
});

Deno.test("compileCdl() lets keywords name elements, parameters and definitions", () => {
  const csn = compile(
    "entity type { entity : Integer; default : Integer; many : Integer; virtual : Integer; key key : Integer; in : Integer } " +
      "type aspect : String; action ![select](by : Integer, in : aspect) returns type;",
  );
  const names = Object.keys(csn.definitions?.type.elements ?? {});
  assert.deepEqual(names, ["entity", "default", "many", "virtual", "key", "in"]);
  assert.deepEqual(csn.definitions?.select, {
    kind: "action",
    params: { by: { type: "cds.Integer" }, in: { type: "aspect" } },
    returns: { type: "type" },
  });
});

Deno.test("compileCdl() reads associations", () => {
  const others = "entity T { key ID : UUID; e : Association to E; }";
  const target = { type: "cds.Association", target: "T" };
  expectElement("x : Association to T;", target, others);
  expectElement("x : Association to one T not null;", {
    ...target,
    cardinality: { max: 1 },
    notNull: true,
  }, others);
  expectElement("x : Association to many T on x.e = $self;", {
    ...target,
    cardinality: { max: "*" },
    on: [{ ref: ["x", "e"] }, "=", { ref: ["$self"] }],
  }, others);
  expectElement("x : Association to T { ID as id, e.ID };", {
    ...target,
    keys: [{ ref: ["ID"], as: "id" }, { ref: ["e", "ID"] }],
  }, others);
  expectElement(
    "x : Association[*, 1..5] to T;",
    { ...target, cardinality: { src: "*", min: 1, max: 5 } },
    others,
  );
  expectElement("x : Association[] to T;", { ...target, cardinality: { max: "*" } }, others);
});

Deno.test("compileCdl() reads compositions of entities, named and inline aspects", () => {
  const others = "entity T { key ID : UUID; } aspect A { key no : Integer; }";
  expectElement("x : Composition of T;", { type: "cds.Composition", target: "T" }, others);
  expectElement("x : Composition of many A;", {
    type: "cds.Composition",
    cardinality: { max: "*" },
    targetAspect: "A",
  }, others);
  expectElement("x : Composition of many { key no : Integer; };", {
    type: "cds.Composition",
    cardinality: { max: "*" },
    targetAspect: { elements: { no: { key: true, type: "cds.Integer" } } },
  });
});

Deno.test("compileCdl() reads includes of entities, types, aspects and events", () => {
  const csn = compile(
    "aspect A { a : Integer; } aspect B : A {} entity E : A, B { x : Integer; } entity F : A; type T : A { y : Date; } " +
      "event V : A { z : Date; } event W : T; type Alias : A;",
  );
  const { B, E, F, T, V, W, Alias } = csn.definitions ?? {};
  assert.deepEqual([B.includes, E.includes, F.includes, T.includes, V.includes], [
    ...[["A"], ["A", "B"], ["A"], ["A"], ["A"]],
  ]);
  assert.deepEqual(F, { kind: "entity", includes: ["A"], elements: {} });
  assert.equal(definition("abstract entity Old { x : Date; }", "Old").kind, "aspect");
  assert.deepEqual(W, { kind: "event", type: "T" });
  assert.deepEqual(Alias, { kind: "type", type: "A" });
});

Deno.test("compileCdl() reads bound and unbound operations", () => {
  const csn = compile(
    "service S { entity E { key ID : UUID; } actions { action a(p : many $self, q : String default 'x') returns many E; " +
      "function f() returns { n : Integer; }; }; action u(@mandatory p : String not null @title: 'p'); action v; }",
  );
  assert.deepEqual(csn.definitions?.["S.E"].actions, {
    a: {
      kind: "action",
      params: { p: { items: { type: "$self" } }, q: { type: "cds.String", default: { val: "x" } } },
      returns: { items: { type: "S.E" } },
    },
    f: { kind: "function", returns: { elements: { n: { type: "cds.Integer" } } } },
  });
  assert.deepEqual(csn.definitions?.["S.u"], {
    kind: "action",
    params: { p: { type: "cds.String", notNull: true, "@mandatory": true, "@title": "p" } },
  });
  assert.deepEqual(csn.definitions?.["S.v"], { kind: "action" });
});

Deno.test("compileCdl() reads the order and the limit of projections", () => {
  const base = "namespace n; entity B { key x : Integer; }";
  assert.deepEqual(
    definition(`${base} entity V as projection on B { x } order by x limit 5 offset 2;`, "n.V"),
    {
      kind: "entity",
      projection: {
        from: { ref: ["n.B"] },
        columns: [{ ref: ["x"] }],
        orderBy: [{ ref: ["x"] }],
        limit: { rows: { val: 5 }, offset: { val: 2 } },
      },
    },
  );
});

Deno.test("compileCdl() reads projections and views, and resolves their sources and casts", () => {
  const base =
    "namespace n; type T : String(3); entity B { key ID : UUID; b : Association to B; x : Integer; } ";
  assert.deepEqual(
    definition(`${base} entity V as projection on B { *, x as y : T } excluding { b } where x > 1;`, "n.V"),
    {
      kind: "entity",
      projection: {
        from: { ref: ["n.B"] },
        columns: ["*", { ref: ["x"], as: "y", cast: { type: "n.T" } }],
        excluding: ["b"],
        where: [{ ref: ["x"] }, ">", { val: 1 }],
      },
    },
  );
  assert.deepEqual(
    definition(
      `${base} entity V as select from B as l join B as r on l.x = r.x { key l.ID } where exists (select from B);`,
      "n.V",
    )
      .query,
    {
      SELECT: {
        from: {
          join: "inner",
          args: [{ ref: ["n.B"], as: "l" }, { ref: ["n.B"], as: "r" }],
          on: [{ ref: ["l", "x"] }, "=", { ref: ["r", "x"] }],
        },
        columns: [{ ref: ["l", "ID"], key: true }],
        where: ["exists", { SELECT: { from: { ref: ["n.B"] } } }],
      },
    },
  );
  assert.deepEqual(
    definition(`${base} view V with parameters p : Integer as select from B:b[x = :p];`, "n.V"),
    {
      kind: "entity",
      params: { p: { type: "cds.Integer" } },
      query: {
        SELECT: {
          from: { ref: ["n.B", { id: "b", where: [{ ref: ["x"] }, "=", { ref: ["p"], param: true }] }] },
        },
      },
    },
  );
});

Deno.test("compileCdl() reads redirections, mixins and annotated columns", () => {
  const base = "entity B { key ID : UUID; b : Association to B; } ";
  assert.deepEqual(
    definition(
      `${base} entity V as select from B mixin { m : Association to many B on m.b.ID = ID; } into ` +
        "{ @title: 'key' ID @readonly, b : redirected to V, m, virtual null as v : Integer };",
      "V",
    ).query,
    {
      SELECT: {
        from: { ref: ["B"] },
        mixin: {
          m: {
            type: "cds.Association",
            cardinality: { max: "*" },
            target: "B",
            on: [{ ref: ["m", "b", "ID"] }, "=", { ref: ["ID"] }],
          },
        },
        columns: [
          { ref: ["ID"], "@title": "key", "@readonly": true },
          { ref: ["b"], cast: { type: "cds.Association", target: "V" } },
          { ref: ["m"] },
          { val: null, virtual: true, as: "v", cast: { type: "cds.Integer" } },
        ],
      },
    },
  );
});

Deno.test("compileCdl() tells includes from types, however many parts their names have", () => {
  const text = `context a.b { aspect C { x : Integer; } } aspect D { y : Integer; }
    type T : a.b.C { z : Integer; } type U : D, a.b.C { w : Integer; } type V : a.b.C; type W : D;`;
  const { T, U, V, W } = compile(text).definitions!;
  assert.deepEqual([T.includes, U.includes, V.includes, W.includes], [
    ["a.b.C"],
    ["D", "a.b.C"],
    undefined,
    undefined,
  ]);
  assert.deepEqual([V.type, W.type], ["a.b.C", "D"]);
});

Deno.test("compileCdl() reads literals, delimited names and text in backticks", () => {
  assert.deepEqual(elements("![a b]]c] : Date default date'2020-02-29';"), {
    "a b]c": { type: "cds.Date", default: { val: "2020-02-29", literal: "date" } },
  });
  expectElement("x : String default `tab\\t\\u0021`;", { type: "cds.String", default: { val: "tab\t!" } });
  const block = (text: string) => definition("@x: ```" + text + "```\nentity E {}", "E")["@x"];
  assert.equal(block("md\n    one\n      two\n    "), "one\n  two");
  assert.equal(block("\n  one\n    "), "one");
  assert.equal(block("\r\n  one\r\n\r\n    two\\n  "), "one\n\n  two\n  ");
  assert.deepEqual([block(" one "), block(" "), block("\n")], ["one ", " ", ""]);
});

Deno.test("compileCdl() keeps doc comments only when asked", () => {
  const text = "/** Entity doc\n *  second line */\n@a entity E { /** el */ x : Integer; }";
  assert.equal(definition(text, "E").doc, undefined);
  const documented = compile(text, { docs: true }).definitions?.E;
  assert.equal(documented?.doc, "Entity doc\nsecond line");
  assert.equal(documented?.elements?.x.doc, "el");
  const docOf = (comment: string) => compile(`${comment} entity E {}`, { docs: true }).definitions?.E?.doc;
  const comments = {
    ...{
      "/**a*/": "a",
      "/** a */": "a",
      "/***/": "",
      "/**\n * a\n *\n *   b\r\n * c *d\n */": "a\n\nb\nc *d",
    },
    ...{ "/** first */ /** second */": "second", "/**\n a\n  * b */": "a\nb" },
  };
  for (const [comment, doc] of Object.entries(comments)) assert.equal(docOf(comment) ?? "", doc, comment);
});

Deno.test("compileCdl() keeps positions of definitions, elements and sources out of the data", () => {
  const { $location, elements } = definition("\n  entity E {\n    x : Integer; }", "E");
  assert.deepEqual($location, { file: "m.cds", line: 2, col: 10 });
  assert.deepEqual(elements?.x.$location, { file: "m.cds", line: 3, col: 5 });
  assert.deepEqual(Object.keys(elements?.x ?? {}), ["type"]);
});

Deno.test("parseCdl() qualifies names of one file and names the modules it uses", () => {
  assert.deepEqual(parseCdl("namespace n; using { a.B } from './b'; entity E : B { c : C; }"), {
    namespace: "n",
    requires: ["./b"],
    definitions: { "n.E": { kind: "entity", includes: ["a.B"], elements: { c: { type: "C" } } } },
  });
});

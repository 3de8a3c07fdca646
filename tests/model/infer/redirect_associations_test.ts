import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { localName, serviceOfName } from "../../../src/model/infer/redirect_associations.ts";
import { problemsOf } from "./problems_of.ts";

const BASE = `
  entity DB.A { key id : Integer; name : String; b : Association to DB.B; s { b : Association to DB.B; } l : many { b : Association to DB.B; } }
  entity DB.B { key id : Integer; code : String; }
`;

/** The target of an association of `S.A`, or what is wrong. */
function targetOf(service: string, path: readonly string[] = ["b"]): string {
  const text = `${BASE} service S { entity A as projection on DB.A; ${service} }`;
  const [problem] = problemsOf(text);
  if (problem) return problem;
  let element = inferModel(parseCdl(text)).definitions!["S.A"].elements![path[0]];
  for (const step of path.slice(1)) element = (element.elements ?? element.items!.elements)![step];
  return String(element.target);
}

Deno.test("the projection nearest to the target is it, that which keeps rows before others, in structures and lists too", () => {
  const near = "entity Near as projection on DB.B;";
  const far = "entity Far as projection on Middle; entity Middle as projection on DB.B;";
  const ambiguous = (...names: readonly string[]) =>
    `Association "b" of "S.A" to "DB.B" could be redirected to ${
      names.map((name) => `"${name}"`).join(" and ")
    }, expected @cds.redirection.target at one of them`;
  const cases: readonly (readonly [service: string, target: string])[] = [
    ["", "DB.B"],
    [near, "S.Near"],
    [`${near} ${far}`.replace("entity Middle", "@cds.redirection.target: false entity Middle"), "S.Near"],
    [`${far}`, "S.Middle"],
    [`${far}`.replace("entity Middle", "@cds.redirection.target: false entity Middle"), "S.Far"],
    [`${near} entity Other as projection on DB.B;`, ambiguous("S.Near", "S.Other")],
    [`${near} entity Other as select from DB.B { code };`, "S.Near"],
    [`${near} entity Other as select from DB.B { id } group by id;`, "S.Near"],
    [`${near} entity Other as select distinct from DB.B { id };`, "S.Near"],
    [`${near} entity Other as select from DB.B { id, count(*) as n };`, "S.Near"],
    [`${near} entity Other as select from DB.B { id, 1 + max(id) as n };`, "S.Near"],
    [`${near} entity Other as select from DB.B { id, upper(code) as n };`, ambiguous("S.Near", "S.Other")],
    [
      `${near} entity Other as select from DB.B { id, (select count(*) as c from DB.A) as n };`,
      ambiguous("S.Near", "S.Other"),
    ],
    ["entity Other as select from DB.B { id, count(*) as n };", "S.Other"],
    [
      `@cds.redirection.target: false entity Sums as select from DB.B { id } group by id; entity Far as projection on Sums;
      @cds.redirection.target: false entity Middle as projection on DB.B; entity Long as projection on Middle;`,
      "S.Long",
    ],
    [
      "entity One as select from DB.B { code }; entity Two as select from DB.B { code as c };",
      ambiguous("S.One", "S.Two"),
    ],
    [
      `${near} entity One as select from DB.B { code }; entity Two as projection on DB.B;`,
      ambiguous("S.Near", "S.Two"),
    ],
    [`${near} @cds.redirection.target entity Other as select from DB.B { id, max(code) as c };`, "S.Other"],
    ["entity Near(p : Integer) as select from DB.B { id };", "DB.B"],
    ["@cds.redirection.target entity Near(p : Integer) as select from DB.B { id };", "S.Near"],
    [`${near} entity Other(p : Integer) as select from DB.B { id };`, "S.Near"],
  ];
  assert.deepEqual(cases.map(([service]) => [service, targetOf(service)]), cases);
  for (const path of [["s", "b"], ["l", "b"]]) {
    assert.equal(targetOf(near, path), "S.Near", path.join());
    assert.equal(targetOf("", path), "DB.B", path.join());
  }
});

Deno.test("a target with several projections is told once, and parts lead back to the whole that has them", () => {
  const two = `${BASE} entity DB.C { key id : Integer; b : Association to DB.B; c : Association to DB.B; }
    service S { entity One as projection on DB.B; entity Two as projection on DB.B; entity C as projection on DB.C; }`;
  assert.equal(problemsOf(two).length, 1);
  const model = inferModel(parseCdl(`
    entity DB.O { key id : Integer; to : Composition of many DB.P on to.o = $self; }
    entity DB.P { key id : Integer; o : Association to DB.O; }
    service S { entity A as projection on DB.O { id }; entity B as projection on DB.O; }`)).definitions!;
  assert.equal(model["S.P"].elements!.o.target, "S.B");
  const parts = (condition: string, projections: string) =>
    problemsOf(`
      entity DB.O { key id : Integer; s { o : Integer; } to : Composition of many DB.P on ${condition}; }
      entity DB.M as projection on DB.O;
      entity DB.P { key id : Integer; p : Association to DB.O; o : Association to DB.O; }
      service S { entity A as projection on DB.O { id }; ${projections} }`);
  const told = (key: string, other: string) =>
    `Association "${key}" of "S.P" to "DB.O" could be redirected to "S.A" and "S.${other}", ` +
    "expected @cds.redirection.target at one of them";
  const near = "entity B as projection on DB.O;";
  const far = "entity C as projection on DB.O { id }; entity B as projection on DB.M;";
  assert.deepEqual(parts("to.o = $self and to.p = $self", near), []);
  assert.deepEqual(parts("to.p = $self and s.o = 1", near), [told("o", "B")], "no path of the part");
  assert.deepEqual(
    parts("to.o = $self and to.p = $self", far),
    [told("p", "C")],
    "the whole is farther away",
  );
});

Deno.test("the parts of compositions come into a service, also of types that are compositions, if their names are free", () => {
  const cases: readonly (readonly [element: string, target: string, more?: string])[] = [
    ["Composition of many DB.P", "S.P"],
    ["Parts", "S.P"],
    ["Others", "S.P"],
    ["Links", "DB.P"],
    ["Association to many DB.P", "DB.P"],
    ["Association to many DB.Q", "S.Q"],
    ["Composition of many DB.R", "DB.R"],
    ["Composition of many DB.P", "DB.P", "@cds.redirection.target: false entity P as projection on DB.P;"],
  ];
  const found = cases.map(([element, , more = ""]) => {
    const { definitions } = inferModel(parseCdl(`
      type Parts : Composition of many DB.P; type Others : Parts; type Links : Association to many DB.P;
      entity DB.P { key id : Integer; } @cds.autoexpose entity DB.Q { key id : Integer; }
      @cds.autoexpose: false entity DB.R { key id : Integer; }
      entity DB.O { key id : Integer; to : ${element}; }
      service S { entity O as projection on DB.O; ${more} }`));
    const { target } = definitions!["S.O"].elements!.to;
    return [element, target, ...(more ? [more] : [])];
  });
  assert.deepEqual(found, cases);
  assert.deepEqual(
    problemsOf(
      `entity DB.P { key id : Integer; } entity DB.O { key id : Integer; to : Composition of many DB.P; }
      service S { entity O as projection on DB.O; type P : String; }`,
    ),
    ['"DB.P" cannot be exposed as "S.P": the name is taken'],
  );
});

Deno.test("a definition belongs to the service with the longest name that it begins with; local names keep those of entities", () => {
  const services = new Set(["S", "S.T", "a.S", ""]);
  const names = ["S.E", "S.T.E", "S.U.E", "a.S.E.F", "a.E", "E", "SE.F", "S", ".E"];
  assert.deepEqual(names.map((name) => serviceOfName(services, name)), ["S", "S.T", "S", "a.S", ...Array(5)]);
  const definitions = {
    "n.E": { kind: "entity" },
    "n.E.P": { kind: "entity" },
    E: { kind: "entity" },
    "E.P": { kind: "entity" },
    "F.": { kind: "entity" },
    n: { kind: "context" },
  };
  const local = ["n.E", "n.E.P", "n.E.P.Q", "E", "E.P", "E.P.Q", "n.X", "X", ".E", "n.X.Y", "F..P"];
  assert.deepEqual(local.map((name) => localName({ definitions }, name)), [
    "E",
    "E.P",
    "E.P.Q",
    "E",
    "E.P",
    "E.P.Q",
    "X",
    "X",
    "E",
    "Y",
    ".P",
  ]);
});

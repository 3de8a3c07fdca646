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
  ];
  assert.deepEqual(cases.map(([service]) => [service, targetOf(service)]), cases);
  for (const path of [["s", "b"], ["l", "b"]]) {
    assert.equal(targetOf(near, path), "S.Near", path.join());
    assert.equal(targetOf("", path), "DB.B", path.join());
  }
});

Deno.test("a definition belongs to the service with the longest name that it begins with; local names keep those of entities", () => {
  const services = new Set(["S", "S.T", "a.S"]);
  const names = ["S.E", "S.T.E", "S.U.E", "a.S.E.F", "a.E", "E", "SE.F", "S"];
  assert.deepEqual(names.map((name) => serviceOfName(services, name)), ["S", "S.T", "S", "a.S", ...Array(4)]);
  const definitions = {
    "n.E": { kind: "entity" },
    "n.E.P": { kind: "entity" },
    E: { kind: "entity" },
    "E.P": { kind: "entity" },
    n: { kind: "context" },
  };
  const local = ["n.E", "n.E.P", "n.E.P.Q", "E", "E.P", "E.P.Q", "n.X", "X", ".E", "n.X.Y"];
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
  ]);
});

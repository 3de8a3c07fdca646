/** Which rows an UPDATE or DELETE means, and how their table is asked for them. */

import assert from "node:assert/strict";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import type { EntityRef, Xo } from "../../../src/cqn/cqn.ts";
import type { Expr } from "../../../src/algebra/tree.ts";
import { selectRows } from "../../../src/db/write/write_condition.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { writing } from "./rows_after.ts";

const CDL = `
  entity E { key a : Integer; key b : String; c : Integer; flag : Boolean; to : Association to T; }
  entity T { key ID : Integer; n : Integer; }
  entity All as projection on E { a, b as name, c, to, a + 1 as next : Integer, to.n as n };
  entity OfAll as projection on All { a, name as title };
  entity Some as projection on E where c = 1;
  entity OfSome as projection on Some;
  entity First as projection on T where n = 1;
  entity Filtered as select from E[c = 1] { a, b };
  entity Names { key Names : String; }
  entity Named as projection on E { a, b as Names };
  @cds.persistence.exists entity There as projection on E { a, b };
  entity Few as select from E { a, b, c } order by a limit 1;`;
const MODEL = linkModel(parseCdl(CDL));
const ROWS = {
  T: [{ ID: 1, n: 1 }, { ID: 2, n: 2 }],
  Names: [{ Names: "x" }],
  E: [
    { a: 1, b: "x", c: 1, flag: true, to_ID: 1 },
    { a: 1, b: "y", c: 2, flag: null, to_ID: 2 },
    { a: 2, b: "x", c: 1, flag: false, to_ID: null },
  ],
};

/** Where rows are asked for: in the table alone, among those of the entity, or both. */
type Asked = "table" | "entity" | "both" | "all";

const CASES: readonly (readonly [entity: string, where: string, left: string, asked: Asked])[] = [
  ["E", "", "", "all"],
  ["E", "a = 1", "2x", "table"],
  ["E", "a = 1 and b = 'x'", "1y 2x", "table"],
  ["E", "to.n = 2", "1x 2x", "entity"],
  ["E", "a = 1 and to.n = 2", "1x 2x", "both"],
  ["E", "to.ID = 2", "1x 2x", "table"],
  ["E", "a in (select ID from T where ID = 2)", "1x 1y", "table"],
  ["All", "", "", "all"],
  ["All", "name = 'x'", "1y", "table"],
  ["All", "next = 2", "2x", "entity"],
  ["All", "n = 2 and name = 'y'", "1x 2x", "both"],
  ["All", "to.n = 2", "1x 2x", "entity"],
  ["All", "a in (select ID from T where ID = 2)", "1x 1y", "entity"],
  ["OfAll", "title = 'x'", "1y", "table"],
  ["Some", "", "1y", "entity"],
  ["Some", "a = 1", "1y 2x", "both"],
  ["OfSome", "a = 1", "1y 2x", "both"],
  ["Filtered", "", "1y", "entity"],
  ["Named", "Names in (select Names from Names)", "1y", "entity"],
  ["Named", "Names in (select Names from Names union select Names from Names)", "1y", "entity"],
  ["Few", "c = 1", "1y 2x", "both"],
];

/** The conditions that are joined by `and`. */
function conjunctsOf(ref: EntityRef, text: string): readonly Expr[] {
  const where = text === "" ? undefined : parseExpression(text);
  const { where: found } = selectRows({ model: MODEL }, { ref, where }, {}).selection;
  if (found === undefined) return [];
  return found.kind === "joined" && found.op === "and" ? found.args : [found];
}

function askedOf(entity: EntityRef, text: string): Asked {
  const conjuncts = conjunctsOf(entity, text);
  if (conjuncts.length === 0) return "all";
  const among = conjuncts.filter((one) => one.kind === "in" && one.left.kind === "list").length;
  return among === 0 ? "table" : among === conjuncts.length ? "entity" : "both";
}

Deno.test("rows of views are found by the columns of their table where these say it, else among the rows of the view (csn-cqn 5)", async () => {
  for (const [entity, text, left, asked] of CASES) {
    const where = text === "" ? undefined : parseExpression(text);
    assert.equal(askedOf(entity, text), asked, `${entity} ${text}`);
    await writing(CDL, ROWS, async ({ run, rows }) => {
      await run({ DELETE: { from: entity, where } });
      const found = (await rows("SELECT from E { a, b } order by a, b")).map((row) => row.replace(" ", ""));
      assert.equal(found.join(" "), left, `${entity} ${text}`);
    });
  }
});

Deno.test("a view that a table stands for need not have all rows", () =>
  assert.equal(askedOf("There", ""), "entity"));

Deno.test("an association with the name of its table comes before it in conditions", async () => {
  for (const where of ["E.n = 1", "exists E[n = 1]"]) {
    await writing(
      "entity E { key ID : Integer; n : Integer; E : Association to E; }",
      { E: [{ ID: 1, n: 1 }, { ID: 2, n: 2, E_ID: 1 }, { ID: 3, n: 3, E_ID: 2 }] },
      async ({ run, rows }) => {
        await run({ DELETE: { from: "E", where: parseExpression(where) } });
        assert.deepEqual(await rows("SELECT from E { ID } order by ID"), ["1", "3"], where);
      },
    );
  }
});

Deno.test("rows with one key are found by it, without a list", () => {
  const [among] = conjunctsOf("First", "");
  assert.ok(among.kind === "in");
  assert.equal(among.left.kind, "reference");
});

Deno.test("steps, pages and queries of a path say which rows are meant, as conditions do", async () => {
  const step = (more: object) => ({ ref: [{ id: "E", ...more }] }) as unknown as EntityRef;
  const where = parseExpression("a = 1");
  const cases: readonly (readonly [ref: EntityRef, where: string, left: string, asked: Asked])[] = [
    [step({ where }), "", "2x", "table"],
    [step({ where }), "b = 'x'", "1y 2x", "table"],
    [step({ query: { SELECT: { from: { ref: ["E"] }, where } } }), "", "2x", "entity"],
    [step({ query: { SELECT: { from: { ref: ["E"] }, where } } }), "b = 'x'", "1y 2x", "both"],
    [{ ref: ["E"], as: "e" } as EntityRef, "e.a = 1", "2x", "table"],
    [{ ref: ["E"] }, "E.a = 1", "2x", "table"],
    [{ ref: ["All"], as: "name" } as EntityRef, "name.a = 1", "2x", "entity"],
  ];
  for (const [ref, text, left, asked] of cases) {
    assert.equal(askedOf(ref, text), asked, `${JSON.stringify(ref)} ${text}`);
    await writing(CDL, ROWS, async ({ run, rows }) => {
      await run({ DELETE: { from: ref, where: text === "" ? undefined : parseExpression(text) } });
      const found = (await rows("SELECT from E { a, b } order by a, b")).map((row) => row.replace(" ", ""));
      assert.equal(found.join(" "), left, `${JSON.stringify(ref)} ${text}`);
    });
  }
});

Deno.test("a value that is set by an expression is one of its column, also of Boolean", () =>
  writing(CDL, ROWS, async ({ run, rows }) => {
    const where = parseExpression("a = 1 and b = 'y'");
    await run({ UPDATE: { entity: "E", data: {}, with: { flag: { val: true }, c: { val: 7 } }, where } });
    assert.deepEqual(await rows("SELECT from E { c, flag } where b = 'y'"), ["7 true"]);
    await run({
      UPDATE: {
        entity: "All",
        data: {},
        with: { c: { xpr: [{ ref: ["a"] }, "+", { ref: ["c"] }] } },
        where: parseExpression("name = 'y'"),
      },
    });
    assert.deepEqual(await rows("SELECT from E { c } order by a, b"), ["1", "8", "1"]);
  }));

Deno.test("what means rows is lowered once for queries that are alike, and for each that is too large to be kept", () => {
  const selectionOf = (...where: readonly Xo[]) =>
    selectRows({ model: MODEL }, { ref: { ref: ["E"], as: "e" } as EntityRef, where }, {}).selection;
  assert.equal(selectionOf(...parseExpression("e.a = 1")), selectionOf(...parseExpression("e.a = 2")));
  const large = Array.from({ length: 20 }, () => [...parseExpression("a = 1"), "or"] as Xo[]).flat();
  const where = [...large, ...parseExpression("b = 'x'")];
  const query = { ref: "E", where };
  const [before, after] = ["x", "y"].map((val) => {
    where[where.length - 1] = { val };
    return JSON.stringify(selectRows({ model: MODEL }, query, {}).selection.where);
  });
  assert.ok(before!.includes('"x"') && after!.includes('"y"'));
});

Deno.test("an entity that is not there is refused", () => {
  assert.throws(() => selectRows({ model: MODEL }, { ref: "Nothing" }, {}), {
    message: 'Unknown entity "Nothing"',
  });
});

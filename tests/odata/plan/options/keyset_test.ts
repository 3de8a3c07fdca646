/** Pages that go on behind a row (OData Protocol 11.2.6.7). */

import assert from "node:assert/strict";
import { literal, reference } from "../../../../src/algebra/build.ts";
import type { Expr } from "../../../../src/algebra/tree.ts";
import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import { createPlanner } from "../../../../src/odata/plan/planner.ts";
import { behindRow, tokenValue, writePageToken } from "../../../../src/odata/plan/options/keyset.ts";
import { planOf } from "../model.ts";

const PLANNER = createPlanner(
  linkModel(parseCdl(`service S {
    entity Rows { key ID : Integer; flag : Boolean; name : String; large : LargeString; whole : Int64; exact : Decimal(9,2); day : Date;
      hour : Time; second : DateTime; instant : Timestamp; uuid : UUID; bytes : Binary; kind : String not null; up : Association to Rows; }
  }`)).service("S")!,
);

const page = (url: string) => planOf(PLANNER, url, "GET", { pageSize: 2 });

Deno.test("pages in the order of texts, numbers, truth values and instants go on behind their last row", () => {
  for (
    const name of [
      "flag",
      "name",
      "large",
      "whole",
      "exact",
      "day",
      "hour",
      "second",
      "instant",
      "uuid",
      "kind",
    ]
  ) {
    const { keyset } = page(`Rows?$orderby=${name} desc`).paging!;
    assert.deepEqual(keyset?.map(({ name, desc }) => [name, desc]), [[name, true], ["ID", false]], name);
  }
  for (const order of ["bytes", "length(name)", "whole add 1"]) {
    assert.equal(page(`Rows?$orderby=${order}`).paging!.keyset, undefined, order);
  }
  assert.deepEqual(page("Rows?$orderby=up/name").paging!.keyset?.map((term) => "name" in term), [
    false,
    true,
  ]);
});

Deno.test("the token of a page is one of its order only", () => {
  const token = (former: number, total: number | undefined, ...values: (string | null)[]) =>
    writePageToken({ former, total, values })!;
  const encoded = (nulls: string, content: string) =>
    `${nulls}.${btoa(content).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  const refused: readonly (readonly [order: string, token: string])[] = [
    ["name", token(1, undefined, "a")],
    ["name", token(1, undefined, "a", "1", "2")],
    ["name", token(1, undefined, "a", null)],
    ["kind", token(1, undefined, null, "1")],
    ["flag", token(1, undefined, "maybe", "1")],
    ["day", token(1, undefined, "2024-02-30", "1")],
    ["name", token(-1, undefined, "a", "1")],
    ["name", token(1.5, undefined, "a", "1")],
    ["name", token(1, -1, "a", "1")],
    ["name", encoded("vv", '[1,"2","a","1"]')],
    ["name", encoded("vv", '[1,null,"a",1]')],
    ["name", encoded("vv", '[1,null,"a",null]')],
    ["name", encoded("vv", '[1,null,"a"]')],
    ["name", encoded("vv", "{}")],
    ["name", encoded("vv", "[1,null")],
    ["name", encoded("vv", '[1,null,"\xff","1"]')],
  ];
  for (const [order, text] of refused) {
    assert.throws(
      () => page(`Rows?$orderby=${order}&$skiptoken=${text}`),
      { status: 400, message: `"${text}" is no valid $skiptoken (offset ${26 + order.length})` },
      text,
    );
  }
  for (
    const [order, text] of [
      ["name", token(0, undefined, "ä", "1")],
      ["name", token(2, undefined, null, "1")],
      ["flag", token(2, undefined, "true", "1")],
      ["day", token(2, 5, "2024-02-29", "1")],
      ["name", token(2, 0, "a", "1")],
      ["name&$count=true", token(0, 0, "a", "1")],
      ["name&$count=true", token(2, 5, "a", "1")],
    ] as const
  ) assert.ok(page(`Rows?$orderby=${order}&$skiptoken=${text}`).query.SELECT.where, order);
  const counted = token(2, undefined, "a", "1");
  assert.throws(() => page(`Rows?$orderby=name&$count=true&$skiptoken=${counted}`), { status: 400 });
});

Deno.test("tokens hold values as text, and are no longer than URLs may be", () => {
  assert.deepEqual([7, 7n, true, "", null, undefined].map(tokenValue), ["7", "7", "true", "", null, null]);
  const lengthOf = (length: number) =>
    writePageToken({ former: 0, total: undefined, values: ["a".repeat(length)] })?.length;
  assert.equal(lengthOf(737), 1000);
  assert.equal(lengthOf(738), undefined);
});

type Cell = number | null;
type Cells = Readonly<Record<string, Cell>>;

/** What an expression is for a row, as SQL has it: null is neither behind nor beside any other value. */
function meets(expr: Expr, row: Cells): boolean {
  if (expr.kind === "joined") {
    return expr.op === "and"
      ? expr.args.every((arg) => meets(arg, row))
      : expr.args.some((arg) => meets(arg, row));
  }
  assert.ok(expr.kind === "comparison");
  const [left, right] = [expr.left, expr.right].map((side) => {
    if (side.kind === "literal") return side.val as Cell;
    assert.ok(side.kind === "reference");
    return row[String(side.ref[0])]!;
  });
  if (expr.op === "==") return left === right;
  if (expr.op === "!=") return left !== right;
  if (left === null || right === null) return false;
  return {
    "=": left === right,
    "<": left! < right!,
    "<=": left! <= right!,
    ">": left! > right!,
    ">=": left! >= right!,
  }[
    expr.op as "="
  ];
}

/** Whether a row comes behind another one: null is the smallest value. */
function isBehind(
  row: Cells,
  other: Cells,
  terms: readonly (readonly [name: string, desc: boolean])[],
): boolean {
  for (const [name, desc] of terms) {
    const [one, two] = [row[name] ?? -1, other[name] ?? -1];
    if (one !== two) return desc ? one < two : one > two;
  }
  return false;
}

Deno.test("the rows behind a row are those that come after it, null first ascending and last descending (Protocol 11.2.6.2)", () => {
  const integer = { builtin: "cds.Integer" } as never;
  const orders = [false, true].flatMap((first) =>
    [false, true].flatMap((nullable) => [false, true].map((second) => ({ first, nullable, second })))
  );
  const values: readonly Cell[] = [null, 0, 1];
  for (const { first, nullable, second } of orders) {
    const terms = [["a", first, nullable], ["b", second, true], ["c", false, false]] as const;
    const ordered = terms.map(([name, desc, nullable]) => ({
      term: { name, desc, nullable, type: integer },
      expr: reference([name]),
    }));
    const rows = values.flatMap((a) => values.flatMap((b) => [0, 1].map((c): Cells => ({ a, b, c })))).filter(
      (row) => nullable || row.a !== null,
    );
    for (const other of rows) {
      const operands = terms.map(([name]) => other[name] === null ? undefined : literal(other[name]!));
      const condition = behindRow(ordered, operands);
      for (const row of rows) {
        assert.equal(
          meets(condition, row),
          isBehind(row, other, terms.map(([name, desc]) => [name, desc])),
          JSON.stringify([terms, other, row]),
        );
      }
    }
  }
});

Deno.test("an index on the first term finds where the rows behind begin, unless null comes last (Protocol 11.2.6.7)", () => {
  const bound = (
    terms: readonly (readonly [desc: boolean, nullable: boolean])[],
    values: readonly Cell[],
  ) => {
    const condition = behindRow(
      terms.map(([desc, nullable], at) => ({
        term: { desc, nullable, type: { builtin: "cds.Integer" } as never },
        expr: reference([`t${at}`]),
      })),
      values.map((value) => value === null ? undefined : literal(value)),
    );
    const first = condition.kind === "joined" && condition.op === "and" ? condition.args[0]! : condition;
    return first.kind === "comparison" ? first.op : first.kind;
  };
  const [up, down] = [[false, false], [true, false]] as const;
  assert.equal(bound([up], [1]), ">");
  assert.equal(bound([down], [1]), "<");
  assert.equal(bound([up, up], [1, 1]), ">=");
  assert.equal(bound([[false, true], up], [1, 1]), ">=");
  assert.equal(bound([down, up], [1, 1]), "<=");
  assert.equal(bound([[true, true], up], [1, 1]), "joined");
  assert.equal(bound([[false, true], up], [null, 1]), "joined");
  assert.equal(bound([[true, true], up], [null, 1]), "==");
  // nothing lies behind null at the end
  assert.equal(bound([[true, true]], [null]), "=");
});

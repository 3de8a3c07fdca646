/** What the database in memory asks of a table because of a condition. */

import assert from "node:assert/strict";
import { column, compare, join, list, literal, parameter, reference } from "../../../src/algebra/build.ts";
import type { Expr, TreeSelect } from "../../../src/algebra/tree.ts";
import { compilerAt } from "../../../src/db/memory/compile_query.ts";
import type { Restriction, Run } from "../../../src/db/memory/evaluation.ts";
import { compileSource } from "../../../src/db/memory/source.ts";

/** Reads table T as `t` beside a row of `u`; gives what is asked of the table each time. */
function askedFor(condition: Expr | undefined): unknown[] {
  const asked: unknown[] = [];
  const compiled = compileSource(
    compilerAt(["u"]),
    { kind: "reference", ref: ["T"], as: "t" },
    condition,
  );
  const data = {
    rows: (name: string, _run: Run, only?: Restriction) => (asked.push([name, only]), []),
  };
  const run = { data, params: { p: 7 }, clock: { check: () => {} } } as unknown as Run;
  compiled.each({ u: { m: 5, none: null } }, run, { row: () => {} });
  return asked;
}

const [n, m, ofU] = [column("t", "n"), column("t", "m"), column("u", "m")];
const ONE = literal(1);
const found = (value: unknown, name = "n") => [["T", { column: name, value }]];
const ALL = [["T", undefined]];

const CASES: Readonly<Record<string, readonly [Expr | undefined, unknown]>> = {
  "no condition": [undefined, ALL],
  "a value": [compare(n, "=", ONE), found(1)],
  "a value on the left": [compare(ONE, "=", n), found(1)],
  "a text": [compare(n, "=", literal("")), found("")],
  "no value, which nothing is equal to": [compare(n, "=", literal(null)), []],
  "several values": [compare(n, "=", literal([1, 2])), ALL],
  "a list": [compare(n, "=", list([ONE, ONE])), ALL],
  "a parameter": [compare(n, "=", parameter("p")), found(7)],
  "a column of a source around": [compare(n, "=", ofU), found(5)],
  "a column of a source around, on the left": [compare(ofU, "=", n), found(5)],
  "a column of a source around without value": [compare(n, "=", column("u", "none")), []],
  "a column of the same source": [compare(n, "=", m), ALL],
  "a column of a source around with a value": [compare(ofU, "=", ONE), ALL],
  "a comparison of another kind": [compare(n, "<", ONE), ALL],
  "a comparison that takes null for a value": [compare(n, "==", ONE), ALL],
  "a path that is no column": [compare(reference(["t"]), "=", ONE), ALL],
  "a path of more steps": [compare(reference(["t", "n", "m"]), "=", ONE), ALL],
  "one of two conditions": [join("or", [compare(n, "=", ONE), compare(m, "=", ONE)]), ALL],
  "two conditions, of which the second can be looked up": [
    join("and", [compare(n, "<", ONE), compare(ONE, "=", m)]),
    found(1, "m"),
  ],
  "two conditions that can be looked up": [
    join("and", [compare(n, "=", ONE), compare(m, "=", literal(2))]),
    found(1),
  ],
};

for (const [rule, [condition, expected]] of Object.entries(CASES)) {
  Deno.test(`a table is asked for the rows that an equality leaves, and for all otherwise: ${rule}`, () =>
    assert.deepEqual(askedFor(condition), expected));
}

/** Reads a query from T as `q` beside a row of a source, twice in one statement; gives how often it asks for the table. */
function timesAsked(query: TreeSelect["SELECT"], around: string): number {
  let count = 0;
  const compiled = compileSource(
    compilerAt([around]),
    { kind: "select", SELECT: query, as: "q" },
    undefined,
  );
  const data = { rows: () => (count++, [{ n: 1 }]) };
  const run = { data, memo: new Map(), clock: { check: () => {} } } as unknown as Run;
  for (const m of [1, 2]) compiled.each({ [around]: { m } }, run, { row: () => {} });
  return count;
}

Deno.test("rows of a query that names nothing around it are read once in a statement", () => {
  const query = { from: { kind: "reference", ref: ["T"], as: "t" }, columns: [{ ...n, as: "n" }] } as const;
  assert.equal(timesAsked(query, "u"), 1);
  assert.equal(timesAsked({ ...query, where: compare(n, "<", ofU) }, "u"), 2);
  assert.equal(timesAsked(query, "T"), 1, "a table is not the source around with its name");
});

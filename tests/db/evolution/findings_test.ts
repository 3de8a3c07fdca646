/** What deploying would lose, and what it cannot do, by the rows that are there. */

import assert from "node:assert/strict";
import type { ColumnShape, TableShape } from "../../../src/db/ddl/schema_shape.ts";
import { diffSchemas } from "../../../src/db/evolution/diff_schemas.ts";
import { findingsOf, rowProbes } from "../../../src/db/evolution/table_catalog.ts";

const text = (length?: number) => ({ builtin: "cds.String", ...length !== undefined && { length } });
const column = (name: string, more: Partial<ColumnShape> = {}): ColumnShape => ({
  ...{ name, sql: "INT", type: { builtin: "cds.Integer" } },
  ...more,
});
const table = (...columns: readonly ColumnShape[]): TableShape => ({
  ...{ name: "T", entity: "my.T", columns: [column("ID"), ...columns], key: ["ID"], constraints: [] },
});

/** What tables hold: the longest text of a column, and whether it holds null. */
interface Held {
  readonly isEmpty?: boolean;
  readonly longest?: number;
  readonly hasNull?: boolean;
}

async function findings(before: readonly TableShape[], after: readonly TableShape[], held: Held = {}) {
  const { isEmpty = false, longest = 0, hasNull = false } = held;
  return await findingsOf(diffSchemas(before, after), {
    hasRows: () => Promise.resolve(!isEmpty),
    hasNull: () => Promise.resolve(hasNull),
    hasLonger: (_table, _column, characters) => Promise.resolve(longest > characters),
  });
}

/** A table before and after, what it holds, and what is found. */
const CHANGES: readonly (readonly [
  before: readonly ColumnShape[],
  after: readonly ColumnShape[],
  held: Held,
  found: { readonly losses?: string; readonly obstacles?: string },
])[] = [
  [[column("a")], [], {}, { losses: 'the values of column "a" of "my.T", which the model does not have' }],
  [[column("a", { generated: "1" })], [], {}, {}],
  [[column("a", { copyOf: { column: "ID", by: "x" } })], [], {}, {}],
  [[], [column("a")], {}, {}],
  [
    ...[[], [column("a", { notNull: true })], {}] as const,
    { obstacles: '"my.T" has rows, but no column "a", which must not be null and has no default' },
  ],
  [[], [column("a", { notNull: true, fallback: "1" })], {}, {}],
  [[], [column("a", { notNull: true, generated: "1" })], {}, {}],
  [
    [column("a", { type: text(9), sql: "A" })],
    [column("a", { type: text(5), sql: "B" })],
    { longest: 5 },
    {},
  ],
  [
    ...[[column("a", { type: text(9), sql: "A" })], [column("a", { type: text(5), sql: "B" })]] as const,
    ...[{ longest: 6 }, { losses: 'values of column "a" of "my.T", which are A and become B' }] as const,
  ],
  [
    ...[[column("a", { type: text(300), sql: "A" })], [column("a", { type: text(), sql: "B" })]] as const,
    ...[{ longest: 255 }, {}] as const,
  ],
  [
    ...[[column("a", { type: text(300), sql: "A" })], [column("a", { type: text(), sql: "B" })]] as const,
    ...[{ longest: 256 }, { losses: 'values of column "a" of "my.T", which are A and become B' }] as const,
  ],
  [
    ...[[column("a", { type: text(9), sql: "A" })], [column("a", { sql: "B" })], {}] as const,
    { losses: 'values of column "a" of "my.T", which are A and become B' },
  ],
  [
    ...[[column("a")], [column("a", { generated: "1" })], {}] as const,
    { losses: 'the values of column "a" of "my.T", which gets calculated' },
  ],
  [[column("a", { generated: "2" })], [column("a", { generated: "1" })], {}, {}],
  [[column("a", { generated: "2" })], [column("a")], {}, {}],
  [[column("a")], [column("a", { notNull: true })], {}, {}],
  [
    ...[[column("a")], [column("a", { notNull: true })], { hasNull: true }] as const,
    { obstacles: 'null in column "a" of "my.T", which must not be null and has no default' },
  ],
  [
    ...[[column("a")], [column("a", { notNull: true, fallback: "1" })], { hasNull: true }] as const,
    { losses: 'null in column "a" of "my.T", which must not be null: the default takes its place' },
  ],
];

Deno.test("values that a change loses are losses, what rows do not allow are obstacles, and tables without rows have neither", async () => {
  for (const [before, after, held, { losses, obstacles }] of CHANGES) {
    const what = JSON.stringify([before, after, held]);
    const found = {
      losses: losses === undefined ? [] : [losses],
      obstacles: obstacles === undefined ? [] : [obstacles],
    };
    assert.deepEqual(await findings([table(...before)], [table(...after)], held), found, what);
    const empty = await findings([table(...before)], [table(...after)], { ...held, isEmpty: true });
    assert.deepEqual(empty, { losses: [], obstacles: [] }, what);
  }
});

Deno.test("a new column of the key needs a default where there are rows", async () => {
  const keyed = (more: Partial<ColumnShape>): TableShape => ({
    ...table(column("k", more)),
    key: ["ID", "k"],
  });
  assert.deepEqual((await findings([table()], [keyed({})])).obstacles, [
    '"my.T" has rows, but no column "k", which is part of the key and has no default',
  ]);
  assert.deepEqual((await findings([table()], [keyed({ fallback: "1" })])).obstacles, []);
});

Deno.test("rows of tables that the model does not have are lost, if there are any", async () => {
  assert.deepEqual(await findings([table()], []), {
    losses: ['the rows of "my.T", which the model does not have'],
    obstacles: [],
  });
  assert.deepEqual((await findings([table()], [], { isEmpty: true })).losses, []);
});

Deno.test("rows are looked for by queries that find one at most", async () => {
  const asked: string[] = [];
  const probes = (rows: readonly Record<string, unknown>[]) =>
    rowProbes((sql) => {
      asked.push(sql);
      return Promise.resolve(rows);
    });
  assert.deepEqual([await probes([{}]).hasRows("T"), await probes([]).hasRows("T")], [true, false]);
  assert.deepEqual([await probes([{}]).hasNull("T", "a"), await probes([]).hasNull("T", "a")], [true, false]);
  assert.equal(await probes([{}]).hasLonger("T", "a", 5), true);
  assert.equal(await probes([{ model: "{}" }]).deployed(), "{}");
  assert.equal(await probes([]).deployed(), undefined);
  assert.match(asked[2]!, /"a" IS NULL/i);
  assert.match(asked[4]!, /length\("a"\) > 5/i);
  for (const sql of asked.slice(0, 5)) assert.match(sql, /^SELECT 1 .*FROM "T".* LIMIT 1$/);
});

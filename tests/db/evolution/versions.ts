/**
 * Random versions of a model with rows, and what becomes of the rows.
 *
 * @module
 */

import fc from "fast-check";
import type { Csn, CsnElement } from "../../../src/model/csn.ts";
import type { Row } from "../../../src/cqn/cqn.ts";

/** Types, what fits into them without change, and values. */
const TYPES: Readonly<
  Record<string, { csn: CsnElement; into: readonly string[]; values: readonly unknown[] }>
> = {
  small: { csn: { type: "cds.UInt8" }, into: ["int", "long", "dec", "wide"], values: [0, 7, 255] },
  int: { csn: { type: "cds.Integer" }, into: ["long", "wide"], values: [0, -5, 2147483647] },
  long: { csn: { type: "cds.Int64" }, into: [], values: [0, -5, 9007199254740991] },
  dec: { csn: { type: "cds.Decimal", precision: 5, scale: 2 }, into: ["wide"], values: [0, 1.25, -999.99] },
  wide: { csn: { type: "cds.Decimal", precision: 15, scale: 3 }, into: [], values: [0, 1.125, 12345678.5] },
  short: { csn: { type: "cds.String", length: 5 }, into: ["text", "lob"], values: ["", "a'b", "Straß"] },
  text: { csn: { type: "cds.String", length: 40 }, into: ["lob"], values: ["", "longer than five", "日本"] },
  lob: { csn: { type: "cds.LargeString" }, into: [], values: ["", "x".repeat(500)] },
  uuid: {
    csn: { type: "cds.UUID" },
    into: ["text", "lob"],
    values: ["0d4ee4a2-3c10-4b8e-9bd7-6c1f3f2a1c11", "0d4ee4a2-3c10-4b8e-9bd7-6c1f3f2a1c12"],
  },
  flag: { csn: { type: "cds.Boolean" }, into: [], values: [true, false] },
  day: { csn: { type: "cds.Date" }, into: [], values: ["2026-02-28", "1999-12-31"] },
  double: { csn: { type: "cds.Double" }, into: [], values: [0, 1.5, -1e10] },
};

/** A column of a version. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly fallback?: unknown;
  readonly was?: string;
  readonly key?: boolean;
}

/** A version of the model: one entity with a view on it. */
export interface Version {
  readonly entity: string;
  readonly was?: string;
  readonly columns: readonly Column[];
  /** Columns whose values are unique. */
  readonly unique?: string;
  /** Whether there is a calculated column, and an index. */
  readonly extras: boolean;
}

const ID: Column = { name: "ID", type: "int", notNull: true, key: true };
const typeName = fc.constantFrom(...Object.keys(TYPES));
const column = (name: string): fc.Arbitrary<Column> =>
  fc.record({ type: typeName, notNull: fc.boolean(), defaulted: fc.integer({ min: 0, max: 3 }) }).map((
    { type, notNull, defaulted },
  ) => ({
    name,
    type,
    notNull,
    ...(defaulted === 0 ? { fallback: TYPES[type]!.values[0] } : {}),
  }));

const first: fc.Arbitrary<Version> = fc.record({
  columns: fc.tuple(column("a"), column("b"), column("c"), column("d")),
  size: fc.integer({ min: 1, max: 4 }),
  unique: fc.boolean(),
  extras: fc.boolean(),
}).map(({ columns, size, unique, extras }) => ({
  entity: "my.Books",
  columns: [ID, ...columns.slice(0, size)],
  extras,
  ...(unique ? { unique: "a" } : {}),
}));

/** What happens to one column. */
interface Change {
  readonly kind: string;
  readonly type: string;
  readonly widen: boolean;
  readonly pick: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("keep", "keep", "keep", "drop", "rename", "type", "null", "default", "key"),
  type: typeName,
  widen: fc.boolean(),
  pick: fc.nat(),
});

/** Two versions and rows of the first. */
export const versions: fc.Arbitrary<{ before: Version; after: Version; rows: readonly Row[] }> = fc.record({
  before: first,
  changes: fc.array(change, { minLength: 4, maxLength: 4 }),
  added: fc.option(column("n"), { nil: undefined }),
  renamed: fc.integer({ min: 0, max: 3 }).map((value) => value === 0),
  unique: fc.boolean(),
  extras: fc.boolean(),
  picks: fc.array(fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), { maxLength: 4 }),
}).map(({ before, changes, added, renamed, unique, extras, picks }) => {
  const columns = before.columns.slice(1).flatMap((one, index) => changed(one, changes[index]!));
  const after: Version = {
    entity: renamed ? "my.Titles" : "my.Books",
    ...(renamed ? { was: "Books" } : {}),
    columns: [ID, ...columns, ...(added ? [added] : [])],
    extras,
    ...(unique && columns[0] ? { unique: columns[0].name } : {}),
  };
  const rows = picks.map((pick, index) => rowOf(before, index, pick));
  return { before, after, rows: before.unique ? distinct(rows, before.unique) : rows };
});

function changed(column: Column, { kind, type, widen, pick }: Change): Column[] {
  switch (kind) {
    case "drop":
      return [];
    case "rename":
      return [{ ...column, name: `${column.name}2`, was: column.name }];
    case "type": {
      const { into } = TYPES[column.type]!;
      const to = widen && into.length > 0 ? into[pick % into.length]! : type;
      const { fallback: _fallback, ...rest } = column;
      return [{ ...rest, type: to }];
    }
    case "null":
      return [{ ...column, notNull: !column.notNull }];
    case "default":
      return [{ ...column, fallback: TYPES[column.type]!.values[1] }];
    case "key":
      return column.type === "lob" ? [column] : [{ ...column, key: true, notNull: true }];
    default:
      return [column];
  }
}

function rowOf({ columns }: Version, index: number, pick: readonly number[]): Row {
  return Object.fromEntries(columns.map(({ name, type, notNull, key }, at) => {
    if (key) return [name, index + 1];
    const values = notNull ? TYPES[type]!.values : [null, ...TYPES[type]!.values];
    return [name, values[pick[at]! % values.length]];
  }));
}

function distinct(rows: readonly Row[], name: string): readonly Row[] {
  return rows.filter((row, index) =>
    row[name] === null || rows.findIndex((other) => other[name] === row[name]) === index
  );
}

/** The model of a version. */
export function modelOf({ entity, was, columns, unique, extras }: Version): Csn {
  const elements = Object.fromEntries(columns.map(({ name, type, notNull, fallback, was, key }) => [name, {
    ...TYPES[type]!.csn,
    ...(key ? { key: true } : {}),
    ...(notNull && !key ? { notNull: true } : {}),
    ...(fallback === undefined ? {} : { default: { val: fallback } }),
    ...(was === undefined ? {} : { "@fw.renamedFrom": was }),
  } as CsnElement]));
  const calculated: CsnElement = {
    type: "cds.Integer",
    value: { xpr: [{ ref: ["ID"] }, "+", { val: 1 }], stored: true },
  };
  return {
    definitions: {
      [entity]: {
        kind: "entity",
        elements: { ...elements, ...(extras ? { next: calculated } : {}) },
        ...(was === undefined ? {} : { "@fw.renamedFrom": was }),
        ...(unique === undefined ? {} : { "@assert.unique.u": [{ "=": unique }] }),
        ...(extras ? { "@fw.index.i": [{ "=": columns.at(-1)!.name }] } : {}),
      },
      "my.View": { kind: "entity", projection: { from: { ref: [entity] } } },
    },
  };
}

/** Why a change must be refused; none if no row loses anything. */
export function reasonsToRefuse(before: Version, after: Version, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const reasons: string[] = [];
  const old = (column: Column) =>
    before.columns.find(({ name }) => name === column.name) ??
      before.columns.find(({ name }) => name === column.was);
  for (const column of after.columns) {
    const earlier = old(column);
    const values = earlier ? rows.map((row) => row[earlier.name]) : [];
    if (!earlier) {
      if (column.notNull && column.fallback === undefined) reasons.push(`no value for ${column.name}`);
      continue;
    }
    const isKept = column.type === earlier.type || TYPES[earlier.type]!.into.includes(column.type) ||
      fit(values, earlier, column);
    if (!isKept) {
      // texts of 36 characters look alike whatever they mean
      reasons.push(`${earlier.type} to ${column.type}`);
    }
    if (column.notNull && !earlier.notNull && values.includes(null)) reasons.push(`null in ${column.name}`);
    if (after.unique === column.name && hasDuplicates(values)) reasons.push(`duplicates in ${column.name}`);
  }
  const kept = new Set(after.columns.map(old));
  for (const column of before.columns) if (!kept.has(column)) reasons.push(`${column.name} is dropped`);
  return reasons;
}

/** Whether all texts are within the length of another type. */
function fit(values: readonly unknown[], { type: before }: Column, { type: after }: Column): boolean {
  const { length } = TYPES[after]!.csn;
  return length !== undefined && ["short", "text", "lob", "uuid"].includes(before) &&
    values.every((value) => value === null || [...String(value)].length <= length);
}

function hasDuplicates(values: readonly unknown[]): boolean {
  const given = values.filter((value) => value !== null);
  return new Set(given).size < given.length;
}

/** The rows after a change that keeps all values. */
export function expectedRows(after: Version, rows: readonly Row[]): Row[] {
  return rows.map((row) =>
    Object.fromEntries(after.columns.map(({ name, was, fallback }) => {
      const from = [name, was].find((one) => one !== undefined && Object.hasOwn(row, one));
      return [name, from === undefined ? fallback ?? null : row[from]];
    }))
  );
}

/**
 * Several tables as one: `concat`, `rollup`, and aggregates that have to be computed apart (Data Aggregation 4.0, 3.1.2).
 *
 * @module
 */

import type { Column, Expression, SelectQuery } from "../../../cqn/cqn.ts";
import { distinct, grouped, type Key } from "./grouping.ts";
import { asColumn, derived, isCut, numeral, PART, type Property, selectOf, type Table } from "./state.ts";
import { orderOf, overRows } from "./windows.ts";

/** The column with the position of a row in its part. */
const POSITION = "$position";

/**
 * The rows of several tables, one behind the other.
 *
 * @param tables the tables
 * @returns one table; its rows know which part they are of
 */
export function union(tables: readonly Table[]): Table {
  const [first] = tables;
  if (first === undefined || tables.length === 1) return first!; // the grammar wants one
  const properties = new Map<string, Property & { parts: Set<number> }>();
  const args: SelectQuery[] = [];
  let parts = 0;
  for (const table of tables) {
    for (const property of table.properties) {
      const key = property.path.join("/");
      const known = properties.get(key);
      const merged = known ?? { ...property, parts: new Set<number>() };
      const own = property.parts ?? Array.from({ length: table.parts }, (_, index) => index);
      for (const part of own) merged.parts.add(parts + part);
      if (known === undefined) properties.set(key, merged);
    }
    parts += table.parts;
  }
  const all = [...properties.values()];
  let before = 0;
  for (const table of tables) {
    args.push(branch(table, all, before));
    before += table.parts;
  }
  const keys = new Set(tables.flatMap((table) => table.keys));
  return {
    kind: "table",
    from: { SET: { op: "union", all: true, args } },
    base: first.base,
    properties: all.map((property) => ({
      ...property,
      value: { ...property.value, expr: { ref: [property.name] } },
    })),
    hidden: [{ ref: [PART] }, { ref: [POSITION] }],
    orderBy: [{ ref: [PART] }, { ref: [POSITION] }],
    keys: [...keys],
    parts,
  };
}

/** A table with the columns of all: null where it has none, and the number of its part. */
function branch(given: Table, properties: readonly Property[], before: number): SelectQuery {
  const isOrdered = (given.orderBy?.length ?? 0) > 0;
  const table = isOrdered || isCut(given) || given.isGrouped ? derived(given) : given;
  const own = new Map(table.properties.map((property) => [property.path.join("/"), property.value.expr]));
  const columns: Column[] = properties.map((property) =>
    asColumn(own.get(property.path.join("/")) ?? nothing(property), property.name)
  );
  const part: Expression = table.parts > 1
    ? { xpr: [{ ref: [PART] }, "+", numeral(before)] }
    : numeral(before);
  const position: Expression = isOrdered
    ? overRows("row_number", [], { order: orderOf(table) })
    : { val: null, cast: { type: "cds.Integer" } } as Expression;
  return selectOf({
    ...table,
    properties: [],
    hidden: [...columns, asColumn(part, PART), asColumn(position, POSITION)],
  });
}

function nothing({ value: { type } }: Property): Expression {
  return { val: null, ...(type && { cast: { type: type.builtin } }) } as Expression;
}

/**
 * Groups whose aggregates were computed apart, side by side: of each aggregate only one row of a group has a value.
 *
 * @param tables groups by the same keys
 * @param keys the keys
 * @returns groups with all aggregates
 */
export function merged(tables: readonly Table[], keys: readonly Key[]): Table {
  if (tables.length === 1) return tables[0]!;
  const names = new Set(distinct(keys).map(({ path }) => path.join("/")));
  const rows = { ...derived(union(tables)), orderBy: [], parts: 1 };
  const aggregates = rows.properties.filter(({ path }) => !names.has(path.join("/")));
  return grouped(
    rows,
    keys,
    aggregates.map(({ name, value: { expr, ...result }, element }) => ({
      name,
      func: "max",
      argument: expr,
      result,
      ...(element && { element }),
    })),
  );
}

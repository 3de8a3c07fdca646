/**
 * Writes on one table in memory, with the rules of its columns. A statement that fails changes nothing.
 *
 * @module
 */

import { reference } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { bindValues } from "../bind_values.ts";
import { constraintViolation } from "../statement_errors.ts";
import { sqlName } from "../sql_name.ts";
import type { Assignment, WriteStatement } from "../write/statement_runner.ts";
import type { Catalog, TableDefinition } from "./catalog.ts";
import { compileQuery, compilerAt } from "./compile_query.ts";
import type { Env, Evaluate, Run } from "./evaluation.ts";
import { compileSource } from "./source.ts";
import type { Draft, DraftTable } from "./tables.ts";
import { truth } from "./values.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import { type Binding, bindingOf } from "../render/binding.ts";

/** Where a statement runs. */
export interface WritePlace {
  readonly catalog: Catalog;
  readonly draft: Draft;
  readonly run: Run;
}

/**
 * Runs a write.
 *
 * @param statement what is written
 * @param place the changed state and the values of the statement
 * @returns the number of rows
 * @throws ServiceError 409 for keys and unique values that exist, 400 for null where it is refused
 */
export function writeRows(statement: WriteStatement, place: WritePlace): number {
  const { catalog, draft, run } = place;
  const definition = catalog.table(statement.kind === "insert" ? statement.into.table : statement.table);
  switch (statement.kind) {
    case "insert": {
      const { into: { columns, numbered }, rows } = statement;
      const given = rows.map((values): Row =>
        Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]))
      );
      if (numbered) number(given, numbered, draft.writable(definition));
      return insertAll(definition, given, place);
    }
    case "insertFrom": {
      const { columns, rows } = compileQuery(statement.query);
      const given = rows({}, run).map((row) =>
        Object.fromEntries(statement.columns.map(({ name }, index) => [name, row[columns[index]]]))
      );
      return insertAll(definition, given, place);
    }
    case "update":
      return update(definition, statement, place);
    case "delete": {
      const found = matching(statement.table, statement.where, run);
      const table = draft.writable(definition);
      return all(draft, [...table.rows].filter(([, row]) => found.has(row)), ([key, row]) => {
        table.remove(key);
        return () => table.put(key, row);
      });
    }
  }
}

function insertAll(definition: TableDefinition, given: readonly Row[], place: WritePlace): number {
  const { run } = place;
  const rows = given.map((values) => {
    const row: Row = {};
    for (const { name, fallback, convert } of definition.columns) {
      const value = values[name] === undefined ? fallback?.({}, run) ?? null : values[name];
      row[name] = value === null ? null : convert(value);
    }
    return row;
  });
  const table = place.draft.writable(definition);
  return all(place.draft, rows, (row) => {
    complete(definition, row, run);
    const key = table.keyOf(row);
    if (table.rows.has(key)) throw constraintViolation("key", { entity: definition.entity.name });
    return put(table, key, row);
  });
}

/** Gives rows the numbers behind those that are there. */
function number(given: readonly Row[], { name }: FlatElement, { rows }: DraftTable): void {
  let last = 0;
  for (const row of rows.values()) last = Math.max(last, Number(row[name] ?? 0));
  for (const row of given) row[name] = ++last;
}

interface UpdateOptions {
  readonly set: readonly Assignment[];
  readonly where?: Expr;
}

function update(definition: TableDefinition, { set, where }: UpdateOptions, place: WritePlace): number {
  const { run } = place;
  const alias = definition.name;
  const convert = new Map(definition.columns.map((column) => [column.name, column.convert]));
  const changes = set.map((one): readonly [string, Evaluate] => [
    one.column.name,
    "expression" in one ? compilerAt([alias]).expression(one.expression) : () => one.value,
  ]);
  const found = matching(definition.entity, where, run);
  const changed = new Map([...found].map((before) => {
    const row = { ...before };
    for (const [name, evaluate] of changes) {
      const value = evaluate({ [alias]: before }, run);
      row[name] = value === null ? null : convert.get(name)!(value);
    }
    complete(definition, row, run);
    return [before, row] as const;
  }));
  const table = place.draft.writable(definition);
  const entries = [...table.rows].filter(([, row]) => changed.has(row));
  return all(place.draft, entries, ([before, old]) => {
    const row = changed.get(old)!;
    const key = definition.keys.length === 0 ? before : table.keyOf(row);
    if (key === before) return put(table, key, row);
    if (table.rows.has(key)) throw constraintViolation("key", { entity: definition.entity.name });
    table.remove(before);
    put(table, key, row);
    return () => {
      table.remove(key);
      table.put(before, old);
    };
  });
}

/** Values calculated on write, and no null where it is refused. */
function complete({ columns, name: alias }: TableDefinition, row: Row, run: Run): void {
  for (const { name, stored } of columns) if (stored) row[name] = stored({ [alias]: row }, run);
  const missing = columns.find(({ name, notNull }) => notNull && row[name] === null);
  if (missing) throw constraintViolation("null", { columns: [missing.name] });
}

function put(table: DraftTable, key: string, row: Row): () => void {
  const columns = table.conflict(key, row);
  if (columns) throw constraintViolation("unique", { columns });
  const before = table.rows.get(key);
  table.put(key, row);
  return () => before ? table.put(key, before) : table.remove(key);
}

/** Does something for all items, or for none. */
function all<T>(draft: Draft, items: readonly T[], apply: (item: T) => () => void): number {
  const undo: (() => void)[] = [];
  try {
    for (const item of items) undo.push(apply(item));
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
  draft.note(undo);
  return items.length;
}

/** The rows of a table that meet a condition. */
function matching(entity: LinkedEntity, where: Expr | undefined, run: Run): ReadonlySet<Row> {
  const alias = sqlName(entity);
  const source = compileSource(compilerAt([]), { ...reference([alias]), as: alias }, where);
  const condition = where && compilerAt([alias]).expression(where);
  if (where) bindValues(formedParameters(where), run);
  const found = new Set<Row>();
  const row = (env: Env) => {
    if (!condition || truth(condition(env, run)) === true) found.add(env[alias] as Row);
  };
  source.each({}, run, { row });
  return found;
}

const KNOWN: WeakMap<Expr, readonly Binding[]> = new WeakMap();

/** Parameters of a lowered query or condition that are compared with elements. */
export function formedParameters(lowered: Expr): readonly Binding[] {
  let formed = KNOWN.get(lowered);
  if (formed) return formed;
  const found: Binding[] = [];
  walkTree(lowered, (expression) => {
    if (expression.kind === "parameter" && expression.form) found.push(bindingOf(expression));
  });
  KNOWN.set(lowered, formed = found);
  return formed;
}

/**
 * Rows in memory: what is committed, and what a transaction changes on top of it.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Mark } from "../write/statement_runner.ts";
import type { Catalog, TableDefinition } from "./catalog.ts";
import type { Restriction, RowSource, Run } from "./evaluation.ts";
import { lookup } from "./source.ts";
import { identity } from "./values.ts";
import { addAll } from "../../util/add_all.ts";

/** Rows of one table by key. Rows are never changed: writers replace them. */
export type Table = ReadonlyMap<string, Row>;

const EMPTY: Table = new Map();
const rowLists: WeakMap<Table, readonly Row[]> = new WeakMap();
/** The rows of a table as list. */
function listOf(table: Table): readonly Row[] {
  let list = rowLists.get(table);
  if (!list) rowLists.set(table, list = [...table.values()]);
  return list;
}

/** One state of all tables. */
export class Snapshot implements RowSource {
  protected readonly catalog: Catalog;
  protected readonly views: Map<LinkedEntity, readonly Row[]> = new Map();
  readonly tables: ReadonlyMap<string, Table>;

  /**
   * @param catalog finds tables and views
   * @param tables the tables by name
   */
  constructor(catalog: Catalog, tables: ReadonlyMap<string, Table>) {
    this.catalog = catalog;
    this.tables = tables;
  }

  /**
   * The rows of a table or view.
   *
   * @param name of the table or view
   * @param run the statement
   * @param only a column whose other values are not wanted
   */
  rows(name: string, run: Run, only?: Restriction): readonly Row[] {
    const entity = this.catalog.entity(name);
    const view = this.catalog.view(entity);
    if (!view) {
      const list = listOf(this.tables.get(name) ?? EMPTY);
      return only ? lookup(list, only) : list;
    }
    if (only && view.canRestrict(only.column)) return view.rows({}, run, only);
    let rows = this.views.get(entity);
    if (!rows) this.views.set(entity, rows = view.rows({}, run));
    return only ? lookup(rows, only) : rows;
  }
}

/** A state that is being changed: tables that are written are copied first. */
export class Draft extends Snapshot {
  readonly #tables: Map<string, Table>;
  readonly #written: Map<string, DraftTable> = new Map();
  /** What undoes the changes since the mark, the last one at the end. */
  #steps: (() => void)[] | undefined;

  /**
   * @param catalog finds tables and views
   * @param base what is committed
   */
  constructor(catalog: Catalog, base: Snapshot) {
    const tables = new Map(base.tables);
    super(catalog, tables);
    this.#tables = tables;
  }

  /** A table for writing. */
  writable(definition: TableDefinition): DraftTable {
    const { name } = definition;
    let table = this.#written.get(name);
    if (!table) {
      table = new DraftTable(definition, this.#tables.get(name) ?? EMPTY);
      this.#written.set(name, table);
      this.#tables.set(name, table.rows);
    }
    this.views.clear();
    rowLists.delete(table.rows);
    return table;
  }

  /** Marks its state, to return to it. */
  mark(): Mark {
    const steps: (() => void)[] = this.#steps = [];
    const release = () => this.#steps = undefined;
    const undo = () => {
      release();
      for (const step of steps.reverse()) step();
      this.views.clear();
      for (const { rows } of this.#written.values()) rowLists.delete(rows);
    };
    return { undo, release };
  }

  /**
   * Notes what undoes changes.
   *
   * @param steps in the order of the changes
   */
  note(steps: readonly (() => void)[]): void {
    if (this.#steps) addAll(this.#steps, steps);
  }

  /** What others see after the commit. */
  toSnapshot(): Snapshot {
    return new Snapshot(this.catalog, this.#tables);
  }
}

/** The copy of a table, with the values that have to be unique. */
export class DraftTable {
  readonly rows: Map<string, Row>;
  readonly #keys: readonly string[];
  readonly #uniques: readonly { readonly columns: readonly string[]; readonly taken: Map<string, string> }[];
  #withoutKey: number;

  /**
   * @param definition keys and unique columns
   * @param rows its rows so far
   */
  constructor({ keys, uniques }: TableDefinition, rows: Table) {
    this.rows = new Map(rows);
    this.#keys = keys;
    this.#uniques = uniques.map((columns) => ({ columns, taken: new Map() }));
    this.#withoutKey = rows.size;
    if (uniques.length > 0) { for (const [key, row] of rows) this.#take(key, row); }
  }

  /** The key of a row; tables without key elements number their rows. */
  keyOf(row: Row): string {
    if (this.#keys.length === 0) {
      while (this.rows.has(`#${this.#withoutKey}`)) this.#withoutKey++;
      return `#${this.#withoutKey}`;
    }
    return identity(this.#keys.map((name) => row[name]));
  }

  /** The columns of a unique constraint that another row meets already. */
  conflict(key: string, row: Row): readonly string[] | undefined {
    return this.#uniques.find(({ columns, taken }) => {
      const value = uniqueValue(columns, row);
      const owner = value === undefined ? undefined : taken.get(value);
      return owner !== undefined && owner !== key;
    })?.columns;
  }

  /** Adds or replaces a row. */
  put(key: string, row: Row): void {
    const before = this.rows.get(key);
    if (before) this.#free(before);
    this.rows.set(key, row);
    this.#take(key, row);
  }

  /** Removes a row. */
  remove(key: string): void {
    const before = this.rows.get(key);
    if (before) this.#free(before);
    this.rows.delete(key);
  }

  #take(key: string, row: Row): void {
    for (const { columns, taken } of this.#uniques) {
      const value = uniqueValue(columns, row);
      if (value !== undefined) taken.set(value, key);
    }
  }

  #free(row: Row): void {
    for (const { columns, taken } of this.#uniques) {
      const value = uniqueValue(columns, row);
      if (value !== undefined) taken.delete(value);
    }
  }
}

/** Rows with null in a column are not compared. */
function uniqueValue(columns: readonly string[], row: Row): string | undefined {
  const values = columns.map((name) => row[name]);
  return values.includes(null) ? undefined : identity(values);
}

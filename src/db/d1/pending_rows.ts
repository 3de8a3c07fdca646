/**
 * What a transaction has written and not yet committed: rows by table.
 *
 * @module
 */

import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { constraintViolation } from "../statement_errors.ts";
import type { Mark } from "../write/statement_runner.ts";
import { type StoredTable, storedTable, type WireValue } from "./stored_columns.ts";

/** A row that a transaction has touched. */
export interface PendingRow {
  readonly key: readonly WireValue[];
  /** What the committed row looked like; rows without one are new: none is committed. */
  readonly before?: string;
  /** The values of the stored columns; rows without are gone, also those that were new. */
  readonly values?: readonly WireValue[];
}

/** The rows of a table that a transaction has touched. */
export class PendingTable {
  readonly table: StoredTable;
  #rows: Map<string, PendingRow> = new Map();
  /** How many rows of a table without key were added. */
  #added = 0;

  /** @param table the table */
  constructor(table: StoredTable) {
    this.table = table;
  }

  /** Marks its rows; gives what returns to them. */
  mark(): () => void {
    const rows = new Map(this.#rows);
    return () => this.#rows = rows;
  }

  /** The rows in the order they were touched first. */
  get rows(): readonly PendingRow[] {
    return [...this.#rows.values()];
  }

  /**
   * Adds a new row.
   *
   * @param values of its stored columns
   * @throws ServiceError 409 for a row that this transaction has written already
   */
  insert(values: readonly WireValue[]): void {
    const row = this.table.isNumbered ? this.#numbered(values) : values;
    const key = this.#keyOf(row);
    const id = JSON.stringify(key);
    const known = this.#rows.get(id);
    if (known?.values) throw constraintViolation("key", { entity: this.table.entity.name });
    this.#rows.set(id, { ...known, key, values: row });
  }

  /**
   * Replaces or removes a row.
   *
   * @param key its key
   * @param change what it looked like when it was read, and its new values; without them it is removed
   */
  change(key: readonly WireValue[], { before, values }: Omit<PendingRow, "key">): void {
    const id = JSON.stringify(key);
    const known = this.#rows.get(id);
    this.#rows.set(id, { key, before: known ? known.before : before, values });
  }

  /** Rows that the database has not numbered yet have negative numbers. */
  #numbered(values: readonly WireValue[]): readonly WireValue[] {
    const [at] = this.table.keys;
    return values.with(at, -++this.#added);
  }

  #keyOf(values: readonly WireValue[]): readonly WireValue[] {
    return this.table.keys.map((at) => values[at]);
  }
}

/** All that a transaction has written. */
export class PendingRows {
  readonly #model: LinkedModel;
  readonly #tables: Map<LinkedEntity, PendingTable> = new Map();

  /** @param model the model of the tables */
  constructor(model: LinkedModel) {
    this.#model = model;
  }

  /** The tables in the order they were touched first. */
  get tables(): readonly PendingTable[] {
    return [...this.#tables.values()].filter(({ rows }) => rows.length > 0);
  }

  /** Marks all rows, to return to them. */
  mark(): Mark {
    const marked = new Map([...this.#tables].map(([entity, table]) => [entity, table.mark()]));
    const undo = () => {
      for (const [entity] of this.#tables) {
        const unmark = marked.get(entity);
        if (unmark) unmark();
        else this.#tables.delete(entity);
      }
    };
    return { undo, release: () => {} };
  }

  /** The rows of a table. */
  of(entity: LinkedEntity): PendingTable {
    let table = this.#tables.get(entity);
    if (!table) this.#tables.set(entity, table = new PendingTable(storedTable(this.#model, entity)));
    return table;
  }
}

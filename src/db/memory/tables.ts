/**
 * Rows in memory: committed tables, and what a transaction changes on top of them.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";

/** Rows of one table by key text. Rows and tables are never changed after the commit: writers replace them. */
export type Table = ReadonlyMap<string, Row>;

/** The committed tables, and one writer at a time. */
export class Tables {
  #committed: ReadonlyMap<string, Table> = new Map();
  #writer: Promise<void> = Promise.resolve();

  /** The committed tables; a transaction keeps the object it has begun with. */
  get committed(): ReadonlyMap<string, Table> {
    return this.#committed;
  }

  /**
   * Waits until no other transaction writes.
   *
   * @returns ends the turn; with tables they become the committed ones
   */
  async lock(): Promise<(changed?: ReadonlyMap<string, Table>) => void> {
    const before = this.#writer;
    let release: () => void = () => {};
    this.#writer = new Promise((resolve) => release = resolve);
    await before;
    return (changed) => {
      if (changed) this.#committed = changed;
      release();
    };
  }
}

/** A copy of the tables in which those that are written are copied once. */
export class DraftTables {
  readonly #tables: Map<string, Table>;
  readonly #copied: Map<string, Map<string, Row>> = new Map();

  /** User and time of the values that the statement at hand generates; initial data has none. */
  context: EventContext | undefined;

  /** @param base the tables the transaction begins with */
  constructor(base: ReadonlyMap<string, Table>) {
    this.#tables = new Map(base);
  }

  /** All tables with the changes so far. */
  get tables(): ReadonlyMap<string, Table> {
    return this.#tables;
  }

  /** A table that may be written. */
  writable(name: string): Map<string, Row> {
    let table = this.#copied.get(name);
    if (!table) {
      table = new Map(this.#tables.get(name));
      this.#copied.set(name, table);
      this.#tables.set(name, table);
    }
    return table;
  }
}

/**
 * Connections whose statements somebody is told of.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { StatementWatch } from "../../service/database.ts";
import type { CursorOptions, CursorRow } from "../../service/row_cursor.ts";
import { lengthOf, runWatched } from "../engine/watched_statement.ts";
import type { SqlText } from "../render/render_query.ts";
import type { SqlValue } from "../write/sql_value.ts";
import { type ConnectionOptions, SqliteConnection } from "./connection.ts";

/**
 * Opens a database.
 *
 * @param options where it is, how it is opened, and who is told of its statements
 * @throws ConfigurationError for a file that cannot be opened
 */
export function openConnection(options: ConnectionOptions): SqliteConnection {
  return options.watch ? new WatchedConnection(options, options.watch) : new SqliteConnection(options);
}

class WatchedConnection extends SqliteConnection {
  readonly #watch: StatementWatch;
  /** Methods of the base call each other: a statement is told of once. */
  #isSeen = false;

  constructor(options: ConnectionOptions, watch: StatementWatch) {
    super(options);
    this.#watch = watch;
  }

  override all(sql: string, values: readonly SqlValue[]): Row[] {
    return this.#seen({ sql, values, rowsOf: lengthOf }, () => super.all(sql, values));
  }

  override read(compiled: SqlText & { readonly bounded?: boolean }, values: readonly SqlValue[]): Row[] {
    return this.#seen({ sql: compiled.sql, values, rowsOf: lengthOf }, () => super.read(compiled, values));
  }

  override readExact(
    compiled: SqlText & { readonly bounded?: boolean },
    values: readonly SqlValue[],
  ): Row[] | undefined {
    return this.#seen(
      { sql: compiled.sql, values, rowsOf: lengthOf },
      () => super.readExact(compiled, values),
    );
  }

  override *groups(
    compiled: SqlText & { readonly bounded?: boolean },
    values: readonly SqlValue[],
    options: CursorOptions,
  ): Generator<readonly CursorRow[], void> {
    const ended = this.#watch(compiled.sql, values);
    let rows = 0;
    try {
      for (const group of super.groups(compiled, values, options)) {
        rows += group.length;
        yield group;
      }
    } catch (error) {
      ended({ rows, error });
      throw error;
    }
    ended({ rows });
  }

  override change(text: SqlText, values: readonly SqlValue[]): number {
    return this.#seen({ sql: text.sql, values, rowsOf: (count) => count }, () => super.change(text, values));
  }

  override execute(text: SqlText, values: readonly SqlValue[]): void {
    return this.#seen({ sql: text.sql, values }, () => super.execute(text, values));
  }

  #seen<T>(
    statement: {
      readonly sql: string;
      readonly values: readonly SqlValue[];
      readonly rowsOf?: (result: T) => number | undefined;
    },
    run: () => T,
  ): T {
    if (this.#isSeen) return run();
    this.#isSeen = true;
    try {
      return runWatched({ ...statement, watch: this.#watch } as Parameters<typeof runWatched<T>>[0], run);
    } finally {
      this.#isSeen = false;
    }
  }
}

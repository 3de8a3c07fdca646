/**
 * A transaction of D1 or of a Durable Object.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { bindValues } from "../bind_values.ts";
import {
  countingOf,
  countOf,
  type Driver,
  locksRows,
  type Selection,
  type StatementValues,
} from "../engine/driver.ts";
import { onlyReads } from "../sql_name.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { typesOf } from "../read/compiled_queries.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { Mark, WriteStatement } from "../write/statement_runner.ts";
import { commitStatements, d1Error } from "./commit_statements.ts";
import { type OverlaidView, throughPending } from "./overlay.ts";
import { PendingRows } from "./pending_rows.ts";
import { writePending } from "./pending_write.ts";
import type { SqlDriver, SqlStatement } from "./sql_driver.ts";

/** What a transaction takes from its database. */
export interface D1Host {
  readonly model: LinkedModel;
  readonly driver: SqlDriver;
  /** The database checks foreign keys. */
  readonly foreignKeys: boolean;
  /** All views of the database, each after what it reads. */
  readonly views: readonly OverlaidView[];
}

/**
 * Reads see what is committed at the time (READ COMMITTED) and, over it, what the transaction itself has written. Writes
 * are sent with the commit, all in one batch, which takes effect as a whole or not at all. A row that the transaction has
 * changed or deleted must then be what it was when the transaction read it: changes of others are never lost, and the
 * first one to commit wins.
 */
export class PendingDriver implements Driver<CompiledSelect> {
  readonly #host: D1Host;
  readonly #pending: PendingRows;

  /** @param host the database */
  constructor(host: D1Host) {
    this.#host = host;
    this.#pending = new PendingRows(host.model);
  }

  read(selection: Selection<CompiledSelect>): MaybePromise<Rows | Row | null> {
    if (locksRows(selection) && !selection.isForWrite) {
      const message = "Rows cannot be locked here; a commit fails when others have changed the same rows";
      throw new ServiceError({ status: 501, message });
    }
    const counting = countingOf(selection);
    const selects = counting ? [selection.compiled, counting] : [selection.compiled];
    const statements = selects.map(({ sql, bindings }) => ({ sql, values: bindValues(bindings, selection) }));
    return andThen(
      this.#run(statements),
      ([rows, counts]) => selection.result(rows!, countOf(selection, rows!, counts)),
    );
  }

  begin(): void {}

  change(statement: WriteStatement, { params, context }: StatementValues): MaybePromise<number> {
    return writePending(
      {
        model: this.#host.model,
        pending: this.#pending,
        types: typesOf(params),
        read: (sql, bindings, params) => {
          const values = bindValues(bindings, { params, context });
          return andThen(this.#run([{ sql, values }]), ([rows]) => rows!);
        },
      },
      statement,
      params,
    );
  }

  sql(sql: string, values: readonly SqlValue[]): MaybePromise<readonly Row[]> {
    if (!onlyReads(sql)) {
      const message =
        "Plain SQL that changes rows cannot be part of a transaction here; write a query instead";
      throw new ServiceError({ status: 501, message });
    }
    return andThen(this.#run([{ sql, values }]), ([rows]) => rows!);
  }

  mark(): Mark {
    return this.#pending.mark();
  }

  /** Sends the writes. */
  commit(): MaybePromise<void> {
    const statements = commitStatements(this.#pending.tables, this.#host);
    if (statements.length === 0) return;
    return andThen(this.#guard(() => this.#host.driver.write(statements)), () => undefined);
  }

  /** Forgets the writes. */
  rollback(): void {}

  /** Reads through what is pending. */
  #run(statements: readonly SqlStatement[]): MaybePromise<readonly Row[][]> {
    const { driver, views } = this.#host;
    const { tables } = this.#pending;
    const seen = tables.length === 0
      ? statements
      : statements.map((statement) => throughPending(statement, tables, views));
    return this.#guard(() => driver.read(seen));
  }

  #guard<T>(run: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(run, (error) => {
      throw d1Error(error, this.#host.model);
    });
  }
}

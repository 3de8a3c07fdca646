/**
 * A transaction of the memory database.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { answerTooLarge } from "../../errors/answer_too_large.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DatabaseTransaction, QueryResult, Rows } from "../../service/database.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { Turns } from "../../util/turns.ts";
import { bindValues } from "../bind_values.ts";
import { enqueueRow } from "../queue/enqueue_row.ts";
import type { PreparedSelect } from "../read/compile_select.ts";
import { isLocalized } from "../read/compiled_queries.ts";
import type { QueriesByModel } from "../read/queries_by_model.ts";
import type { Binding } from "../render/binding.ts";
import { StatementClock } from "../statement_clock.ts";
import { queriesOf, type TransactionPart } from "../transaction_part.ts";
import { runWrite } from "../write/run_write.ts";
import type { Mark, StatementRunner } from "../write/statement_runner.ts";
import type { WriteStatement } from "../write/write_statement.ts";
import type { WriteLock } from "../write_lock.ts";
import type { Catalog } from "./catalog.ts";
import type { CompiledQuery, Run } from "./evaluation.ts";
import { MemoryCursor } from "./memory_cursor.ts";
import { Draft, type Snapshot } from "./tables.ts";
import { writeRows } from "./write_rows.ts";

/** A SELECT ready to run in memory. */
export interface MemorySelect extends Omit<PreparedSelect, "query"> {
  readonly evaluate: CompiledQuery;
  /** Parameters that must have values of the elements beside them, whatever rows there are. */
  readonly formed: readonly Binding[];
}

/** What a transaction takes from its database. */
export interface MemoryHost extends QueriesByModel<MemorySelect> {
  readonly model: LinkedModel;
  readonly catalog: Catalog;
  /** How long a statement may take. */
  readonly statementMs: number;
  /** Characters that the rows of one answer may have. */
  readonly answerBytes: number;
  /** Who may write. */
  readonly lock: WriteLock;
  /** What is committed. */
  committed: Snapshot;
}

/** What all parts of a transaction share. */
interface TransactionState {
  snapshot?: Snapshot;
  draft?: Draft;
  drafting?: Promise<Draft>;
  cursors?: MemoryCursor[];
  /** Queries that write run one after the other. */
  readonly turns: Turns;
  ended: boolean;
}

const COUNTING = { counting: true };

/** Sees one state of the data until it writes, then the newest one with its own changes. */
export class MemoryTransaction implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  readonly #host: MemoryHost;
  readonly #state: TransactionState;
  readonly #queries: MemoryHost["compiled"];

  /**
   * @param host the database
   * @param context gives user, locale and time
   * @param part the transaction this one is a part of
   */
  constructor(host: MemoryHost, context: EventContext, part: TransactionPart<TransactionState> = {}) {
    this.#host = host;
    this.model = host.model;
    this.context = context;
    this.#state = part.state ?? { turns: new Turns(), ended: false };
    this.#queries = queriesOf(host, context, part);
  }

  /** The same transaction for statements of another context. */
  within(context: EventContext): MemoryTransaction {
    if (context === this.context) return this;
    return new MemoryTransaction(this.#host, context, { state: this.#state });
  }

  /** Runs a query. */
  run(query: Query, params: QueryParams = {}): MaybePromise<QueryResult> {
    this.#assertOpen();
    if ("SELECT" in query || "SET" in query) return this.#runAtOnce(query, params);
    return this.#state.turns.take(() => this.#runAtOnce(query, params));
  }

  /** Runs a query beside those that write. */
  #runAtOnce(query: Query, params: QueryParams = {}): MaybePromise<QueryResult> {
    if (!("SELECT" in query) && !("SET" in query)) {
      return this.#begin().then(() => runWrite(this.#forWriting(), query, params));
    }
    const select = "SELECT" in query ? query.SELECT : undefined;
    const locks = select?.forUpdate || select?.forShareLock;
    return locks ? this.#begin().then(() => this.#read(query, params)) : this.#read(query, params);
  }

  /** Writes fill and follow all there is, also what the context does not see. */
  #forWriting(): MemoryTransaction {
    if (this.#queries === this.#host.compiled) return this;
    return new MemoryTransaction(this.#host, this.context, { state: this.#state, sees: "all" });
  }

  /** Changes rows of a table. */
  async change(statement: WriteStatement, params: QueryParams = {}): Promise<number> {
    const draft = await this.#begin();
    return writeRows(statement, { catalog: this.#host.catalog, draft, run: this.#statement(draft, params) });
  }

  /** Marks the state of the data, to return to it. */
  mark(): Mark {
    const draft = this.#state.draft!;
    const { undo, release } = draft.mark();
    // others see its tables once they are committed
    return { release, undo: () => this.#state.draft === draft && undo() };
  }

  /** Reads rows that a write depends on. */
  select(query: SelectQuery, params: QueryParams = {}): Promise<readonly Row[]> {
    const result = this.#read({ SELECT: { ...query.SELECT, history: true } }, params);
    return Promise.resolve((Array.isArray(result) ? result : result ? [result] : []) as readonly Row[]);
  }

  /** Inserts a row of queued work. */
  enqueue(entity: string, row: Row): MaybePromise<void> {
    const run = (query: Query) => this.#runAtOnce(query);
    return this.#state.turns.take(() => enqueueRow({ run }, entity, row));
  }

  /** Writes are there for others from now on. */
  commit(): MaybePromise<void> {
    this.#closeCursors(({ isDetached }) => !isDetached);
    return this.#end((draft) => this.#host.committed = draft.toSnapshot());
  }

  /** Writes are undone. */
  rollback(): MaybePromise<void> {
    this.#closeCursors(() => true);
    return this.#end(() => {});
  }

  #closeCursors(which: (cursor: MemoryCursor) => boolean): void {
    if (!this.#state.ended) this.#state.cursors?.filter(which).forEach((cursor) => cursor.close());
  }

  /** Runs a SELECT whose rows are made as they are asked for. */
  openCursor(query: SelectQuery, params: QueryParams = {}): MemoryCursor | undefined {
    this.#assertOpen();
    if (this.#state.drafting) return undefined;
    const select = this.#queries.get(query, { localized: isLocalized(query, this.context) });
    if (select.one) return undefined;
    const run = this.#reading(params);
    const cursor = new MemoryCursor(select.evaluate.each({}, run), {
      read: (row) => {
        for (const read of select.readers) read(row);
      },
      count: select.count ? this.#count(query, run) : undefined,
    });
    (this.#state.cursors ??= []).push(cursor);
    return cursor;
  }

  #read(given: SelectQuery | SetQuery, values: QueryParams): Rows | Row | null {
    const { query, params } = this.#queries.templates.get(given, values);
    const select = this.#queries.get(query, { localized: isLocalized(query, this.context) });
    bindValues(select.formed, { params, context: this.context });
    const run = this.#reading(params);
    const rows: Rows = select.bounded && !select.one
      ? this.#boundedRows(select, run)
      : select.evaluate.rows({}, run);
    for (const read of select.readers) for (const row of rows) read(row);
    if (select.one) return rows[0] ?? null;
    if (!select.count) return rows;
    return Object.assign(rows, { $count: select.limited ? this.#count(query, run) : rows.length });
  }

  /** Rows for an answer, as long as there is room for them. */
  #boundedRows({ evaluate }: MemorySelect, run: Run): Row[] {
    const room = new Room(this.#host.answerBytes);
    const rows: Row[] = [];
    for (const row of evaluate.each({}, run)) {
      for (const name in row) room.take(charactersIn(row[name]));
      rows.push(row);
    }
    return rows;
  }

  /** The number of rows ignoring the limit. */
  #count(query: SelectQuery | SetQuery, run: Run): number {
    const counting = this.#queries.get(query, { localized: isLocalized(query, this.context) }, COUNTING);
    return Number(counting.evaluate.rows({}, run)[0].count);
  }

  #reading(params: QueryParams): Run {
    return this.#statement(this.#state.draft ?? (this.#state.snapshot ??= this.#host.committed), params);
  }

  #statement(data: Snapshot, params: QueryParams): Run {
    const clock = new StatementClock(this.#host.statementMs);
    const joined = new Room(this.#host.answerBytes);
    return { params, clock, context: this.context, data, memo: new Map(), parsed: new Map(), joined };
  }

  #begin(): Promise<Draft> {
    this.#assertOpen();
    return this.#state.drafting ??= Promise.resolve(this.#host.lock.acquire()).then(() =>
      this.#state.draft = new Draft(this.#host.catalog, this.#host.committed)
    );
  }

  #end(apply: (draft: Draft) => void): MaybePromise<void> {
    if (this.#state.ended) return;
    this.#state.ended = true;
    const finish = () => {
      if (!this.#state.draft) return;
      apply(this.#state.draft);
      this.#state.draft = undefined;
      this.#host.lock.release();
    };
    if (this.#state.draft || !this.#state.drafting) return finish();
    return this.#state.drafting.catch(() => undefined).then(finish);
  }

  #assertOpen(): void {
    if (this.#state.ended) throw new Error("The transaction has ended already");
  }
}

/** How many characters an answer may have. */
class Room {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = this.#left = most;
  }

  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw answerTooLarge(this.#most);
  }
}

/** Those of its texts; other values count as one. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 1;
  let characters = 2;
  for (const member of Object.values(value)) characters += charactersIn(member);
  return characters;
}

/**
 * Rows of a large result, taken from the database one group after the other.
 *
 * @module
 */

import type { QueryParams, Row, SelectQuery } from "../cqn/cqn.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";

/** A row as object, or its JSON text in the format of OData payloads. */
export type CursorRow = Row | string;

/** How a cursor gives rows. */
export interface CursorOptions {
  /** Rows come as JSON text in the format of OData payloads. */
  readonly asText: boolean;
}

/**
 * The cursor of an engine. It ends with its transaction; `detach` lets it outlive the commit, with what it holds
 * (statement, connection, state of the data), until it is closed.
 */
export interface EngineCursor {
  /** Whether rows come as text: engines that write no JSON give objects all the same. */
  readonly isText: boolean;
  /** The number of matching rows where `SELECT.count` asked for it. */
  readonly count: number | undefined;
  /** The next rows; none at the end. */
  next(): MaybePromise<readonly CursorRow[]>;
  /** Lets the cursor outlive the commit of its transaction; a rollback closes it still. */
  detach(): void;
  /** Gives back what the cursor holds; may be called again, and while `next` is under way. */
  close(): MaybePromise<void>;
}

/** A query that reads one row more than it was asked for. */
export interface QueryBeyond {
  /** The query. */
  readonly query: SelectQuery;
  /** Values of its parameters. */
  readonly params: QueryParams | undefined;
  /** The number of rows that was asked for. */
  readonly limit: number;
}

/**
 * A query that reads one row beyond its limit, so that whoever reads learns whether there are more.
 *
 * @param query the query
 * @param params values of its parameters
 * @returns undefined for a limit that only the database can compute
 */
export function readBeyond(query: SelectQuery, params?: QueryParams): QueryBeyond | undefined {
  const rows = query.SELECT.limit?.rows;
  if (rows === undefined) return { query, params, limit: Infinity };
  if ("val" in rows) {
    const limit = Number(rows.val);
    const more = { ...query.SELECT.limit, rows: { val: oneMore(limit) } };
    return { query: { SELECT: { ...query.SELECT, limit: more } }, params, limit };
  }
  const name = "param" in rows && rows.param && rows.ref.length === 1 ? rows.ref[0] : undefined;
  if (typeof name !== "string" || typeof params?.[name] !== "number") return undefined;
  return { query, params: { ...params, [name]: oneMore(params[name]) }, limit: params[name] };
}

function oneMore(limit: number): number {
  return Math.min(limit + 1, Number.MAX_SAFE_INTEGER);
}

/** The result of READ for a caller who takes rows one group after the other (`acceptsCursor`). */
export class RowCursor {
  readonly #engine: EngineCursor;
  readonly #limit: number;
  #given = 0;
  #hasMore = false;

  /**
   * Creates a cursor.
   *
   * @param engine the cursor of the engine, over the query that reads beyond the limit
   * @param limit the number of rows that was asked for
   */
  constructor(engine: EngineCursor, limit: number) {
    this.#engine = engine;
    this.#limit = limit;
  }

  /** Whether rows are JSON text. */
  get isText(): boolean {
    return this.#engine.isText;
  }

  /** The number of matching rows where `SELECT.count` asked for it. */
  get count(): number | undefined {
    return this.#engine.count;
  }

  /** The number of rows given so far. */
  get given(): number {
    return this.#given;
  }

  /** Whether there are rows beyond the limit; known at the end. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** The next rows; none at the end. */
  next(): MaybePromise<readonly CursorRow[]> {
    if (this.#hasMore) return [];
    return andThen(this.#engine.next(), (rows) => {
      const rest = this.#limit - this.#given;
      this.#hasMore = rows.length > rest;
      const asked = this.#hasMore ? rows.slice(0, rest) : rows;
      this.#given += asked.length;
      return asked;
    });
  }

  /** Lets the cursor outlive the commit of its transaction. */
  detach(): void {
    this.#engine.detach();
  }

  /** Gives back what the cursor holds. */
  close(): MaybePromise<void> {
    return this.#engine.close();
  }
}

import type { InsertBody, InsertResult, Row, SelectQuery } from "../cqn.ts";
import { type EntityShape, type QueryBinding, started } from "../query_runner.ts";
import type { EntityName, Input } from "../checked_names.ts";
import { type EntityArgument, entityName, resolveEntityPath, type UntypedEntity } from "./entity_argument.ts";
import { type Draft, QueryBuilder } from "./query_builder.ts";
import { isSelect, isSet } from "../is_query.ts";
import { assertElement, assertElements } from "./assert_elements.ts";
import { isStream } from "../../util/bytes.ts";

/**
 * An INSERT or UPSERT under construction.
 *
 * @typeParam R what awaiting gives
 * @typeParam T rows of the entity
 */
export abstract class InsertLikeBuilder<R, T extends object = Row> extends QueryBuilder<R> {
  #shape: EntityShape | undefined;
  readonly #streams: AsyncIterable<unknown>[] = [];

  /** The body of the query. */
  protected abstract get body(): Draft<InsertBody>;

  /**
   * Sets the entity.
   *
   * @param entity name, definition, path, or tagged template
   * @param entries rows, as for `entries`
   */
  into(entity: EntityArgument, ...entries: readonly (Row | readonly Row[])[]): this {
    const { source, shape, others } = resolveEntityPath(entity, entries, this.binding);
    this.body.into = source;
    this.#shape = shape;
    this.#check(this.body.entries ?? [], this.body.columns ?? []);
    return others.length === 0 ? this : this.#add(others);
  }

  /**
   * Adds rows; they may hold nested rows along compositions.
   *
   * @throws TypeError for what is no object, and for members that are no elements
   */
  entries(...entries: readonly (Input<T> | readonly Input<T>[])[]): this {
    return this.#add(entries as readonly Row[]);
  }

  #add(entries: readonly (Row | readonly Row[])[]): this {
    const given: unknown[] = entries.flatMap((one: unknown) => isIterable(one) ? [...one] : [one]);
    const streamed = given.filter(isStream);
    if (streamed.length > 0) this.#streams.push(...streamed);
    const rows = given.filter((one) => !isStream(one));
    rows.forEach(assertRow);
    this.#check(rows as readonly Row[], []);
    if (streamed.length === 0 || rows.length > 0) {
      this.body.entries = [...this.body.entries ?? [], ...rows as readonly Row[]];
    }
    return this;
  }

  /** Rows of streams are read when the query runs. */
  protected override prepare(): Promise<void> | undefined {
    return this.#streams.length === 0 ? undefined : this.#readStreams();
  }

  async #readStreams(): Promise<void> {
    for (const stream of this.#streams.splice(0)) this.#add(await rowsOf(stream));
  }

  #check(rows: readonly Row[], columns: readonly string[]): void {
    if (this.#shape === undefined) return;
    const call = (method: string) => () =>
      `${Object.keys(this)[0]}.into(${entityName(this.body.into)}).${method}(…)`;
    for (const row of rows) assertElements(call("entries"), row, this.#shape);
    for (const name of columns) assertElement(call("columns"), name, this.#shape);
  }

  /**
   * Names the columns of `values` and `rows`.
   *
   * @throws TypeError for what is no element
   */
  columns(...names: readonly (string | readonly string[])[]): this {
    this.body.columns = names.flat();
    this.#check([], this.body.columns);
    return this;
  }

  /** Gives one row of values in the order of the columns. */
  values(...values: readonly unknown[]): this {
    this.body.values = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    return this;
  }

  /** Gives rows of values in the order of the columns. */
  rows(...rows: readonly (readonly unknown[])[]): this {
    const nested = rows.length === 1 && rows[0].every((row) => Array.isArray(row));
    this.body.rows = nested ? rows[0] as readonly (readonly unknown[])[] : rows;
    return this;
  }

  /**
   * Takes the rows from a query.
   *
   * @throws TypeError for what is no SELECT
   */
  from(query: SelectQuery): this {
    if (!isSelect(query) && !isSet(query)) throw new TypeError("Expected a SELECT whose rows are written");
    this.body.from = query;
    return this;
  }

  /** The same as `from`. */
  as(query: SelectQuery): this {
    return this.from(query);
  }
}

/**
 * `INSERT(…)` and `INSERT.into(…)`, and the same for `UPSERT`.
 *
 * @typeParam B class of the builder
 */
export interface InsertFactory<B> {
  /** Starts with rows. */
  (...entries: readonly (Row | readonly Row[])[]): B;
  /** Starts with the entity. */
  into(entity: EntityArgument, ...entries: readonly (Row | readonly Row[])[]): B;
}

/**
 * The factory of a kind of builder.
 *
 * @param create creates a builder
 * @param binding where the queries run
 */
export function createInsertFactory<B extends InsertLikeBuilder<unknown>>(
  create: (binding?: QueryBinding) => B,
  binding?: QueryBinding,
): InsertFactory<B> {
  return Object.assign(
    (...entries: readonly (Row | readonly Row[])[]) => started(create(binding)).entries(...entries),
    {
      into: (entity: EntityArgument, ...entries: readonly (Row | readonly Row[])[]) =>
        started(create(binding)).into(entity, ...entries),
    },
  );
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** The rows of a stream: objects, or the JSON text of a list of them. */
async function rowsOf(stream: AsyncIterable<unknown>): Promise<readonly Row[]> {
  const rows: unknown[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true });
    else if (typeof chunk === "string") text += chunk;
    else rows.push(chunk);
  }
  text += decoder.decode();
  return (text === "" ? rows : JSON.parse(text)) as readonly Row[];
}

function assertRow(row: unknown): void {
  const isObject = typeof row === "object" && row !== null;
  if (isObject && !(Symbol.iterator in row)) return;
  throw new TypeError(
    `Expected rows as objects, found ${row === null ? "null" : isObject ? "a list" : typeof row}`,
  );
}

/**
 * Awaiting gives an object that iterates over the keys; its `valueOf()` is the number of rows. A service gives the rows.
 *
 * @typeParam T rows of the entity
 * @typeParam R what awaiting gives
 */
export class InsertBuilder<T extends object = Row, R = InsertResult> extends InsertLikeBuilder<R, T> {
  /** The body of the query. */
  readonly INSERT: Draft<InsertBody> = { into: "" };

  /** The body of the query while it is built. */
  protected override get body(): Draft<InsertBody> {
    return this.INSERT;
  }
}

/** `INSERT(…)` and `INSERT.into(…)`. */
export interface Insert extends Omit<InsertFactory<InsertBuilder>, "into"> {
  /** Starts with rows. */
  (...entries: readonly (Row | readonly Row[])[]): InsertBuilder;
  /** Starts with an entity whose name carries the type of its rows. */
  into<T extends object>(
    entity: EntityName<T>,
    ...entries: readonly (Input<T> | readonly Input<T>[])[]
  ): InsertBuilder<T>;
  /** Starts with the entity. */
  into(entity: UntypedEntity, ...entries: readonly (Row | readonly Row[])[]): InsertBuilder;
}

/** Starts an INSERT. */
export const INSERT: Insert = createInsert();

/**
 * `INSERT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createInsert(binding?: QueryBinding): Insert {
  // rows are what the name of the entity says
  return createInsertFactory((where) => new InsertBuilder(where), binding) as Insert;
}

/**
 * Awaiting gives an object that iterates over the keys; its `valueOf()` is the number of rows. A service gives the rows.
 *
 * @typeParam T rows of the entity
 * @typeParam R what awaiting gives
 */
export class UpsertBuilder<T extends object = Row, R = number> extends InsertLikeBuilder<R, T> {
  /** The body of the query. */
  readonly UPSERT: Draft<InsertBody> = { into: "" };

  /** The body of the query while it is built. */
  protected override get body(): Draft<InsertBody> {
    return this.UPSERT;
  }
}

/** `UPSERT(…)` and `UPSERT.into(…)`. */
export interface Upsert extends Omit<InsertFactory<UpsertBuilder>, "into"> {
  /** Starts with rows. */
  (...entries: readonly (Row | readonly Row[])[]): UpsertBuilder;
  /** Starts with an entity whose name carries the type of its rows. */
  into<T extends object>(
    entity: EntityName<T>,
    ...entries: readonly (Input<T> | readonly Input<T>[])[]
  ): UpsertBuilder<T>;
  /** Starts with the entity. */
  into(entity: UntypedEntity, ...entries: readonly (Row | readonly Row[])[]): UpsertBuilder;
}

/** Starts an UPSERT. */
export const UPSERT: Upsert = createUpsert();

/**
 * `UPSERT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createUpsert(binding?: QueryBinding): Upsert {
  // rows are what the name of the entity says
  return createInsertFactory((where) => new UpsertBuilder(where), binding) as Upsert;
}

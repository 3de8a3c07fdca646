import type {
  Column,
  Expression,
  Limit,
  RefExpression,
  Row,
  Scalar,
  SelectBody,
  Source,
  Xo,
} from "../cqn.ts";
import type {
  CheckedColumns,
  CheckedOrder,
  EntityName,
  NamedBy,
  NamesOf,
  RowsLike,
} from "../checked_names.ts";
import { isExpression, isRef, isSelect } from "../is_query.ts";
import type { EntityShape, QueryBinding } from "../query_runner.ts";
import { type EntityArgument, entityName, keyCondition, resolveSource } from "./entity_argument.ts";
import {
  fromTemplate,
  isTemplate,
  parseColumnText,
  parseQueryText,
  parseSourceText,
  type TextWithValues,
} from "./parse_text.ts";
import { type Projection, recordColumns } from "./projection_recorder.ts";
import {
  aliasedColumn,
  columnsOf,
  expressionsOf,
  hasFrom,
  isColumnArgument,
  isDefinition,
  isFiltered,
  isLimit,
  isNested,
  isOneRow,
  isPath,
  isRefEmpty,
  lockOptions,
  orderTerms,
  pipedRows,
  resultElements,
  type RowsTarget,
  toCount,
} from "./select_arguments.ts";
import { type ConditionArguments, conditionOf, type Draft, FilteredQueryBuilder } from "./query_builder.ts";

/** A column as text, expression or projection function; arrays of them are flattened. */
export type ColumnArgument = string | Column | Projection | readonly ColumnArgument[];

/**
 * A SELECT under construction.
 *
 * @typeParam R what awaiting gives: rows, or one row or null after `SELECT.one`
 * @typeParam T rows of the entity
 */
export class SelectBuilder<R = Row[], T extends object = Row> extends FilteredQueryBuilder<R, T> {
  /** The body of the query. */
  readonly SELECT: Draft<SelectBody>;
  #shape: EntityShape | undefined;
  #projections: Projection[] | undefined;
  /** A path that stands for the source until one is named, and for a column then. */
  #ambiguous: Column | undefined;

  /**
   * Begins a SELECT.
   *
   * @param start members of the body to begin with, for example `{one: true}`
   * @param binding where the query runs; default: the primary database
   */
  constructor(start: Partial<SelectBody> = {}, binding?: QueryBinding) {
    super(binding);
    this.SELECT = { from: { ref: [] }, ...start };
  }

  /** The body of the query while it is built. */
  protected override get filtered(): Draft<SelectBody> {
    return this.SELECT;
  }

  /**
   * Sets what is read.
   *
   * @param entity name, definition, path, or tagged template
   * @param more key, then columns or projection functions
   * @throws TypeError for a key that is given but undefined
   */
  from(entity: EntityArgument | Source, ...more: readonly unknown[]): this {
    const template = isTemplate([entity]);
    const { source, shape } = resolveSource(template ? [entity, ...more] : [entity], this.binding);
    if (this.#ambiguous) {
      const { columns = [] } = this.SELECT;
      this.SELECT.columns = [this.#ambiguous, ...columns];
      this.#ambiguous = undefined;
    }
    this.SELECT.from = source;
    if (isOneRow(source)) this.SELECT.one = true;
    this.#shape = shape;
    if (this.#projections) this.#projections.splice(0).forEach((projection) => this.#project(projection));
    if (!template) more.forEach((argument, index) => this.#keyOrColumn(argument, index));
    return this;
  }

  /**
   * Begins with a path alone, which names the source, or the first column where `from` names another.
   *
   * @param path the path
   */
  fromOrColumn(path: string | RefExpression): this {
    this.from(path);
    this.#ambiguous = typeof path === "string" ? columnsOf(path.trim())[0] : path;
    return this;
  }

  /** Reads one row by its key. */
  byKey(key: unknown): this {
    this.SELECT.one = true;
    const shape = this.#entity();
    return this.addWhere(keyCondition(key, shape, () => `SELECT.from(${entityName(this.SELECT.from)}, …)`));
  }

  /** Adds columns: text, expressions, projection functions, or a tagged template. */
  columns<const C extends readonly unknown[]>(
    ...columns: C & CheckedColumns<T, C>
  ): this & NamedBy<C> {
    const given: readonly unknown[] = columns;
    if (isTemplate(given)) this.#addColumns(parseColumnText(fromTemplate(given[0], given.slice(1))));
    else for (const column of given) this.#column(column);
    return this as this & NamedBy<C>; // names stand in types only
  }

  /** Joins another source; `on` says how. */
  join(entity: EntityArgument | Source, ...more: readonly unknown[]): this {
    return this.#join("inner", [entity, ...more]);
  }

  /** Joins another source; rows without partner stay. */
  leftJoin(entity: EntityArgument | Source, ...more: readonly unknown[]): this {
    return this.#join("left", [entity, ...more]);
  }

  /** Says how the source that was joined last is joined. */
  on(...args: ConditionArguments): this {
    const { from } = this.SELECT;
    if (!("join" in from)) throw new TypeError("Expected a join before on()");
    this.SELECT.from = { ...from, on: conditionOf(() => "SELECT.on(…)", args) };
    return this;
  }

  #join(join: "inner" | "left", entity: readonly unknown[]): this {
    const { source } = resolveSource(entity, this.binding);
    this.SELECT.from = { join, args: [this.SELECT.from, source] };
    return this;
  }

  /** Leaves elements out of `*`. */
  excluding(...names: readonly string[]): this {
    this.SELECT.excluding = [...this.SELECT.excluding ?? [], ...names];
    return this;
  }

  /** Gives the source an alias. */
  alias(name: string): this {
    this.SELECT.from = { ...this.SELECT.from, as: name };
    return this;
  }

  /** Groups by elements or expressions. */
  groupBy(...terms: readonly (string | Expression | TemplateStringsArray | unknown)[]): this {
    this.SELECT.groupBy = [...this.SELECT.groupBy ?? [], ...expressionsOf(terms)];
    return this;
  }

  /** Adds a condition on groups. */
  having(...args: ConditionArguments): this {
    return this.addHaving(args);
  }

  /** Orders by text, terms, or sort orders by element. */
  orderBy<const C extends readonly unknown[]>(...terms: C & CheckedOrder<T & NamesOf<this>, C>): this {
    this.SELECT.orderBy = [...this.SELECT.orderBy ?? [], ...orderTerms([...terms])];
    return this;
  }

  /**
   * Limits the number of rows; expressions stand for numbers.
   *
   * @param rows number of rows, or both numbers; without one there is no limit
   * @param offset number of rows to skip
   * @throws TypeError for what is no number of rows
   */
  limit(
    rows?: number | Limit | Limit["rows"] | { rows?: number; offset?: number } | null,
    offset?: number | Limit["offset"],
  ): this {
    const given = isLimit(rows) ? rows : { rows, offset };
    const limit: Draft<Limit> = {};
    if ((given.rows ?? null) !== null) limit.rows = toCount(given.rows);
    if ((given.offset ?? null) !== null) limit.offset = toCount(given.offset);
    this.SELECT.limit = limit;
    return this;
  }

  /** Searches the searchable elements for all of the terms. */
  search(...terms: readonly string[]): this {
    this.SELECT.search = terms.flatMap((val, i): Xo[] => i > 0 ? ["and", { val }] : [{ val }]);
    return this;
  }

  /** Locks the rows until the end of the transaction. */
  forUpdate(options?: { readonly wait?: number }): this {
    this.SELECT.forUpdate = lockOptions(options);
    return this;
  }

  /** Locks the rows against changes until the end of the transaction. */
  forShareLock(options?: { readonly wait?: number }): this {
    this.SELECT.forShareLock = lockOptions(options);
    return this;
  }

  /** Takes hints for the optimizer of a database, as texts or a list; the engines here have none and ignore them. */
  hints(...hints: readonly (string | readonly string[])[]): this {
    this.SELECT.hints = hints.flat();
    return this;
  }

  /** Reads localized elements in the locale of the context. */
  get localized(): this {
    this.SELECT.localized = true;
    return this;
  }

  /** Takes over what a text of columns, or of columns and a source, says. */
  fromText(text: TextWithValues): this {
    if (!hasFrom(text.text)) {
      if (isPath(text.text)) return this.fromOrColumn(text.text);
      if (isFiltered(text.text)) return this.fromOrColumn(parseSourceText(text) as RefExpression);
      this.#addColumns(parseColumnText(text));
      return this;
    }
    const query = parseQueryText({ ...text, text: `SELECT ${text.text}` });
    if (!isSelect(query)) throw new TypeError("Expected the clauses of one SELECT, found a union");
    Object.assign(this.SELECT, query.SELECT);
    this.#shape = resolveSource([query.SELECT.from], this.binding).shape;
    return this;
  }

  /** The elements that the rows have, by name; those of expressions have no definition but their type, where it is cast. */
  get elements(): Readonly<Record<string, unknown>> {
    return resultElements(this.#entity()?.elements ?? {}, this.SELECT);
  }

  /** Runs the query, and gives its rows one by one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    const result: unknown = await this;
    if (Array.isArray(result)) yield* result as Row[];
    else if (result !== null && result !== undefined) yield result as Row;
  }

  /** Runs the query, and acts on each row. */
  async foreach(act: (row: Row) => unknown): Promise<void> {
    for await (const row of this) await act(row);
  }

  /** Runs the query, and gives its rows as a stream of JSON text, or to what takes it. */
  async pipeline(to?: RowsTarget): Promise<ReadableStream<Uint8Array> | void> {
    return await pipedRows(this, to);
  }

  #keyOrColumn(argument: unknown, index: number): void {
    if (argument === undefined && index > 0) return;
    if (isColumnArgument(argument)) this.#column(argument);
    else this.byKey(argument);
  }

  #column(column: unknown): void {
    if (Array.isArray(column)) column.forEach((entry) => this.#column(entry));
    else if (typeof column === "function") this.#project(column as Projection);
    else if (typeof column === "string") this.#addColumns(columnsOf(column));
    else if (typeof column === "number" || typeof column === "boolean") {
      this.#addColumns([{ val: column as Scalar }]);
    } else if (typeof column === "object" && column !== null && (isExpression(column) || isNested(column))) {
      this.#addColumns([column]);
    } else if (typeof column === "object" && column !== null && aliasedColumn(column)) {
      this.#addColumns([aliasedColumn(column)!]);
    } else throw new TypeError(`Expected a column, found ${column === null ? "null" : typeof column}`);
  }

  #project(projection: Projection): void {
    if (isRefEmpty(this.SELECT.from)) (this.#projections ??= []).push(projection);
    else this.#addColumns(recordColumns(projection, this.#entity()));
  }

  /** The definition of the source; that of a query which came with its body is looked up when it is asked for. */
  #entity(): EntityShape | undefined {
    const { from } = this.SELECT;
    if (this.#shape || !("ref" in from) || isRefEmpty(from)) return this.#shape;
    return this.#shape = resolveSource([from], this.binding).shape;
  }

  #addColumns(columns: readonly Column[]): void {
    this.SELECT.columns = [...this.SELECT.columns ?? [], ...columns];
  }
}

/** Columns as they follow an entity or a key: text alone would be a key. */
export type ColumnList = readonly ColumnArgument[] | Projection;

/**
 * `SELECT(…)` and what stands behind `SELECT.`.
 *
 * @typeParam R what awaiting gives
 */
export interface SelectFactory<R> {
  /** One row is wanted instead of a list. */
  readonly one: SelectFactory<Row | null>;
  /** Equal rows are left out. */
  readonly distinct: SelectFactory<R>;
  /** Localized elements are read in the locale of the context. */
  readonly localized: SelectFactory<R>;
  /** Starts with columns, or with an entity given as definition; as tag with columns or a whole query. */
  (...columns: readonly unknown[]): SelectBuilder<R>;
  /** Starts with an entity whose name carries the type of its rows, and maybe columns. */
  from<T extends object>(
    entity: EntityName<T>,
    ...columns: readonly ColumnList[]
  ): SelectBuilder<RowsLike<R, T>, T>;
  /** Starts with an entity whose name carries the type of its rows, and a key. */
  from<T extends object>(
    entity: EntityName<T>,
    key: unknown,
    ...columns: readonly ColumnList[]
  ): SelectBuilder<T | null, T>;
  /** Starts with an entity. */
  from(entity: EntityArgument | Source, ...more: readonly unknown[]): SelectBuilder<R>;
  /** Starts with columns. */
  columns(...columns: readonly unknown[]): SelectBuilder<R>;
}

/** `SELECT`: rows by default, one row with `.one`, different rows with `.distinct`, texts with `.localized`. */
export type Select = SelectFactory<Row[]>;

/** Starts a SELECT. */
export const SELECT: Select = createSelect();

/**
 * `SELECT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createSelect(binding?: QueryBinding): Select {
  return factory<Row[]>({}, binding);
}

function factory<R>(start: Partial<SelectBody>, binding?: QueryBinding): SelectFactory<R> {
  const create = (...args: readonly unknown[]): SelectBuilder<R> => {
    const builder = new SelectBuilder<R>(start, binding);
    if (isTemplate(args)) return builder.fromText(fromTemplate(args[0], args.slice(1)));
    return begin(builder, args);
  };
  const made = Object.assign(create, {
    // rows are what the name of the entity says
    from: ((entity: EntityArgument | Source, ...more: readonly unknown[]) =>
      new SelectBuilder<R>(start, binding).from(entity, ...more)) as SelectFactory<R>["from"],
    columns: (...columns: readonly unknown[]) =>
      new SelectBuilder<R>(start, binding).columns(...columns),
  });
  const flagged = (flag: "one" | "distinct" | "localized") => {
    let known: SelectFactory<R> | undefined;
    return { get: () => known ??= factory<R>({ ...start, [flag]: true }, binding) };
  };
  return Object.defineProperties(made, {
    one: flagged("one"),
    distinct: flagged("distinct"),
    localized: flagged("localized"),
  }) as typeof made & SelectFactory<R>; // with the members just defined
}

/** A definition is the source; so is a path in front of columns. A path alone is the source or a column. */
function begin<R>(builder: SelectBuilder<R>, args: readonly unknown[]): SelectBuilder<R> {
  const [first, second] = args;
  if (isDefinition(first)) return builder.from(first, ...args.slice(1));
  if (!isPath(first) && !isRef(first)) return builder.columns(...args);
  if (args.length === 1) return builder.fromOrColumn(first);
  const isSource = args.length === 2 && (typeof second === "function" || Array.isArray(second));
  return isSource ? builder.from(first, second) : builder.columns(...args);
}

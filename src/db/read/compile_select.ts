/**
 * Reading queries compiled to SQL, with what turns their rows into values.
 *
 * @module
 */

import { validityOf } from "../../algebra/from_cqn.ts";
import type { TreeSelect, TreeSource } from "../../algebra/tree.ts";
import type { Row, SelectQuery, SetQuery, Source } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { BinaryForms } from "../../service/database.ts";
import { boundTexts } from "../passes/bound_texts.ts";
import { boundWork } from "../passes/bound_work.ts";
import { lowerQuery } from "../passes/lower_query.ts";
import type { PlainValue } from "../passes/scope.ts";
import type { Dialect, ValueType } from "../render/dialect.ts";
import { type Binding, comparesAttributes } from "../render/binding.ts";
import { renderQuery } from "../render/render_query.ts";
import { mayBeLarge, measuredRows } from "./measured_rows.ts";
import { exactReaders, rowReaders } from "./read_row.ts";
import { stepName } from "../../cqn/steps.ts";

/** A lowered SELECT. */
export interface PreparedSelect {
  readonly query: TreeSelect;
  readonly readers: readonly ((row: Row) => void)[];
  /** What makes texts of numbers that JavaScript may round. */
  readonly exactReaders: () => readonly ((row: Row) => void)[];
  readonly one: boolean;
  /** Rows hold the values of their JSON objects instead of its text. */
  readonly hasValues: boolean;
  /** The number of matching rows is asked for; it is that of the result unless there is a limit. */
  readonly count: boolean;
  readonly limited: boolean;
  /** It is read for an answer, which has a bound. */
  readonly bounded: boolean;
  /** Its rows are counted while they are read. */
  readonly measured: boolean;
  /** Alias of the table or view that the query starts at. */
  readonly table: string | undefined;
}

/** A SELECT as SQL. */
export interface CompiledSelect extends Omit<PreparedSelect, "query"> {
  readonly sql: string;
  readonly bindings: readonly Binding[];
  /** The same where each attribute of the user that elements are compared with has one value. */
  readonly ofOne?: () => CompiledSelect;
}

/** How a SELECT is lowered. */
export interface PrepareOptions {
  readonly model: LinkedModel;
  readonly localized: boolean;
  /** One column with the row as JSON object in payload form. */
  readonly payload: boolean;
  /** The values of that object as columns, where these functions can give them. */
  readonly values?: PlainValue;
  /** What code gets of bytes. */
  readonly binaries?: BinaryForms;
  /** Where the database differs, if it takes SQL. */
  readonly dialect?: Dialect;
}

/**
 * Lowers a SELECT.
 *
 * @param query the query
 * @param options model and form of the result
 */
export function prepareSelect(query: SelectQuery | SetQuery, options: PrepareOptions): PreparedSelect {
  const { payload, values } = options;
  const select = "SELECT" in query ? query.SELECT : undefined;
  const localized = options.localized && !(select && readsDefaults(select.from, options.model));
  const temporal = select?.history !== true;
  const binaries = select?.asBytes ? options.binaries : undefined;
  const lowered = lowerQuery(options.model, query, {
    payload,
    values,
    localized,
    temporal,
    throughViews: true,
    wholePaths: true,
    ordersParts: options.dialect?.movesRows,
    ...(select?.validity && { validity: validityOf(select.validity) }),
    outermost: true,
    ...(binaries && { lacksStreams: true }),
  });
  let exact: PreparedSelect["readers"] | undefined;
  return {
    query: lowered.query,
    readers: payload ? [] : rowReaders(lowered.columns, { nested: false, binaries }),
    exactReaders: () => exact ??= exactReaders(lowered.columns),
    one: select?.one === true,
    hasValues: lowered.hasValues === true,
    count: select?.count === true,
    limited: select?.limit !== undefined,
    bounded: select?.bounded === true,
    measured: select?.bounded === true && !select.one && mayBeLarge(lowered.columns),
    table: firstTable(lowered.query.SELECT.from),
  };
}

/** What is read from an entity with default texts only, has default texts in all that it leads to. */
function readsDefaults(from: Source, model: LinkedModel): boolean {
  const [first, ...others] = "ref" in from ? from.ref : [];
  if (first === undefined || others.length > 0) return false;
  return model.entity(stepName(first))?.["@cds.localized"] === false;
}

function firstTable(source: TreeSource): string | undefined {
  if (source.kind === "join") return firstTable(source.args[0]!);
  return source.kind === "reference" ? source.as ?? stepName(source.ref[0]) : undefined;
}

/**
 * Compiles a SELECT to SQL.
 *
 * @param query the query
 * @param options model, dialect and form of the result
 */
export function compileSelect(
  query: SelectQuery | SetQuery,
  options: PrepareOptions & {
    readonly dialect: Dialect;
    /** Whether costly queries call `$step` as they go. */
    readonly isWatched?: boolean;
    readonly types?: Readonly<Record<string, ValueType>>;
    /** Characters of the texts that may be joined for a row. */
    readonly computedLength: number;
  },
): CompiledSelect {
  const { query: lowered, ...prepared } = prepareSelect(query, options);
  const { isWatched, dialect, types, computedLength } = options;
  const short = boundTexts(lowered, computedLength);
  if (!isWatched) return { ...prepared, ...renderQuery(dialect, short, { types }) };
  const bounded = boundWork(short);
  const render = (isOfOne: boolean): CompiledSelect => {
    const rendered = renderQuery(dialect, bounded, { types, isOfOne });
    return { ...prepared, ...rendered, ...(prepared.measured && { sql: measuredRows(rendered.sql, short) }) };
  };
  const compiled = render(false);
  if (!dialect.prefersOne || !comparesAttributes(compiled.bindings)) return compiled;
  let ofOne: CompiledSelect | undefined;
  return { ...compiled, ofOne: () => ofOne ??= render(true) };
}

/**
 * The query that counts the rows of another one, ignoring its limit.
 *
 * @param query the query
 */
export function countQuery(query: SelectQuery): SelectQuery {
  const { columns, orderBy: _orderBy, limit: _limit, count: _count, one: _one, ...body } = query.SELECT;
  const counted = { func: "count", args: ["*"] as const, as: "count" };
  if (!body.groupBy && !body.distinct && "ref" in body.from) {
    return { SELECT: { ...body, columns: [counted] } };
  }
  const inner: SelectQuery = { SELECT: { ...body, columns } };
  return { SELECT: { from: { ...inner, as: "rows" }, columns: [counted] } };
}

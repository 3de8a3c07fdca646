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
import { boundTexts, boundWork } from "../passes/bound_texts.ts";
import { lowerQuery } from "../passes/lower_query.ts";
import { NO_COLUMN } from "../passes/lower_select.ts";
import type { OutputColumn, PlainValue } from "../passes/scope.ts";
import type { Dialect, ValueType } from "../render/dialect.ts";
import { type Binding, comparesAttributes } from "../render/binding.ts";
import { renderQuery } from "../render/render_query.ts";
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
  /** Whether the query is read for an answer, which has a bound. */
  readonly bounded: boolean;
  /** Whether rows are measured while they are read. */
  readonly measured: boolean;
  /** Alias of the table or view that the query starts at. */
  readonly table: string | undefined;
}

/** A SELECT as SQL. */
export interface CompiledSelect extends Omit<PreparedSelect, "query"> {
  readonly sql: string;
  readonly bindings: readonly Binding[];
  /** The query compiled for users with one value in each attribute that elements are compared with. */
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
    ...(select?.validity && { validity: validityOf(select.validity) }),
    outermost: true,
    ...(binaries && { lacksStreams: true }),
  });
  let exact: PreparedSelect["readers"] | undefined;
  return {
    query: lowered.query,
    readers: payload ? [] : readersOf(lowered.columns, binaries),
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

function readersOf(columns: readonly OutputColumn[], binaries?: BinaryForms): PreparedSelect["readers"] {
  if (columns.length === 0) return [(row) => delete row[NO_COLUMN]];
  return rowReaders(columns, { nested: false, binaries });
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

/** Bytes of a row that need no look at it: a page of them is no larger than an answer may be. */
const SMALL_ROW = 8 * 1024;

/** Characters of a text without declared length, as the service takes it. */
const DEFAULT_LENGTH = 255;

/** Bytes of what is no text. */
const SMALL_VALUE = 40;

/**
 * Whether rows may hold more than what is usual: texts without bound, nested rows, what is computed. They are measured
 * while an engine in the process itself reads them, as it gives all of them at once.
 *
 * @param columns their columns
 */
function mayBeLarge(columns: readonly OutputColumn[]): boolean {
  return columns.reduce((bytes, column) => bytes + mostBytes(column), 0) > SMALL_ROW;
}

function mostBytes({ nested, element, type, expression }: OutputColumn): number {
  if (nested || element?.$type.items) return Infinity;
  switch (type) {
    case "cds.String":
    case "cds.Binary":
      return expression.kind === "reference" ? Number(element?.$type.length ?? DEFAULT_LENGTH) : Infinity;
    case "cds.LargeString":
    case "cds.LargeBinary":
    case "cds.Map":
    case undefined:
      return Infinity;
    default:
      return SMALL_VALUE;
  }
}

/**
 * A statement that tells `fw_size` the bytes of each row.
 *
 * @param sql a rendered SELECT
 * @param query what it was rendered from
 */
function measuredRows(sql: string, { SELECT: { columns = [], limit } }: TreeSelect): string {
  const lengths = columns.flatMap((column) => {
    const name = typeof column === "object" && "as" in column ? column.as : undefined;
    return typeof name === "string" ? [`ifnull(octet_length("${name.replaceAll('"', '""')}"), 0)`] : [];
  });
  if (lengths.length === 0) return sql;
  // a limit keeps the values from being computed twice, and the rows in their order
  const rows = limit ? sql : `${sql} LIMIT -1`;
  return `SELECT * FROM (${rows}) WHERE abs(fw_size(${lengths.join(" + ")}))`;
}

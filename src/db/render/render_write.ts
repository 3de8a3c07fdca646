/**
 * Writes on a table as SQL text with bound values.
 *
 * @module
 */

import type { Expr } from "../../algebra/tree.ts";
import type { FlatElement } from "../../model/linked.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";
import { sqlName } from "../sql_name.ts";
import type {
  Assignment,
  InsertColumns,
  InsertStatement,
  WriteStatement,
} from "../write/statement_runner.ts";
import { type Binding, comparesAttributes } from "./binding.ts";
import type { Dialect } from "./dialect.ts";
import { quote, type SqlText, SqlWriter, type WriterOptions } from "./render_query.ts";

/** Text of statements by dialect and columns, at the number of rows. */
const INSERTS: WeakMap<Dialect, WeakMap<InsertColumns, SqlText[]>> = new WeakMap();

/**
 * The text that inserts rows: the same object for the same columns and number of rows.
 *
 * @param dialect where databases differ
 * @param into table and columns, whose values are bound in their order
 * @param rows the number of rows
 */
export function renderInsert(dialect: Dialect, into: InsertColumns, rows = 1): SqlText {
  let known = INSERTS.get(dialect);
  if (!known) INSERTS.set(dialect, known = new WeakMap());
  let texts = known.get(into);
  if (!texts) known.set(into, texts = []);
  return texts[rows] ??= { sql: insertText(dialect, into, rows) };
}

function insertText(
  dialect: Dialect,
  { table, columns: given, numbered }: InsertColumns,
  rows: number,
): string {
  const name = quote(sqlName(table));
  const start = `INSERT INTO ${name}`;
  const columns = numbered ? [...given, numbered] : given;
  if (columns.length === 0) return `${start} DEFAULT VALUES`;
  const values = Array.from({ length: rows }, (_, row) => {
    const bound = given.map((_, index) => dialect.placeholder(row * given.length + index));
    if (numbered) bound.push(dialect.nextNumber(name, quote(numbered.name), row));
    return `(${bound.join(", ")})`;
  });
  return `${start} (${names(columns)}) VALUES ${values.join(", ")}`;
}

/** The text of a write, the same object for writes that are alike, and its bindings. */
export interface RenderedWrite {
  readonly text: SqlText;
  readonly bindings: readonly Binding[];
  /** Whether elements are compared with attributes of the user, of which there may be several. */
  readonly comparesAttributes: boolean;
}

/**
 * Renders a write, but for the insertion of rows.
 *
 * @param dialect where databases differ
 * @param statement what is written
 * @param options what is known of its values
 */
export function renderWrite(
  dialect: Dialect,
  statement: ConditionalWrite,
  options: WriterOptions = {},
): RenderedWrite {
  const values = boundValues(statement);
  const { where } = statement.kind === "insertFrom" ? { where: undefined } : statement;
  if (!values || !where) return render(dialect, statement, options);
  let known = TEMPLATES.get(where);
  if (!known) TEMPLATES.set(where, known = { texts: new BoundedCache(KEPT_TEXTS), last: undefined });
  const template = lastTemplate(known, dialect, { statement, options }) ??
    knownTemplate(known, dialect, { statement, options, values });
  if (values.length === 0) return template;
  // conditions of templates come again: the values of an update come first, what follows is always the same
  const { text, bindings, comparesAttributes } = template;
  return { text, bindings: values.concat(bindings), comparesAttributes };
}

type ConditionalWrite = Exclude<WriteStatement, InsertStatement>;

interface Rendering {
  readonly statement: ConditionalWrite;
  readonly options: WriterOptions;
}

/** The text of the statement before, which mostly is that of the next one with the same condition, too. */
function lastTemplate(
  { last }: KnownTexts,
  dialect: Dialect,
  { statement, options: { types, isOfOne = false } }: Rendering,
): RenderedWrite | undefined {
  if (
    !last || types || last.dialect !== dialect || last.isOfOne !== isOfOne || last.kind !== statement.kind
  ) {
    return undefined;
  }
  const set = statement.kind === "update" ? statement.set : NO_ASSIGNMENTS;
  if (set.length !== last.columns.length) return undefined;
  for (let at = 0; at < set.length; at++) if (set[at]!.column !== last.columns[at]) return undefined;
  return last.template;
}

function knownTemplate(
  known: KnownTexts,
  dialect: Dialect,
  { statement, options, values }: Rendering & { readonly values: readonly Binding[] },
): RenderedWrite {
  const name = nameOf(dialect, statement, options);
  let template = known.texts.get(name);
  if (!template) {
    const { bindings, ...rendered } = render(dialect, statement, options);
    known.texts.set(name, template = { ...rendered, bindings: bindings.slice(values.length) });
  }
  if (!options.types) {
    const columns = statement.kind === "update" ? statement.set.map(({ column }) => column) : [];
    known.last = { dialect, kind: statement.kind, isOfOne: options.isOfOne === true, columns, template };
  }
  return template;
}

/** What texts with the same condition differ in. */
function nameOf(
  dialect: Dialect,
  statement: ConditionalWrite,
  { types, isOfOne = false }: WriterOptions,
): string {
  let name = isOfOne ? `${dialect.name} one ${statement.kind}` : `${dialect.name} ${statement.kind}`;
  for (const parameter in types) name += ` ${types[parameter]}`;
  if (statement.kind === "update") { for (const { column } of statement.set) name += `,${column.name}`; }
  return name;
}

const NO_VALUES: Binding[] = [];

const NO_ASSIGNMENTS: readonly Assignment[] = [];

/** Texts with the same condition. */
interface KnownTexts {
  readonly texts: BoundedCache<string, RenderedWrite>;
  last: {
    readonly dialect: Dialect;
    readonly kind: WriteStatement["kind"];
    readonly isOfOne: boolean;
    readonly columns: readonly FlatElement[];
    readonly template: RenderedWrite;
  } | undefined;
}

/** Text of statements with the bindings of their condition, by the condition. */
const TEMPLATES: WeakMap<Expr, KnownTexts> = new WeakMap();
/** Texts kept for a condition: clients choose the columns that an update sets. */
const KEPT_TEXTS = 200;

/** The values that an UPDATE sets; undefined where it computes some. */
function boundValues(statement: ConditionalWrite): Binding[] | undefined {
  if (statement.kind !== "update") return NO_VALUES;
  const values: Binding[] = [];
  for (const assignment of statement.set) {
    if ("expression" in assignment) return undefined;
    values.push({ kind: "value", value: assignment.value });
  }
  return values;
}

function render(
  dialect: Dialect,
  statement: ConditionalWrite,
  options: WriterOptions,
): RenderedWrite {
  const writer = new SqlWriter(dialect, options);
  const text = { sql: writeText(writer, statement) };
  const { bindings } = writer;
  return { text, bindings, comparesAttributes: comparesAttributes(bindings) };
}

function writeText(writer: SqlWriter, statement: ConditionalWrite): string {
  const table = quote(sqlName(statement.table));
  switch (statement.kind) {
    case "insertFrom":
      return `INSERT INTO ${table} (${names(statement.columns)}) ${writer.query(statement.query)}`;
    case "update": {
      const set = statement.set.map((assignment) =>
        `${quote(assignment.column.name)} = ${
          "expression" in assignment
            ? writer.expression(assignment.expression)
            : writer.bound(assignment.value)
        }`
      );
      return `UPDATE ${table} SET ${set.join(", ")}${condition(writer, statement.where)}`;
    }
    case "delete":
      return `DELETE FROM ${table}${condition(writer, statement.where)}`;
  }
}

function names(columns: readonly FlatElement[]): string {
  return columns.map(({ name }) => quote(name)).join(", ");
}

function condition(writer: SqlWriter, where: Expr | undefined): string {
  return where ? ` WHERE ${writer.expression(where)}` : "";
}

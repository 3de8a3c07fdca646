/**
 * What the clauses of a SELECT are given.
 *
 * @module
 */

import type { Column, Expression, Limit, OrderTerm, RefExpression, Row, SelectBody, Source } from "../cqn.ts";
import { defaultLockWait, type EntityShape } from "../query_runner.ts";
import { isExpression } from "../is_query.ts";
import { toRef } from "./expressions.ts";
import { fromTemplate, isTemplate, parseColumnText, parseOrderText } from "./parse_text.ts";
import { stepName } from "../steps.ts";

const PATH = /^[\p{L}_$][\p{L}\w$]*(\.[\p{L}_$][\p{L}\w$]*)*$/u;

/** Whether a text is a path, and so may be the name of an entity as well as that of a column. */
export function isPath(text: unknown): text is string {
  return typeof text === "string" && PATH.test(text.trim());
}

/** Whether an argument is the definition of an entity, or a class with its name. */
export function isDefinition(value: unknown): value is { readonly name: string } {
  const isHolder = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isHolder || typeof (value as { name?: unknown }).name !== "string") return false;
  if (typeof value === "function") {
    return Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
  }
  return "elements" in value || Object.keys(value).length === 1;
}

/** Whether a text is a name with a filter, and nothing else. */
export function isFiltered(text: string): boolean {
  return /^\s*[\p{L}_$][\p{L}\w$.]*\[[^\]]*\]\s*$/u.test(text);
}

/** How rows are locked: without a number of seconds, or with a negative one, as long as the database waits. */
export function lockOptions(given: { readonly wait?: number } = {}): { readonly wait?: number } {
  const wait = given.wait ?? defaultLockWait() ?? -1;
  return wait < 0 ? {} : { wait };
}

/** Whether both numbers of a limit are given as one object, which is no expression in place of the first. */
export function isLimit(
  given: unknown,
): given is { readonly rows?: unknown; readonly offset?: unknown } & Limit {
  return typeof given === "object" && given !== null && !isExpression(given);
}

/** A column given as object `{ element: "alias" }`; undefined for anything else that is no expression. */
export function aliasedColumn(column: object): Column | undefined {
  const [[name, alias] = [], ...more] = Object.entries(column);
  if (more.length > 0 || name === undefined || typeof alias !== "string") return undefined;
  return { ...columnsOf(name)[0] as object, as: alias } as Column; // of an element, not of `*`
}

/** Whether an argument behind an entity is a column, and not a key. */
export function isColumnArgument(argument: unknown): boolean {
  return typeof argument === "function" || Array.isArray(argument) ||
    (typeof argument === "object" && argument !== null && (isExpression(argument) || isNested(argument)));
}

/** Whether a column opens a nested result. */
export function isNested(column: unknown): column is Column {
  return typeof column === "object" && column !== null && ("expand" in column || "inline" in column);
}

/** The columns of a text. */
export function columnsOf(text: string): readonly Column[] {
  if (text === "*") return ["*"];
  return PATH.test(text) ? [toRef(text) as Column] : parseColumnText({ text, values: [] });
}

/** Expressions to group by. */
export function expressionsOf(terms: readonly unknown[]): readonly Expression[] {
  // A grouping expression is written like a column without alias.
  if (isTemplate(terms)) {
    return parseColumnText(fromTemplate(terms[0], terms.slice(1))) as readonly Expression[];
  }
  return terms.flat().flatMap((term) =>
    typeof term === "string" ? columnsOf(term) as readonly Expression[] : [term as Expression]
  );
}

/** Order terms of text, terms, or sort orders by element. */
export function orderTerms(terms: readonly unknown[]): readonly OrderTerm[] {
  if (isTemplate(terms)) return parseOrderText(fromTemplate(terms[0], terms.slice(1)));
  return terms.flat().flatMap((term) => {
    if (typeof term === "string") {
      return PATH.test(term) ? [toRef(term) as OrderTerm] : parseOrderText({ text: term, values: [] });
    }
    if (isExpression(term)) return [term as OrderTerm];
    return Object.entries(term as Record<string, unknown>).map(([name, sort]) => sorted(name, sort));
  });
}

function sorted(name: string, sort: unknown): OrderTerm {
  if (sort === 1 || sort === "asc") return { ...toRef(name), sort: "asc" };
  if (sort === -1 || sort === "desc") return { ...toRef(name), sort: "desc" };
  throw new TypeError(`Expected asc or desc for '${name}', found '${sort}'`);
}

/** Whether a text of a query names its source. */
export function hasFrom(text: string): boolean {
  let plain = text.replace(/'(?:[^']|'')*'/g, "''");
  for (let before = ""; before !== plain;) {
    before = plain;
    plain = plain.replace(/\([^()]*\)|\{[^{}]*\}/g, " ");
  }
  return /(^|\s)from\s/i.test(plain);
}

/** A number of rows. */
export function toCount(value: unknown): { val: number } | NonNullable<Limit["rows"]> {
  if (typeof value === "object") return value as NonNullable<Limit["rows"]>; // CQN has an expression there
  const count = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
  if (Number.isSafeInteger(count) && count >= 0) return { val: count };
  throw new TypeError(`Expected a number of rows, found ${typeof value === "string" ? `"${value}"` : value}`);
}

/**
 * The elements that the rows of a query have, by name; those of expressions are the type that they are cast to.
 *
 * @param elements those of the entity
 * @param body its columns
 */
export function resultElements(
  elements: EntityShape["elements"],
  { columns = ["*"], excluding = [] }: Pick<SelectBody, "columns" | "excluding">,
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const column of columns) {
    if (column === "*") Object.assign(found, elements);
    else found[nameOfColumn(column)] = elementAt(elements, column);
  }
  for (const name of excluding) delete found[name];
  return found;
}

function nameOfColumn(column: Exclude<Column, "*">): string {
  const { as, ref, func } = column as { as?: string; ref?: RefExpression["ref"]; func?: string };
  return as ?? ref?.map(stepName).join("_") ?? func ?? "";
}

/** The definition of the element that a column reads. */
function elementAt(elements: EntityShape["elements"], column: Exclude<Column, "*">): unknown {
  const { ref = [], cast } = column as { ref?: RefExpression["ref"]; cast?: object };
  let members: EntityShape["elements"] | undefined = elements;
  let element: EntityShape["elements"][string] | undefined;
  for (const step of ref) {
    element = members?.[stepName(step)];
    members = element?.$target?.elements ?? element?.$type?.elements ?? element?.elements;
  }
  return cast ?? element ?? {};
}

/** A path whose last step leads to one row at most, like that of a request to it. */
export function isOneRow(source: Source): boolean {
  const last = "ref" in source ? source.ref.at(-1) : undefined;
  return typeof last === "object" && last.cardinality?.max === 1;
}

/** Whether a source is still to be named. */
export function isRefEmpty(source: Source): boolean {
  return "ref" in source && source.ref.length === 0;
}

/** What takes text, like the response of a classic route. */
export interface TextSink {
  /** Takes a part of the text. */
  write(text: string): unknown;
  /** Ends the text. */
  end(): unknown;
}

/** Where the text goes: a stream, what takes texts, or what is called with a stream of it. */
export type RowsTarget =
  | WritableStream<Uint8Array>
  | TextSink
  | ((text: ReadableStream<Uint8Array>) => unknown);

/**
 * The rows as a JSON list.
 *
 * @param rows the rows
 * @param to where the text goes
 * @returns a stream of bytes where nothing takes the text
 */
export async function pipedRows(
  rows: AsyncIterable<Row>,
  to: RowsTarget | undefined,
): Promise<ReadableStream<Uint8Array> | void> {
  if (to && typeof to !== "function" && !(to instanceof WritableStream)) {
    for await (const part of partsOf(rows)) to.write(part);
    to.end();
    return;
  }
  const stream = ReadableStream.from(partsOf(rows)).pipeThrough(new TextEncoderStream());
  if (typeof to === "function") await to(stream);
  else return to ? await stream.pipeTo(to) : stream;
}

async function* partsOf(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let before = "[";
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

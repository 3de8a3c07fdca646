/**
 * CQL texts to CQN: whole queries and their parts. `?` and numbered parameters take given values.
 *
 * @module
 */

import type { IRecognitionException, ParserMethod } from "chevrotain";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Column, Expression, OrderTerm, SelectQuery, SetQuery, Source, Xo } from "./cqn.ts";
import { BoundedCache } from "../util/bounded_cache.ts";
import { CqlParser } from "./grammar/cql_parser.ts";
import { cqlKeywordTable, lexText, lineAndColumn, type SourceText, sourceText } from "./grammar/lexer.ts";
import { placeholderExpression } from "./grammar/literals.ts";

let parser: CqlParser | undefined;

/**
 * Parses an expression.
 *
 * @param text for example `stock > ? and not exists reviews`
 * @param values for `?` in the order of the text and for `:1`, `:2`, …; without them these stay parameters
 * @returns the flat array of operands and operators
 * @throws {ConfigurationError} for a text that is no expression, with line and column
 */
export function parseExpression(text: string, values?: readonly unknown[]): readonly Xo[] {
  return parseWith(text, values, (cql) => cql.wholeExpression);
}

/**
 * Parses a query.
 *
 * @param text for example `SELECT from Books { ID, author { name } } where stock > ?`
 * @param values for its placeholders
 * @returns the query
 * @throws {ConfigurationError} for a text that is no query, with line and column
 */
export function parseCqlQuery(text: string, values?: readonly unknown[]): SelectQuery | SetQuery {
  return parseWith(text, values, (cql) => cql.wholeQuery);
}

/**
 * Parses columns, with or without braces around them.
 *
 * @param text for example `ID, author { name }, price * 2 as double`
 * @param values for its placeholders
 * @returns the columns
 * @throws {ConfigurationError} for a text that is no list of columns
 */
export function parseColumns(text: string, values?: readonly unknown[]): readonly Column[] {
  return parseWith(text, values, (cql) => cql.wholeColumns);
}

/**
 * Parses order terms.
 *
 * @param text for example `name asc nulls last, stock desc`
 * @param values for its placeholders
 * @returns the terms
 * @throws {ConfigurationError} for a text that is no list of order terms
 */
export function parseOrderTerms(text: string, values?: readonly unknown[]): readonly OrderTerm[] {
  return parseWith(text, values, (cql) => cql.wholeOrder);
}

/**
 * Parses a source: an entity, a path from an entity (`Books[ID=1]:author`), with or without alias.
 *
 * @param text what follows `from`
 * @param values for its placeholders
 * @returns the source
 * @throws {ConfigurationError} for a text that is no source
 */
export function parseSource(text: string, values?: readonly unknown[]): Source {
  return parseWith(text, values, (cql) => cql.wholeSource);
}

/** What texts were parsed to, by rule and text, with what `marker` makes in place of values. */
const kept = new BoundedCache<string, unknown>(500);
/** Longer texts are not kept. */
const LONGEST_TEXT = 2_000;
/** Begins the names of the parameters that stand for values in what is kept. */
const MARK = "\u0001";
/** A sign before a value that is a number is part of it; a text with the mark could be taken for a value. */
// deno-lint-ignore no-control-regex
const PARSED_ANEW = /-\s*[?:]|\u0001/;

function parseWith<T>(
  text: string,
  values: readonly unknown[] | undefined,
  rule: (cql: CqlParser) => ParserMethod<[], T>,
): T {
  const cql = parser ??= new CqlParser();
  if (values === undefined || text.length > LONGEST_TEXT || PARSED_ANEW.test(text)) {
    return parse(cql, text, { values, rule: rule(cql) });
  }
  const method = rule(cql);
  const key = `${(method as { ruleName?: string }).ruleName} ${values.length} ${text}`;
  let tree = kept.get(key) as T | undefined; // a rule has one type of results
  if (tree === undefined) {
    try {
      kept.set(key, tree = parse(cql, text, { values: values.map(marker), rule: method }));
    } catch {
      // some values are no operands, but sources; what is wrong with the text is told with them
      return parse(cql, text, { values, rule: method });
    }
  }
  return withValues(tree, values) as T;
}

interface Reading<T> {
  readonly values: readonly unknown[] | undefined;
  readonly rule: ParserMethod<[], T>;
}

function parse<T>(cql: CqlParser, text: string, { values, rule }: Reading<T>): T {
  const source = sourceText(text);
  const { tokens } = lexText(source, cqlKeywordTable());
  cql.source = source;
  cql.values = values;
  cql.input = tokens;
  const result = rule.call(cql);
  if (cql.errors.length > 0) throw syntaxError(source, cql.errors[0]);
  return result;
}

function marker(_value: unknown, index: number): Expression {
  return { ref: [`${MARK}${index}`], param: true };
}

/** A copy with values in place of their markers. */
function withValues(part: unknown, values: readonly unknown[]): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => withValues(item, values));
  const { ref, param, ...others } = part as { readonly ref?: readonly unknown[]; readonly param?: boolean };
  const first = param && ref?.[0];
  const isMarker = typeof first === "string" && first.startsWith(MARK);
  const value = isMarker ? placeholderExpression(values[Number(first.slice(MARK.length))]) : undefined;
  const names = Object.keys(isMarker ? others : part);
  if (value !== undefined && names.length === 0) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of names) copy[name] = withValues(part[name as keyof typeof part], values);
  return copy;
}

/**
 * Turns a parser's error into one with a place.
 *
 * @param source the text
 * @param error what Chevrotain reports
 * @returns the error to throw
 */
export function syntaxError(source: SourceText, error: IRecognitionException): ConfigurationError {
  const { token, message } = error;
  const offset = Number.isNaN(token.startOffset) || token.startOffset < 0
    ? source.text.trimEnd().length
    : token.startOffset;
  return new ConfigurationError(message, { file: source.file, ...lineAndColumn(source, offset) });
}

/**
 * CQL texts to CQN: whole queries and their parts. `?` and numbered parameters take given values.
 *
 * @module
 */

import type { IRecognitionException } from "chevrotain";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Column, OrderTerm, SelectQuery, SetQuery, Source, Xo } from "./cqn.ts";
import { CqlParser } from "./grammar/cql_parser.ts";
import { cqlKeywordTable, lexText } from "./grammar/lexer.ts";
import { lineAndColumn, type SourceText, sourceText } from "./grammar/source_text.ts";

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
  return parseWith(text, values, (cql) => cql.wholeExpression());
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
  return parseWith(text, values, (cql) => cql.wholeQuery());
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
  return parseWith(text, values, (cql) => cql.wholeColumns());
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
  return parseWith(text, values, (cql) => cql.wholeOrder());
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
  return parseWith(text, values, (cql) => cql.wholeSource());
}

function parseWith<T>(text: string, values: readonly unknown[] | undefined, rule: (cql: CqlParser) => T): T {
  const source = sourceText(text);
  const { tokens } = lexText(source, cqlKeywordTable());
  const cql = parser ??= new CqlParser();
  cql.source = source;
  cql.values = values;
  cql.input = tokens;
  const result = rule(cql);
  if (cql.errors.length > 0) throw syntaxError(source, cql.errors[0]);
  return result;
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

/**
 * Text with values in it as CQN: tagged templates, alternating text and values, and text with commas between its parts.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Column, Expression, OrderTerm, Scalar, SelectQuery, SetQuery, Source, Xo } from "../cqn.ts";
import { isExpression, isSelect, isSet } from "../is_query.ts";
import { parseColumns, parseCqlQuery, parseExpression, parseOrderTerms, parseSource } from "../parse_cql.ts";

/** CQL text whose values stand apart, so that no value is ever read as text. */
export interface TextWithValues {
  /** Text with a parameter `:<n>` for the value with that number, counted from 1. */
  readonly text: string;
  /** One row in the order of `columns`. */
  readonly values: readonly unknown[];
}

/** Whether arguments are those of a tagged template. */
export function isTemplate(
  args: readonly unknown[],
): args is readonly [TemplateStringsArray, ...(readonly unknown[])] {
  return Array.isArray(args[0]) && Array.isArray((args[0] as { raw?: unknown }).raw);
}

/**
 * The text of a tagged template. Definitions become their name, everything else a value.
 *
 * @param strings what the tag was given first
 * @param values what the tag was given further
 */
export function fromTemplate(strings: readonly string[], values: readonly unknown[]): TextWithValues {
  const kept: unknown[] = [];
  let text = strings[0];
  values.forEach((value, i) => {
    text += definitionName(value) ?? ` :${kept.push(value)} `;
    text += strings[i + 1];
  });
  return { text, values: kept };
}

/**
 * The text of alternating text and values: `"ID =", 201, "and stock >", 3`.
 *
 * @param args text, value, text, …
 * @throws TypeError if there is no text where one is expected
 */
export function fromFluent(args: readonly unknown[]): TextWithValues {
  const values: unknown[] = [];
  let text = "";
  args.forEach((arg, i) => {
    if (i % 2 === 1) text += ` :${values.push(arg)} `;
    else if (typeof arg === "string") text += arg;
    else throw new TypeError(`Expected text as argument ${i + 1} of a condition, found ${typeof arg}`);
  });
  return { text, values };
}

/** Parses an expression; values become literals, lists or subqueries. */
export function parseTokens({ text, values }: TextWithValues): readonly Xo[] {
  return parseExpression(text, values.map(toLiteral));
}

/** Parses the columns between the braces of a SELECT. */
export function parseColumnText({ text, values }: TextWithValues): readonly Column[] {
  return parseColumns(text, values.map(toLiteral));
}

/** Parses order terms. */
export function parseOrderText({ text, values }: TextWithValues): readonly OrderTerm[] {
  return parseOrderTerms(text, values.map(toLiteral));
}

/** Parses what follows `from`. */
export function parseSourceText({ text, values }: TextWithValues): Source {
  return parseSource(text, values.map(toLiteral));
}

/** Parses a whole query; without values `?` are parameters, whose values come when it runs. */
export function parseQueryText({ text, values }: TextWithValues): SelectQuery | SetQuery {
  return parseCqlQuery(text, values.length > 0 ? values.map(toLiteral) : undefined);
}

/**
 * A value in a text as an expression: arrays become lists, builders subqueries, everything else a literal. Expressions
 * stay what they are if `fw.parse` or `fw.ql` made them; other plain objects are refused, so that data from outside can
 * never change what the text says.
 *
 * @param value what stood in the text
 */
export function toLiteral(value: unknown): Expression {
  if (Array.isArray(value)) return { list: value.map(toLiteral) };
  if (isMade(value)) return value as Expression;
  if (value === undefined || isPlainObject(value)) {
    const found = value === undefined ? "undefined" : "an object";
    throw new TypeError(`Expected a value in a query text, or null for none, found ${found}`);
  }
  return isSelect(value) || isSet(value) ? value : { val: value as Scalar };
}

/** The name of a linked definition or class; objects made from data never have one. */
function definitionName(value: unknown): string | undefined {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return undefined;
  const { name } = value as { name?: unknown };
  if (typeof name !== "string") return undefined;
  if (typeof value === "function") return name;
  const print = value.toString;
  if (typeof print !== "function" || print === Object.prototype.toString) return undefined;
  return value.toString() === name ? name : undefined;
}

const MADE: WeakSet<object> = new WeakSet();

/**
 * Notes an expression with all that is in it.
 *
 * @param value what was made
 * @returns the same
 */
export function noteMade<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) MADE.add(value);
  // values are data, whatever they hold
  for (const [name, inner] of Object.entries(value)) if (name !== "val") noteMade(inner);
  return value;
}

/**
 * Whether an expression was made by a program, or holds nothing but operators and such expressions.
 *
 * @param value any value
 */
function isMade(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isExpression(value)) return false;
  if (MADE.has(value)) return true;
  const { xpr, list } = value as { readonly xpr?: readonly unknown[]; readonly list?: readonly unknown[] };
  const operands = (xpr ?? list ?? []).filter((one) => typeof one !== "string");
  return operands.length > 0 && operands.every(isMade) && Object.keys(value).length === 1;
}

/**
 * Splits text at its commas outside of quotes and brackets.
 *
 * @param text a list of expressions
 */
export function splitTop(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/'(?:[^']|'')*'|[()[\],]/g)) {
    if (token === "(" || token === "[") depth++;
    else if (token === ")" || token === "]") depth--;
    else if (token === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

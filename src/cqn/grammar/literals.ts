import type { IToken } from "chevrotain";
import type { Expression, Query, Scalar, ValueExpression } from "../cqn.ts";
import { DelimitedIdentifier, QuotedIdentifier, TemplateLiteral } from "./tokens.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isQuery } from "../is_query.ts";

/**
 * The name in a word or delimited identifier.
 *
 * @param token a token of category `Word`
 * @returns the name without delimiters
 */
export function nameOf(token: IToken): string {
  const { image, tokenType } = token;
  if (tokenType === DelimitedIdentifier) return image.slice(2, -1).replaceAll("]]", "]");
  if (tokenType === QuotedIdentifier) return image.slice(1, -1).replaceAll('""', '"');
  return image;
}

/**
 * The text of a string literal of either form.
 *
 * @param token a `StringLiteral` or `TemplateLiteral`
 * @returns the text with quotes and escapes resolved
 */
export function stringOf(token: IToken): string {
  const { image, tokenType } = token;
  if (tokenType !== TemplateLiteral) return image.slice(1, -1).replaceAll("''", "'");
  return image.startsWith("```") ? textBlock(image.slice(3, -3)) : unescape(image.slice(1, -1));
}

/**
 * The value of a number literal. A number that would lose digits stays a string.
 *
 * @param image digits, maybe with sign, fraction and exponent
 * @returns the literal expression
 */
export function numberLiteral(image: string): ValueExpression {
  const value = Number(image);
  const digits = image.replace(/[eE].*$/, "").replace(/^-?0*\.?0*|\./g, "").replace(/^0+/, "");
  const exact = Number.isFinite(value) && digits.replace(/0+$/, "").length <= 15 &&
    (Number.isSafeInteger(value) || !Number.isInteger(value) || /[eE]/.test(image));
  return exact ? { val: value } : { val: image, literal: "number" };
}

/**
 * The value of a typed literal such as `date'2020-02-29'`.
 *
 * @param image type and quoted text
 * @returns the literal expression
 */
export function typedLiteral(image: string): ValueExpression {
  const quote = image.indexOf("'");
  return { val: image.slice(quote + 1, -1), literal: image.slice(0, quote).toLowerCase() };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
};

function unescape(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g,
    (whole, ...groups) => {
      const [braced, four, two, other] = groups as (string | undefined)[];
      if (other !== undefined) return ESCAPES[other] ?? other;
      const code = parseInt(braced ?? four ?? two ?? "", 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Text in three backticks: starts on the next line, without the indentation that all its lines share. */
function textBlock(text: string): string {
  const normalized = text.replaceAll("\r\n", "\n");
  const body = /^[^\n]*\n/.test(normalized) ? normalized.slice(normalized.indexOf("\n") + 1) : normalized;
  const lines = body.split("\n");
  if (lines.length > 1 && lines[lines.length - 1].trim() === "") lines[lines.length - 1] = "";
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = Math.min(...indents, Infinity);
  const stripped = lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join("\n");
  return unescape(stripped.endsWith("\n") ? stripped.slice(0, -1) : stripped);
}

const EXPRESSION_KEYS = ["ref", "val", "xpr", "func", "list", "#", "SELECT", "SET"];

/**
 * The expression for a value put into a query text.
 *
 * @param value a scalar, an array (becomes a list), an expression or a query
 * @returns `{val}`, `{list}`, or the expression itself
 */
export function placeholderExpression(value: unknown): Expression {
  if (Array.isArray(value)) return { list: value.map(placeholderExpression) };
  if (isExpression(value)) return value;
  return { val: (value === undefined ? null : value) as Scalar };
}

function isExpression(value: unknown): value is Expression {
  if (typeof value !== "object" || value === null) return false;
  return EXPRESSION_KEYS.some((key) => key in value && (key !== "val" || isPlainObject(value)));
}

/**
 * A query whose parameters `?` are named by their positions, so that an array holds their values.
 *
 * @param query the query
 */
export function numberedPlaceholders<Q extends Query>(query: Q): Q {
  let count = 0;
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(copyOf);
    const { ref, param } = part as { readonly ref?: readonly unknown[]; readonly param?: boolean };
    if (param && ref?.[0] === "?") return { ...part, ref: [String(count++)] };
    if (!isPlainObject(part) && !isQuery(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
  };
  return copyOf(query) as Q; // a query of the same kind
}

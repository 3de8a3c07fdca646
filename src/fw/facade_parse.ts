/**
 * `fw.parse`: texts of queries, expressions and models (api 1).
 *
 * @module
 */

import {
  fromTemplate,
  isTemplate,
  noteMade,
  parseColumnText,
  parseQueryText,
  parseTokens,
} from "../cqn/builders/parse_text.ts";
import { toRef } from "../cqn/builders/expressions.ts";
import type { Column, Expression, RefExpression, SelectQuery, SetQuery, Xo } from "../cqn/cqn.ts";
import type { Csn } from "../model/csn.ts";
import { parsed } from "./model_source.ts";

/** Parsers; those of CQL also as tags, whose values become literals. */
export interface Parsers {
  /** CDL text to CSN, the same as `cdl`. */
  (text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn;
  /**
   * CQL text to CQN.
   *
   * @throws ConfigurationError with the position of a mistake
   */
  cql(text: string | TemplateStringsArray, ...values: readonly unknown[]): SelectQuery | SetQuery;
  /**
   * The text of an expression to CXN: one operand, or an `xpr`.
   *
   * @throws ConfigurationError with the position of a mistake
   */
  expr(text: string | TemplateStringsArray, ...values: readonly unknown[]): Expression;
  /**
   * CDL text to CSN.
   *
   * @throws ConfigurationError for mistakes, and where there is no compiler
   */
  cdl(text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn;
  /** The steps of the path in a text: `["author", "name"]` of `author.name`. */
  ref(text: string | TemplateStringsArray): RefExpression["ref"];
  /** The path in a text: `author.name`. */
  path(text: string): RefExpression;
  /** The text of an expression as list of its tokens. */
  xpr(text: string | TemplateStringsArray, ...values: readonly unknown[]): readonly Xo[];
  /** A column with its alias: `max(price) as most`. */
  column(text: string | TemplateStringsArray, ...values: readonly unknown[]): Column;
}

/** `fw.parse`. */
export const parsers: Parsers = Object.assign(parseCdl, {
  cql: (...given: Given) => parseQueryText(textOf(given)),
  expr: (...given: Given) => {
    const tokens = parseTokens(textOf(given));
    const [only] = tokens;
    return noteMade(tokens.length === 1 && typeof only !== "string" ? only : { xpr: tokens });
  },
  cdl: parseCdl,
  ref: (text: string | TemplateStringsArray) => (toRef(String(text)) as RefExpression).ref,
  path: (text: string) => noteMade(toRef(text) as RefExpression),
  xpr: (...given: Given) => noteMade(parseTokens(textOf(given))),
  column: (...given: Given) => noteMade(parseColumnText(textOf(given))[0]),
});

type Given = readonly [string | TemplateStringsArray, ...(readonly unknown[])];

function parseCdl(text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn {
  return parsed(typeof text === "string" ? text : String.raw(text, ...values));
}

function textOf(given: readonly unknown[]): { readonly text: string; readonly values: readonly unknown[] } {
  if (isTemplate(given)) return fromTemplate(given[0], given.slice(1));
  const [text, ...values] = given;
  if (typeof text === "string") return { text, values };
  throw new TypeError(`A text is expected, but found ${text === null ? "null" : typeof text}`);
}

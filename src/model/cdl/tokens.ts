/**
 * The keywords that CDL adds to CQL. All are contextual: they can name elements and definitions.
 *
 * @module
 */

import type { TokenType } from "chevrotain";
import { type KeywordTable, keywordTable } from "../../cqn/grammar/lexer.ts";
import { CQL_KEYWORDS, keyword, Name } from "../../cqn/grammar/tokens.ts";

export const Abstract: TokenType = keyword("abstract", Name);
export const Action: TokenType = keyword("action", Name);
export const Actions: TokenType = keyword("actions", Name);
export const Annotate: TokenType = keyword("annotate", Name);
export const Annotation: TokenType = keyword("annotation", Name);
export const ArrayWord: TokenType = keyword("array", Name);
export const Aspect: TokenType = keyword("aspect", Name);
export const Association: TokenType = keyword("association", Name);
export const Columns: TokenType = keyword("columns", Name);
export const Composition: TokenType = keyword("composition", Name);
export const Context: TokenType = keyword("context", Name);
export const Default: TokenType = keyword("default", Name);
export const Define: TokenType = keyword("define", Name);
export const Definitions: TokenType = keyword("definitions", Name);
export const Element: TokenType = keyword("element", Name);
export const Elements: TokenType = keyword("elements", Name);
export const Entity: TokenType = keyword("entity", Name);
export const Enum: TokenType = keyword("enum", Name);
export const Event: TokenType = keyword("event", Name);
export const Extend: TokenType = keyword("extend", Name);
export const Function: TokenType = keyword("function", Name);
export const Localized: TokenType = keyword("localized", Name);
export const Many: TokenType = keyword("many", Name);
export const Namespace: TokenType = keyword("namespace", Name);
export const Of: TokenType = keyword("of", Name);
export const One: TokenType = keyword("one", Name);
export const Parameters: TokenType = keyword("parameters", Name);
export const Projection: TokenType = keyword("projection", Name);
export const Returns: TokenType = keyword("returns", Name);
export const Service: TokenType = keyword("service", Name);
export const Stored: TokenType = keyword("stored", Name);
export const Type: TokenType = keyword("type", Name);
export const Up: TokenType = keyword("up", Name);
export const Using: TokenType = keyword("using", Name);
export const View: TokenType = keyword("view", Name);
export const With: TokenType = keyword("with", Name);

/** The keywords that begin a definition or an extension. */
export const STATEMENT_KEYWORDS: readonly TokenType[] = [
  ...[Namespace, Using, Service, Context, Entity, Type, Aspect, Action, Function, Event, View],
  ...[Annotation, Annotate, Extend, Define, Abstract],
];

/** The keywords of CDL without those of CQL. */
export const CDL_KEYWORDS: readonly TokenType[] = [
  ...STATEMENT_KEYWORDS,
  ...[Actions, ArrayWord, Association, Columns, Composition, Default, Definitions, Element, Elements],
  ...[Enum, Localized, Many, Of, One, Parameters, Projection, Returns, Stored, Up, With],
];

let table: KeywordTable | undefined;

/**
 * The keywords of CDL and CQL.
 *
 * @returns the table, made on first use
 */
export function cdlKeywordTable(): KeywordTable {
  return table ??= keywordTable([...CQL_KEYWORDS, ...CDL_KEYWORDS]);
}

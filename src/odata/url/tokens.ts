/**
 * The tokens of OData URLs, as types of Chevrotain. Their texts are found by `lexer.ts`; no word is reserved: `eq`, `in`
 * or `any` may be property names, and only what stands around a name tells what it is.
 *
 * @module
 */

import { createToken, Lexer, type TokenType } from "chevrotain";

const token = (name: string, label: string, ...categories: TokenType[]): TokenType =>
  createToken({ name, label, categories, pattern: Lexer.NA });

// Categories.
/** What an item of `$select` or `$expand` is made of: a name, `*`, an annotation or `$value`. */
export const ItemName = token("ItemName", 'a name, "*", "Namespace.*", "@name" or "$value"');
/** Any name, qualified or not, with or without parentheses behind it. */
export const Name = token("Name", "a name", ItemName);
/** Any literal. */
export const Literal = token("Literal", "a literal");
/** A name before `(`, with or without blanks between them. */
export const CallName = token("CallName", "a name with parentheses", Name);
/** A name. */
export const QName = token("QName", "a name", Name);
/** A name with `=`, maybe after `$`: an option or a named argument. */
export const NameEq = token("NameEq", '"name="');
/** A binary operator with the blank before it. */
export const BinaryOp = token("BinaryOp", "an operator");
/** The binary operators, by their names. */
export const OPERATORS: readonly TokenType[] = [
  "and",
  "or",
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "has",
  "in",
  "add",
  "sub",
  "mul",
  "div",
  "divby",
  "mod",
].map((name) => token(name, "an operator", BinaryOp));
/** `asc` or `desc` with the blank before it. */
export const SortDirection = token("SortDirection", '"asc" or "desc"');
/** `as` with the blank before it. */
export const As = token("As", '"as"');
/** `with` with the blank before it. */
export const With = token("With", '"with"');
/** `from` with the blank before it. */
export const From = token("From", '"from"');
/** What begins a transformation of `$apply`. */
export const Trafo = token("Trafo", "a transformation");
/** `keep start`. */
export const KeepStart = token("KeepStart", '"keep start"');

const literal = (name: string): TokenType => token(name, "a literal", Literal);
/** A GUID. */
export const Guid = literal("Guid");
/** A date with time and offset. */
export const DateTimeOffset = literal("DateTimeOffset");
/** A date. */
export const DateLiteral = literal("DateLiteral");
/** A time of day. */
export const TimeOfDay = literal("TimeOfDay");
/** A number; `L`, `D`, `F` and `M` behind it are of OData 2.0, and still sent by clients of 4.0. */
export const NumberLiteral = literal("NumberLiteral");
/** `-INF`; `INF` and `NaN` are found among the names. */
export const NegativeInfinity = literal("NegativeInfinity");
/** A string, or a duration or enum value without its prefix. */
export const StringLiteral = literal("StringLiteral");
/** `duration'…'`, `binary'…'`, `geography'…'`, `geometry'…'`, `Model.Color'…'`. */
export const PrefixedLiteral = literal("PrefixedLiteral");
/** `true`, `false`, `null`, `INF`, `NaN`. */
export const WordLiteral = literal("WordLiteral");
/** A JSON string. */
export const JsonString = token("JsonString", "a JSON string");

// Names that begin or end with a sign.
/** `Model.*`. */
export const QNameStar = token("QNameStar", '"Namespace.*"', ItemName);
/** `@name=`. */
export const AliasEq = token("AliasEq", '"@name="');
/** `@name`: an alias or an annotation. */
export const AtName = token("AtName", '"@name"', ItemName);
/** `$name` that is none of the known ones. */
export const DollarName = token("DollarName", "DollarName");

// Punctuation.
/** `(`. */
export const Open = token("Open", '"("');
/** `)`. */
export const Close = token("Close", '")"');
/** `;`. */
export const Semi = token("Semi", '";"');
/** `,`. */
export const Comma = token("Comma", '","');
/** `:`. */
export const Colon = token("Colon", '":"');
/** `/`. */
export const Slash = token("Slash", '"/"');
/** `*`. */
export const Star = token("Star", '"*"', ItemName);
/** `-` before an operand. */
export const Minus = token("Minus", '"-"');
/** `[`. */
export const BeginArray = token("BeginArray", '"["');
/** `]`. */
export const EndArray = token("EndArray", '"]"');
/** `{`. */
export const BeginObject = token("BeginObject", '"{"');
/** `}`. */
export const EndObject = token("EndObject", '"}"');

// Search text.
/** `search=` with the text behind it. */
export const SearchEq = token("SearchEq", '"$search="', NameEq);
/** `search(` in `$apply`. */
export const SearchCall = token("SearchCall", '"search("', Trafo);
/** A word. */
export const SearchWord = token("SearchWord", "a search term");
/** Words between double quotes. */
export const SearchPhrase = token("SearchPhrase", "a search term");
/** Text between single quotes: an expression still being typed. */
export const SearchIncomplete = token("SearchIncomplete", "a search term");

// Words that the parser must tell from other names.
const word = (name: string, label: string, ...categories: TokenType[]): TokenType =>
  token(name, `"${label}"`, ...categories);
/** `not` before an operand. */
export const Not = word("Not", "not");
/** `any(` and `all(`. */
export const LambdaCall = word("LambdaCall", "any");
/** `case(`. */
export const CaseCall = word("CaseCall", "case");
/** `cast(` and `isof(`. */
export const CastCall = word("CastCall", "cast");
const trafo = (name: string, label: string): TokenType => word(name, label, Name, Trafo);
/** `aggregate(`. */
export const AggregateCall = word("AggregateCall", "aggregate", Trafo);
/** `compute(`. */
export const ComputeCall = trafo("ComputeCall", "compute");
/** `concat(`. */
export const ConcatCall = trafo("ConcatCall", "concat");
/** `groupby(`. */
export const GroupbyCall = trafo("GroupbyCall", "groupby");
/** `filter(`. */
export const FilterCall = trafo("FilterCall", "filter");
/** `orderby(`. */
export const OrderbyCall = trafo("OrderbyCall", "orderby");
/** `top(` and `skip(`. */
export const TopSkipCall = trafo("TopSkipCall", "top");
/** `topcount(`, `bottomsum(` and the like. */
export const TopBottomCall = trafo("TopBottomCall", "topcount");
/** `nest(`. */
export const NestCall = trafo("NestCall", "nest");
/** `addnested(`. */
export const AddnestedCall = trafo("AddnestedCall", "addnested");
/** `join(` and `outerjoin(`. */
export const JoinCall = trafo("JoinCall", "join");
/** `ancestors(` and `descendants(`. */
export const AncestorsCall = trafo("AncestorsCall", "ancestors");
/** `traverse(`. */
export const TraverseCall = trafo("TraverseCall", "traverse");
/** `identity`. */
export const Identity = trafo("Identity", "identity");
/** `rollup(`. */
export const RollupCall = word("RollupCall", "rollup");
/** `rolluprecursive(`. */
export const RollupRecursiveCall = word("RollupRecursiveCall", "rolluprecursive");

/** `$it`, `$this`, `$root`, `$these`. */
export const DollarRoot = word("DollarRoot", "$it");
/** `$count`. */
export const DollarCount = word("DollarCount", "$count");
/** `$filter`. */
export const DollarFilter = word("DollarFilter", "$filter");
/** `$ref`. */
export const DollarRef = word("DollarRef", "$ref");
/** `$value`. */
export const DollarValue = word("DollarValue", "$value", ItemName);

const optionEq = (name: string, label: string): TokenType => token(name, `"$${label}="`, NameEq);
/** `$filter=` and so on inside parentheses. */
export const FilterEq = optionEq("FilterEq", "filter");
/** `$search='`: search text in single quotes. */
export const SearchQuotedEq = optionEq("SearchQuotedEq", "search");
/** `$orderby=`. */
export const OrderbyEq = optionEq("OrderbyEq", "orderby");
/** `$select=`. */
export const SelectEq = optionEq("SelectEq", "select");
/** `$expand=`. */
export const ExpandEq = optionEq("ExpandEq", "expand");
/** `$compute=`. */
export const ComputeEq = optionEq("ComputeEq", "compute");
/** `$apply=`. */
export const ApplyEq = optionEq("ApplyEq", "apply");
/** `$top=`, `$skip=`. */
export const TopSkipEq = optionEq("TopSkipEq", "top");
/** `$count=`. */
export const CountEq = optionEq("CountEq", "count");
/** `$levels=`. */
export const LevelsEq = optionEq("LevelsEq", "levels");
/** `$at=`, `$from=`, `$to=`, `$toInclusive=`. */
export const TemporalEq = optionEq("TemporalEq", "at");

/**
 * The tokens of OData URLs. Names are found by four patterns only and told apart afterwards by their text
 * (`lexer.ts`), because no word is reserved: `eq`, `in` or `any` may be property names.
 *
 * @module
 */

import { createToken, Lexer, type TokenType } from "chevrotain";

const IDENT = "[A-Za-z_\\u0080-\\uffff][A-Za-z0-9_\\u0080-\\uffff]*";
const QUALIFIED = `${IDENT}(?:\\.${IDENT})*`;
const DATE = "-?(?:0\\d{3}|[1-9]\\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|60)(?:\\.\\d{1,12})?)?";

// Categories.
/** Any name, qualified or not, with or without parentheses behind it. */
export const Name = createToken({ name: "Name", label: "a name", pattern: Lexer.NA });
/** Any literal. */
export const Literal = createToken({ name: "Literal", label: "a literal", pattern: Lexer.NA });
/** A name directly before `(`. */
export const CallName = createToken({
  name: "CallName",
  label: "a name with parentheses",
  pattern: new RegExp(`${QUALIFIED}(?=\\()`),
  categories: [Name],
});
/** A name. */
export const QName = createToken({
  name: "QName",
  label: "a name",
  pattern: new RegExp(QUALIFIED),
  categories: [Name],
});
/** A name with `=`, maybe after `$`: an option or a named argument. */
export const NameEq = createToken({
  name: "NameEq",
  label: '"name="',
  pattern: new RegExp(`\\$?${IDENT}=`),
});
/** A binary operator with the blank before it. */
export const BinaryOp = createToken({
  name: "BinaryOp",
  label: "an operator",
  pattern: /[ \t]+(?:and|or|eq|ne|lt|le|gt|ge|has|in|add|sub|mul|divby|div|mod)(?=[ \t([])/i,
});
/** `asc` or `desc` with the blank before it. */
export const SortDirection = createToken({
  name: "SortDirection",
  label: '"asc" or "desc"',
  pattern: /[ \t]+(?:asc|desc)(?=[ \t]*(?:[,);]|$))/i,
});
/** `as` with the blank before it. */
export const As = createToken({ name: "As", label: '"as"', pattern: /[ \t]+as(?=[ \t])/i });
/** `with` with the blank before it. */
export const With = createToken({ name: "With", label: '"with"', pattern: /[ \t]+with(?=[ \t])/ });
/** `from` with the blank before it. */
export const From = createToken({ name: "From", label: '"from"', pattern: /[ \t]+from(?=[ \t])/ });
/** `keep start`. */
export const KeepStart = createToken({
  name: "KeepStart",
  label: '"keep start"',
  pattern: /keep[ \t]+start/,
});
/** White space between tokens. */
const Blank = createToken({ name: "Blank", pattern: /[ \t]+/, group: Lexer.SKIPPED });

// Literals; the order in the lexer decides between them.
const literal = (name: string, pattern: RegExp): TokenType =>
  createToken({ name, pattern, label: "a literal", categories: [Literal] });
/** A GUID. */
export const Guid = literal(
  "Guid",
  /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![A-Za-z0-9_])/,
);
/** A date with time and offset. */
export const DateTimeOffset = literal(
  "DateTimeOffset",
  new RegExp(`${DATE}T${TIME}(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)`, "i"),
);
/** A date. */
export const DateLiteral = literal("DateLiteral", new RegExp(`${DATE}(?![T\\d])`));
/** A time of day. */
export const TimeOfDay = literal("TimeOfDay", new RegExp(TIME));
/** A number; `L`, `D`, `F` and `M` behind it are of OData 2.0, and still sent by clients of 4.0. */
export const NumberLiteral = literal(
  "NumberLiteral",
  /[+-]?\d+(?:L(?!\w)|(?:\.\d+)?(?:e[+-]?\d+)?(?:[DFM](?!\w))?)/i,
);
/** `-INF`; `INF` and `NaN` are found among the names. */
export const NegativeInfinity = literal("NegativeInfinity", /-INF(?![A-Za-z0-9_])/);
/** A string, or a duration or enum value without its prefix. */
export const StringLiteral = literal("StringLiteral", /'(?:[^']|'')*'/);
/** `duration'…'`, `binary'…'`, `geography'…'`, `geometry'…'`, `Model.Color'…'`. */
export const PrefixedLiteral = literal("PrefixedLiteral", new RegExp(`${QUALIFIED}'(?:[^']|'')*'`));
/** `true`, `false`, `null`, `INF`, `NaN`: told from names afterwards. */
export const WordLiteral = literal("WordLiteral", Lexer.NA);
/** A JSON string. */
export const JsonString = createToken({
  name: "JsonString",
  label: "a JSON string",
  pattern: /"(?:[^"\\]|\\.)*"/,
});

// Names that begin with a sign.
/** `Model.*`. */
export const QNameStar = createToken({
  name: "QNameStar",
  label: '"Namespace.*"',
  pattern: new RegExp(`${QUALIFIED}\\.\\*`),
});
/** `@name=`. */
export const AliasEq = createToken({ name: "AliasEq", label: '"@name="', pattern: new RegExp(`@${IDENT}=`) });
/** `@name`: an alias or an annotation. */
export const AtName = createToken({
  name: "AtName",
  label: '"@name"',
  pattern: new RegExp(`@${QUALIFIED}(?:#${IDENT})?`),
});
/** `$name`; the known ones are told apart afterwards. */
export const DollarName = createToken({ name: "DollarName", pattern: /\$[A-Za-z]+/ });

// Punctuation.
/** `(`. */
export const Open = createToken({ name: "Open", label: '"("', pattern: /\(/ });
/** `)`. */
export const Close = createToken({ name: "Close", label: '")"', pattern: /\)/ });
/** `;`. */
export const Semi = createToken({ name: "Semi", label: '";"', pattern: /;/ });
/** `,`. */
export const Comma = createToken({ name: "Comma", label: '","', pattern: /,/ });
/** `:`. */
export const Colon = createToken({ name: "Colon", label: '":"', pattern: /:/ });
/** `/`. */
export const Slash = createToken({ name: "Slash", label: '"/"', pattern: /\// });
/** `*`. */
export const Star = createToken({ name: "Star", label: '"*"', pattern: /\*/ });
/** `-` before an operand. */
export const Minus = createToken({ name: "Minus", label: '"-"', pattern: /-/ });
/** `[`. */
export const BeginArray = createToken({ name: "BeginArray", label: '"["', pattern: /\[/ });
/** `]`. */
export const EndArray = createToken({ name: "EndArray", label: '"]"', pattern: /\]/ });
/** `{`. */
export const BeginObject = createToken({ name: "BeginObject", label: '"{"', pattern: /\{/ });
/** `}`. */
export const EndObject = createToken({ name: "EndObject", label: '"}"', pattern: /\}/ });

// Search text.
/** `search=` with the text behind it. */
export const SearchEq = createToken({
  name: "SearchEq",
  label: '"$search="',
  pattern: /\$?search=(?!')/i,
  push_mode: "search",
  categories: [NameEq],
});
/** `search` before `(` in `$apply`. */
export const SearchCall = createToken({
  name: "SearchCall",
  label: '"search("',
  pattern: /search\(/,
  push_mode: "search",
});
/** A word. */
export const SearchWord = createToken({
  name: "SearchWord",
  label: "a search term",
  pattern: /[^ \t"();'][^ \t"();]*/,
});
/** Words between double quotes. */
export const SearchPhrase = createToken({ name: "SearchPhrase", label: "a search term", pattern: /"[^"]+"/ });
/** Text between single quotes: an expression still being typed. */
export const SearchIncomplete = createToken({
  name: "SearchIncomplete",
  label: "a search term",
  pattern: /'(?:[^']|'')*'/,
});
/** `(` in search text. */
export const SearchOpen = createToken({
  name: "SearchOpen",
  pattern: /\(/,
  push_mode: "search",
  categories: [Open],
});
/** `)` in search text, which ends it or one level of it. */
export const SearchClose = createToken({
  name: "SearchClose",
  pattern: /\)/,
  pop_mode: true,
  categories: [Close],
});
/** `;` in search text, which ends it. */
const SearchSemi = createToken({
  name: "SearchSemi",
  pattern: /;/,
  pop_mode: true,
  categories: [Semi],
});

// Words that the parser must tell from other names; found by text (`lexer.ts`).
const word = (name: string, label: string, categories: TokenType[]): TokenType =>
  createToken({ name, label: `"${label}"`, pattern: Lexer.NA, categories });
/** `not` before an operand. */
export const Not = createToken({ name: "Not", label: '"not"', pattern: Lexer.NA });
/** `any(` and `all(`. */
export const LambdaCall = word("LambdaCall", "any", []);
/** `case(`. */
export const CaseCall = word("CaseCall", "case", []);
/** `cast(` and `isof(`. */
export const CastCall = word("CastCall", "cast", []);
/** Category of the calls that begin a transformation of `$apply`, and `identity`. */
export const Trafo = createToken({ name: "Trafo", label: "a transformation", pattern: Lexer.NA });
const trafo = (name: string, label: string, category = Name): TokenType =>
  word(name, label, [category, Trafo]);
/** `aggregate(`. */
export const AggregateCall = word("AggregateCall", "aggregate", [Trafo]);
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
export const RollupCall = word("RollupCall", "rollup", []);
/** `rolluprecursive(`. */
export const RollupRecursiveCall = word("RollupRecursiveCall", "rolluprecursive", []);

const dollar = (name: string, label: string): TokenType =>
  createToken({ name, label: `"${label}"`, pattern: Lexer.NA });
/** `$it`, `$this`, `$root`, `$these`. */
export const DollarRoot = dollar("DollarRoot", "$it");
/** `$count`. */
export const DollarCount = dollar("DollarCount", "$count");
/** `$filter`. */
export const DollarFilter = dollar("DollarFilter", "$filter");
/** `$ref`. */
export const DollarRef = dollar("DollarRef", "$ref");
/** `$value`. */
export const DollarValue = dollar("DollarValue", "$value");

const optionEq = (name: string, label: string): TokenType =>
  createToken({ name, label: `"$${label}="`, pattern: Lexer.NA, categories: [NameEq] });
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

const EXPRESSION_TOKENS: readonly TokenType[] = [
  BinaryOp,
  SortDirection,
  As,
  With,
  From,
  Blank,
  Guid,
  DateTimeOffset,
  DateLiteral,
  TimeOfDay,
  NumberLiteral,
  NegativeInfinity,
  StringLiteral,
  JsonString,
  SearchEq,
  SearchCall,
  KeepStart,
  QNameStar,
  PrefixedLiteral,
  NameEq,
  CallName,
  QName,
  AliasEq,
  AtName,
  DollarName,
  Open,
  Close,
  Semi,
  Comma,
  Colon,
  Slash,
  Star,
  Minus,
  BeginArray,
  EndArray,
  BeginObject,
  EndObject,
];

/** The modes of the lexer: expressions, arguments in the path (where `search` is a plain name), search text. */
export const LEXER_MODES: Record<string, TokenType[]> = {
  expression: [...EXPRESSION_TOKENS],
  path: EXPRESSION_TOKENS.filter((type) => type !== SearchEq && type !== SearchCall),
  search: [Blank, SearchPhrase, SearchIncomplete, SearchOpen, SearchClose, SearchSemi, SearchWord],
};

/** Tokens that no pattern finds: categories, and words told apart by their text. */
export const WORD_TOKENS: readonly TokenType[] = [
  Name,
  Literal,
  Trafo,
  WordLiteral,
  Not,
  LambdaCall,
  CaseCall,
  CastCall,
  AggregateCall,
  ComputeCall,
  ConcatCall,
  GroupbyCall,
  FilterCall,
  OrderbyCall,
  TopSkipCall,
  TopBottomCall,
  NestCall,
  AddnestedCall,
  JoinCall,
  AncestorsCall,
  TraverseCall,
  Identity,
  RollupCall,
  RollupRecursiveCall,
  DollarRoot,
  DollarCount,
  DollarFilter,
  DollarRef,
  DollarValue,
  FilterEq,
  SearchQuotedEq,
  OrderbyEq,
  SelectEq,
  ExpandEq,
  ComputeEq,
  ApplyEq,
  TopSkipEq,
  CountEq,
  LevelsEq,
  TemporalEq,
];

/**
 * The tokens of CQL. Words are lexed as one token type and become keywords afterwards (see `lexer.ts`), so that keywords
 * are case-insensitive and most of them stay usable as names.
 *
 * @module
 */

import { createToken, Lexer, type TokenType } from "chevrotain";

/** Any word, also a reserved one: what may follow a dot or `@`. */
export const Word: TokenType = createToken({ name: "Word", label: "a name", pattern: Lexer.NA });
/** A word that can be a name without `![…]`. */
export const Name: TokenType = createToken({
  name: "Name",
  label: "a name",
  pattern: Lexer.NA,
  categories: [Word],
});

/** A plain identifier that is not a keyword. */
export const Identifier: TokenType = createToken({
  name: "Identifier",
  label: "a name",
  pattern: /[A-Za-z_$\u0080-\uFFFF][\w$\u0080-\uFFFF]*/,
  categories: [Name],
});
/** `![any text]`, where `]]` stands for `]`. */
export const DelimitedIdentifier: TokenType = createToken({
  name: "DelimitedIdentifier",
  label: "a name",
  pattern: /!\[(?:[^\]\n]|\]\])+\]/,
  categories: [Name],
});
/** `"any text"`, the SQL form of a delimited identifier. */
export const QuotedIdentifier: TokenType = createToken({
  name: "QuotedIdentifier",
  label: "a name",
  pattern: /"(?:[^"\n]|"")+"/,
  categories: [Name],
});

/** `'text'`, where `''` stands for `'`. */
export const StringLiteral: TokenType = createToken({
  name: "StringLiteral",
  label: "a string",
  pattern: /'(?:[^'\n\r]|'')*'/,
});
/** `date'…'`, `time'…'`, `timestamp'…'`, `x'…'`. */
export const TypedLiteral: TokenType = createToken({
  name: "TypedLiteral",
  label: "a literal",
  pattern: /(?:date|timestamp|time|x)'[^'\n\r]*'/i,
});
/** Text in backticks, with escape sequences and line breaks. */
export const TemplateLiteral: TokenType = createToken({
  name: "TemplateLiteral",
  label: "a string",
  pattern: /```[^]*?```|`(?:[^`\\]|\\[^])*`/,
  line_breaks: true,
});
/** An unsigned number. */
export const NumberLiteral: TokenType = createToken({
  name: "NumberLiteral",
  label: "a number",
  pattern: /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/,
});

/** White space. */
const WhiteSpace: TokenType = createToken({
  name: "WhiteSpace",
  pattern: /\s+/,
  group: Lexer.SKIPPED,
  line_breaks: true,
});
/** `// …`. */
const LineComment: TokenType = createToken({
  name: "LineComment",
  pattern: /\/\/[^\n\r]*/,
  group: Lexer.SKIPPED,
});
/** A doc comment, kept apart for those who want it. */
const DocComment: TokenType = createToken({
  name: "DocComment",
  pattern: /\/\*\*(?!\/)[^]*?\*\//,
  group: "doc",
  line_breaks: true,
});
/** A comment in slash and asterisk. */
const BlockComment: TokenType = createToken({
  name: "BlockComment",
  pattern: /\/\*[^]*?\*\//,
  group: Lexer.SKIPPED,
  line_breaks: true,
});

/** Operators between two operands, whatever their precedence. */
export const BinaryOperator: TokenType = createToken({
  name: "BinaryOperator",
  label: "an operator",
  pattern: Lexer.NA,
});

function symbol(name: string, text: string, categories: TokenType[] = []): TokenType {
  return createToken({ name, label: `"${text}"`, pattern: text, categories });
}

export const Ellipsis: TokenType = symbol("Ellipsis", "...");
export const DotDot: TokenType = symbol("DotDot", "..");
export const Dot: TokenType = symbol("Dot", ".");
export const Comma: TokenType = symbol("Comma", ",");
export const Semicolon: TokenType = symbol("Semicolon", ";");
export const Colon: TokenType = symbol("Colon", ":");
export const LParen: TokenType = symbol("LParen", "(");
export const RParen: TokenType = symbol("RParen", ")");
export const LSquare: TokenType = symbol("LSquare", "[");
export const RSquare: TokenType = symbol("RSquare", "]");
export const LCurly: TokenType = symbol("LCurly", "{");
export const RCurly: TokenType = symbol("RCurly", "}");
export const At: TokenType = symbol("At", "@");
export const Hash: TokenType = symbol("Hash", "#");
export const Question: TokenType = symbol("Question", "?");
export const Arrow: TokenType = symbol("Arrow", "=>");
const EqualEqual: TokenType = symbol("EqualEqual", "==", [BinaryOperator]);
export const Equal: TokenType = symbol("Equal", "=", [BinaryOperator]);
const NotEqual: TokenType = symbol("NotEqual", "!=", [BinaryOperator]);
const LessGreater: TokenType = symbol("LessGreater", "<>", [BinaryOperator]);
const LessEqual: TokenType = symbol("LessEqual", "<=", [BinaryOperator]);
const Less: TokenType = symbol("Less", "<", [BinaryOperator]);
const GreaterEqual: TokenType = symbol("GreaterEqual", ">=", [BinaryOperator]);
const Greater: TokenType = symbol("Greater", ">", [BinaryOperator]);
/** `+ - * / ||`, the operators that bind closer than comparisons. */
export const ArithmeticOperator: TokenType = createToken({
  name: "ArithmeticOperator",
  label: "an operator",
  pattern: Lexer.NA,
  categories: [BinaryOperator],
});
export const Plus: TokenType = symbol("Plus", "+", [ArithmeticOperator]);
export const Minus: TokenType = symbol("Minus", "-", [ArithmeticOperator]);
export const Star: TokenType = symbol("Star", "*", [ArithmeticOperator]);
export const Slash: TokenType = symbol("Slash", "/", [ArithmeticOperator]);
const Concat: TokenType = symbol("Concat", "||", [ArithmeticOperator]);

/**
 * A keyword. It has no pattern of its own: the lexer makes it from a word.
 *
 * @param word in lower case
 * @param categories `Name` for a contextual keyword, `Word` for a reserved one
 * @returns the token type
 */
export function keyword(word: string, ...categories: TokenType[]): TokenType {
  const name = word[0].toUpperCase() + word.slice(1);
  return createToken({ name: `${name}Keyword`, label: `"${word}"`, pattern: Lexer.NA, categories });
}

// Reserved words: as names they need `![…]`, except after a dot.
export const As: TokenType = keyword("as", Word);
export const By: TokenType = keyword("by", Name);
export const Case: TokenType = keyword("case", Word);
export const Cast: TokenType = keyword("cast", Word);
export const Distinct: TokenType = keyword("distinct", Word);
export const Exists: TokenType = keyword("exists", Word);
export const False: TokenType = keyword("false", Word);
export const From: TokenType = keyword("from", Word);
export const In: TokenType = keyword("in", Word);
export const Key: TokenType = keyword("key", Word);
export const Not: TokenType = keyword("not", Word);
export const Null: TokenType = keyword("null", Word);
export const On: TokenType = keyword("on", Word);
export const Select: TokenType = keyword("select", Word);
export const True: TokenType = keyword("true", Word);
export const When: TokenType = keyword("when", Word);
export const Where: TokenType = keyword("where", Word);

// Contextual keywords.
export const All: TokenType = keyword("all", Name);
export const And: TokenType = keyword("and", Name, BinaryOperator);
export const Asc: TokenType = keyword("asc", Name);
export const Between: TokenType = keyword("between", Name);
export const Cross: TokenType = keyword("cross", Name);
export const Current: TokenType = keyword("current", Name);
export const Desc: TokenType = keyword("desc", Name);
export const Else: TokenType = keyword("else", Name);
export const End: TokenType = keyword("end", Name);
export const Escape: TokenType = keyword("escape", Name);
export const Except: TokenType = keyword("except", Name);
export const Excluding: TokenType = keyword("excluding", Name);
export const First: TokenType = keyword("first", Name);
export const Following: TokenType = keyword("following", Name);
export const For: TokenType = keyword("for", Name);
export const Full: TokenType = keyword("full", Name);
export const Group: TokenType = keyword("group", Name);
export const Having: TokenType = keyword("having", Name);
export const Inner: TokenType = keyword("inner", Name);
export const Intersect: TokenType = keyword("intersect", Name);
export const Into: TokenType = keyword("into", Name);
export const Is: TokenType = keyword("is", Name);
export const Join: TokenType = keyword("join", Name);
export const Last: TokenType = keyword("last", Name);
export const Left: TokenType = keyword("left", Name);
export const Like: TokenType = keyword("like", Name);
export const LimitWord: TokenType = keyword("limit", Name);
export const MinusWord: TokenType = keyword("minus", Name);
export const Mixin: TokenType = keyword("mixin", Name);
export const New: TokenType = keyword("new", Name);
export const Nulls: TokenType = keyword("nulls", Name);
export const Offset: TokenType = keyword("offset", Name);
const Or: TokenType = keyword("or", Name, BinaryOperator);
export const Order: TokenType = keyword("order", Name);
export const Outer: TokenType = keyword("outer", Name);
export const Over: TokenType = keyword("over", Name);
export const Partition: TokenType = keyword("partition", Name);
export const Preceding: TokenType = keyword("preceding", Name);
export const Range: TokenType = keyword("range", Name);
export const Redirected: TokenType = keyword("redirected", Name);
export const Right: TokenType = keyword("right", Name);
export const Row: TokenType = keyword("row", Name);
export const Rows: TokenType = keyword("rows", Name);
export const Then: TokenType = keyword("then", Name);
export const To: TokenType = keyword("to", Name);
export const Unbounded: TokenType = keyword("unbounded", Name);
export const Union: TokenType = keyword("union", Name);
export const Virtual: TokenType = keyword("virtual", Name);

/** The keywords of CQL. */
export const CQL_KEYWORDS: readonly TokenType[] = [
  ...[As, By, Case, Cast, Distinct, Exists, False, From, In, Key, Not, Null, On, Select, True, When, Where],
  ...[All, And, Asc, Between, Cross, Current, Desc, Else, End, Escape, Except, Excluding, First, Following],
  ...[For, Full, Group, Having, Inner, Intersect, Into, Is, Join, Last, Left, Like, LimitWord, MinusWord],
  ...[Mixin, New, Nulls, Offset, Or, Order, Outer, Over, Partition, Preceding, Range, Redirected, Right],
  ...[Row, Rows, Then, To, Unbounded, Union, Virtual],
];

/** What the lexer looks for, in this order. */
export const LEXED_TOKENS: TokenType[] = [
  ...[WhiteSpace, LineComment, DocComment, BlockComment],
  ...[TypedLiteral, Identifier, DelimitedIdentifier, QuotedIdentifier],
  ...[StringLiteral, TemplateLiteral, NumberLiteral],
  ...[Ellipsis, DotDot, Dot, Comma, Semicolon, Colon, LParen, RParen, LSquare, RSquare, LCurly, RCurly],
  ...[At, Hash, Question, Arrow, EqualEqual, Equal, NotEqual, LessGreater, LessEqual, Less],
  ...[GreaterEqual, Greater, Plus, Minus, Star, Slash, Concat],
];

/** Token types that stand for others and never come from the lexer. */
export const ABSTRACT_TOKENS: TokenType[] = [Word, Name, BinaryOperator, ArithmeticOperator];

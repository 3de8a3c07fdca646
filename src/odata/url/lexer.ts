/**
 * Text of a path argument or query option → tokens of the parser, in one scan by character codes.
 *
 * @module
 */

import type { IToken, TokenType } from "chevrotain";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
import * as T from "./tokens.ts";
import { CALLS, DOLLARS, NAMES, OPERATORS, OPTIONS } from "./words.ts";

/** What the text is read as: expressions, those of `$apply`, arguments in the path, search text. */
export type LexerMode = "expression" | "apply" | "path" | "search";

const DATE = "-?(?:0\\d{3}|[1-9]\\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|60)(?:\\.\\d{1,12})?)?";
/** Existing data has them without hyphens as well; 32 digits are a number. */
const GUID =
  /(?:[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}|(?=\d*[A-Fa-f])[0-9A-Fa-f]{32})(?![A-Za-z0-9_])/y;
/** Literals that begin with a digit or sign and are no whole numbers; the first that fits is taken. */
const NUMERIC: readonly (readonly [TokenType, RegExp])[] = [
  [T.DateTimeOffset, new RegExp(`${DATE}T${TIME}(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)`, "iy")],
  [T.DateLiteral, new RegExp(`${DATE}(?![T\\d])`, "y")],
  [T.TimeOfDay, new RegExp(TIME, "y")],
  [T.NumberLiteral, /[+-]?\d+(?:L(?!\w)|(?:\.\d+)?(?:e[+-]?\d+)?(?:[DFM](?!\w))?)/iy],
  [T.NegativeInfinity, /-INF(?![A-Za-z0-9_])/y],
];
const JSON_STRING = /"(?:[^"\\]|\\.)*"/y;
const SEARCH_PHRASE = /"[^"]+"/y;
/** The first character of a word is no single quote. */
const SEARCH_WORD = /[^ \t"();'][^ \t"();]*/y;
const KEEP_START = /keep[ \t]+start/y;
/** What follows `asc` and `desc`. */
const ITEM_END = /[ \t]*(?:[,);]|$)/y;

/** What has transformations among its arguments. */
const TAKES_TRAFOS: ReadonlySet<TokenType | undefined> = new Set([
  ...[T.ConcatCall, T.GroupbyCall, T.NestCall, T.AddnestedCall, T.JoinCall],
  ...[T.AncestorsCall, T.TraverseCall, T.RollupRecursiveCall],
]);
const BEFORE_TRAFO: ReadonlySet<TokenType> = new Set([T.ApplyEq, T.Slash, T.Comma, T.Open]);
const BINARY: ReadonlySet<TokenType> = new Set(T.OPERATORS);
/** Behind these an operand is due, so that any word is a name. */
const DUE: ReadonlySet<unknown> = new Set([
  ...[T.Comma, T.Open, T.BeginArray, T.Colon, T.Not, T.Minus],
  ...BINARY,
]);

const [TAB, SPACE, QUOTE, DOUBLE_QUOTE, HASH, DOLLAR] = [0x09, 0x20, 0x27, 0x22, 0x23, 0x24];
const [OPEN, CLOSE, STAR, PLUS, MINUS, DOT, COLON] = [0x28, 0x29, 0x2a, 0x2b, 0x2d, 0x2e, 0x3a];
const [SEMI, EQUALS, AT, BEGIN_ARRAY] = [0x3b, 0x3d, 0x40, 0x5b];

/** Tokens of one character, by its code. */
const SIGNS: readonly (TokenType | undefined)[] = Array.from({ length: 128 }, (_none, code) =>
  ({
    "(": T.Open,
    ")": T.Close,
    ";": T.Semi,
    ",": T.Comma,
    ":": T.Colon,
    "/": T.Slash,
    "*": T.Star,
    "[": T.BeginArray,
    "]": T.EndArray,
    "{": T.BeginObject,
    "}": T.EndObject,
  })[String.fromCharCode(code)]);

/**
 * Cuts the text of a piece into tokens.
 *
 * @param piece the decoded text
 * @param mode what it is read as
 * @returns the tokens, words told apart
 * @throws {ServiceError} 400 where no token begins
 */
export function tokenize(piece: Piece, mode: LexerMode): IToken[] {
  const { text } = piece;
  const isSearch = mode === "search";
  const search = isSearch ? 1 : 0;
  const scan: Scan = { piece, text, mode, isSearch, tokens: [], at: 0, search };
  while (scan.at < text.length) {
    if (!(scan.search > 0 ? readSearchToken(scan) : readToken(scan))) throw noToken(piece, scan.at);
  }
  return scan.tokens;
}

function noToken(piece: Piece, end: number): Error {
  return syntaxError({
    offset: rawOffset(piece, end),
    found: piece.text.slice(end),
    expected: piece.text[end] === "'" || piece.text[end] === '"'
      ? "a closing quote"
      : "a name, literal or operator",
  });
}

/** A text while it is cut. */
interface Scan {
  readonly piece: Piece;
  /** The decoded text of the piece. */
  readonly text: string;
  readonly mode: LexerMode;
  readonly isSearch: boolean;
  readonly tokens: IToken[];
  at: number;
  /** Levels of search text: inside of an expression, and of parentheses in search text. */
  search: number;
}

/** Adds the token that ends before a place. */
function add(scan: Scan, type: TokenType, end: number): true {
  const start = scan.at;
  const image = scan.text.slice(start, end);
  // Chevrotain's types have their number from `createToken`
  scan.tokens.push({ image, startOffset: start, tokenType: type, tokenTypeIdx: type.tokenTypeIdx! });
  scan.at = end;
  return true;
}

function addMatch(scan: Scan, type: TokenType, form: RegExp): boolean {
  form.lastIndex = scan.at;
  return form.test(scan.text) && add(scan, type, form.lastIndex);
}

/** Adds what stands at the place, or moves it behind a blank; false where no token begins. */
function readToken(scan: Scan): boolean {
  const code = scan.text.charCodeAt(scan.at);
  if (isNameStart(code)) return readName(scan, code);
  if (isBlank(code)) return readBlank(scan);
  if (isDigit(code)) return readNumber(scan);
  const sign = SIGNS[code];
  if (sign !== undefined) return add(scan, sign, scan.at + 1);
  switch (code) {
    case QUOTE:
      return readString(scan, T.StringLiteral, scan.at);
    case MINUS:
      return readNumeric(scan) || add(scan, T.Minus, scan.at + 1);
    case PLUS:
      return readNumeric(scan);
    case DOLLAR:
      return readDollar(scan);
    case AT:
      return readAtName(scan);
    case DOUBLE_QUOTE:
      return addMatch(scan, T.JsonString, JSON_STRING);
    default:
      return false;
  }
}

/** An operator, or white space between tokens. */
function readBlank(scan: Scan): true {
  const { text } = scan;
  const word = blankEnd(text, scan.at);
  const end = lettersEnd(text, word);
  const type = end === word ? undefined : OPERATORS.find(text, word, end);
  const isName = DUE.has(scan.tokens.at(-1)?.tokenType);
  if (type !== undefined && !isName && isOperator(type, text, end)) return add(scan, type, end);
  scan.at = word;
  return true;
}

function isOperator(type: TokenType, text: string, end: number): boolean {
  const next = codeAt(text, end);
  if (BINARY.has(type)) return isBlank(next) || next === OPEN || next === BEGIN_ARRAY;
  if (type !== T.SortDirection) return isBlank(next);
  ITEM_END.lastIndex = end;
  return ITEM_END.test(text);
}

/** Anything that begins with a letter or `_`. */
function readName(scan: Scan, first: number): boolean {
  const { text, at } = scan;
  if (isHexDigit(first) && mayBeGuid(text, at) && addMatch(scan, T.Guid, GUID)) return true;
  const end = identifierEnd(text, at + 1);
  switch (codeAt(text, end)) {
    case EQUALS:
      return readOption(scan, at, end);
    case DOT:
      return readQualified(scan, qualifiedEnd(text, end));
    case SPACE:
    case TAB:
      return addMatch(scan, T.KeepStart, KEEP_START) || readNamed(scan, end);
    default:
      return readNamed(scan, end);
  }
}

/** A name with dots. */
function readQualified(scan: Scan, end: number): boolean {
  const { text } = scan;
  const isStar = codeAt(text, end) === DOT && codeAt(text, end + 1) === STAR;
  return isStar ? add(scan, T.QNameStar, end + 2) : readNamed(scan, end);
}

/** A name that ends before a place; blanks between a name and its parentheses mean nothing. */
function readNamed(scan: Scan, end: number): boolean {
  const { text, at } = scan;
  if (codeAt(text, end) === QUOTE && readString(scan, T.PrefixedLiteral, end)) return true;
  const next = blankEnd(text, end);
  if (codeAt(text, next) !== OPEN) return add(scan, wordOf(scan, NAMES.find(text, at, end)) ?? T.QName, end);
  const isSearch = end - at === 6 && text.startsWith("search", at);
  if (!isSearch || !isTransformation(scan)) {
    return add(scan, wordOf(scan, CALLS.find(text, at, end)) ?? T.CallName, end);
  }
  scan.search++;
  return add(scan, T.SearchCall, next + 1);
}

/** Whether a transformation may begin at the place; what is called `search` elsewhere is a property or function. */
function isTransformation({ tokens, mode }: Scan): boolean {
  const before = tokens.at(-1)?.tokenType;
  if (mode === "path" || (before !== undefined && !BEFORE_TRAFO.has(before))) return false;
  let depth = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { tokenType } = tokens[at]!;
    if (tokenType === T.Close) depth++;
    else if (tokenType === T.Open || tokenType === T.SearchCall) {
      if (depth === 0) return TAKES_TRAFOS.has(tokens[at - 1]?.tokenType);
      depth--;
    } else if (depth === 0 && tokenType === T.ApplyEq) return true;
    else if (depth === 0 && tokenType === T.Semi) return false;
  }
  return mode === "apply";
}

/** What a word means at the place: no literal and no `not` begins behind a slash (`$root/true`). */
function wordOf({ tokens }: Scan, type: TokenType | undefined): TokenType | undefined {
  const isOperand = type === T.WordLiteral || type === T.Not;
  return isOperand && tokens.at(-1)?.tokenType === T.Slash ? undefined : type;
}

/** A name with `=`, maybe behind `$`. */
function readOption(scan: Scan, start: number, end: number): true {
  const type = OPTIONS.find(scan.text, start, end) ?? T.NameEq;
  if (type !== T.SearchQuotedEq || scan.mode === "path" || codeAt(scan.text, end + 1) === QUOTE) {
    return add(scan, type, end + 1);
  }
  scan.search++;
  return add(scan, T.SearchEq, end + 1);
}

function readDollar(scan: Scan): boolean {
  const { text, at } = scan;
  const start = at + 1;
  if (isNameStart(codeAt(text, start))) {
    const end = identifierEnd(text, start);
    if (codeAt(text, end) === EQUALS) return readOption(scan, start, end);
  }
  const end = lettersEnd(text, start);
  return end > start && add(scan, DOLLARS.find(text, start, end) ?? T.DollarName, end);
}

/** `@name`, `@name=`. */
function readAtName(scan: Scan): boolean {
  const { text } = scan;
  const start = scan.at + 1;
  if (!isNameStart(codeAt(text, start))) return false;
  const end = identifierEnd(text, start);
  if (codeAt(text, end) === EQUALS) return add(scan, T.AliasEq, end + 1);
  const term = qualifiedEnd(text, end);
  const isQualified = codeAt(text, term) === HASH && isNameStart(codeAt(text, term + 1));
  return add(scan, T.AtName, isQualified ? identifierEnd(text, term + 1) : term);
}

/** Anything that begins with a digit. */
function readNumber(scan: Scan): boolean {
  const { text, at } = scan;
  let end = at + 1;
  while (isDigit(codeAt(text, end))) end++;
  const next = codeAt(text, end);
  if (next !== MINUS && next !== DOT && next !== COLON && !isLetter(next)) {
    return add(scan, T.NumberLiteral, end);
  }
  return mayBeGuid(text, at) && addMatch(scan, T.Guid, GUID) || readNumeric(scan);
}

function mayBeGuid(text: string, at: number): boolean {
  return codeAt(text, at + 8) === MINUS || isHexDigit(codeAt(text, at + 31));
}

function readNumeric(scan: Scan): boolean {
  for (const [type, form] of NUMERIC) if (addMatch(scan, type, form)) return true;
  return false;
}

/** Text between single quotes, the first of which stands at a place. */
function readString(scan: Scan, type: TokenType, quote: number): boolean {
  const end = stringEnd(scan.text, quote);
  return end > 0 && add(scan, type, end);
}

function readSearchToken(scan: Scan): boolean {
  const code = scan.text.charCodeAt(scan.at);
  switch (code) {
    case SPACE:
    case TAB:
      scan.at = blankEnd(scan.text, scan.at);
      return true;
    case OPEN:
      scan.search++;
      return add(scan, T.Open, scan.at + 1);
    case CLOSE:
    case SEMI:
      if (code === SEMI && isEncoded(scan, scan.at)) return readSearchWord(scan);
      // search text on its own is its first level
      if (scan.search === 1 && scan.isSearch) return false;
      scan.search--;
      return add(scan, code === CLOSE ? T.Close : T.Semi, scan.at + 1);
    case QUOTE:
      return readString(scan, T.SearchIncomplete, scan.at);
    case DOUBLE_QUOTE:
      return addMatch(scan, T.SearchPhrase, SEARCH_PHRASE);
    default:
      return readSearchWord(scan);
  }
}

/** A word; a semicolon that is percent-encoded belongs to it, any other ends it. */
function readSearchWord(scan: Scan): boolean {
  const { text, at } = scan;
  let end = at;
  for (;;) {
    SEARCH_WORD.lastIndex = end;
    if (SEARCH_WORD.test(text)) end = SEARCH_WORD.lastIndex;
    if (codeAt(text, end) !== SEMI || !isEncoded(scan, end)) break;
    end++;
  }
  return end > at && add(scan, T.SearchWord, end);
}

/** Whether a character is percent-encoded in the raw URL. */
function isEncoded({ piece }: Scan, at: number): boolean {
  return piece.raw[rawOffset(piece, at) - piece.base] === "%";
}

/** Character code at a place; 0 behind the end. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

function blankEnd(text: string, from: number): number {
  let end = from;
  while (isBlank(codeAt(text, end))) end++;
  return end;
}

function lettersEnd(text: string, from: number): number {
  let end = from;
  while (isLetter(codeAt(text, end))) end++;
  return end;
}

function identifierEnd(text: string, from: number): number {
  let end = from;
  for (let code = codeAt(text, end); isNameStart(code) || isDigit(code);) code = codeAt(text, ++end);
  return end;
}

/** End of the names behind dots. */
function qualifiedEnd(text: string, from: number): number {
  let end = from;
  while (codeAt(text, end) === DOT && isNameStart(codeAt(text, end + 1))) end = identifierEnd(text, end + 1);
  return end;
}

/** End of a string whose quotes are doubled inside; 0 without a closing quote. */
function stringEnd(text: string, quote: number): number {
  let doubled = 0;
  for (let at = text.indexOf("'", quote + 1); at >= 0; at = text.indexOf("'", at + 2)) {
    if (codeAt(text, at + 1) !== QUOTE) return at + 1;
    doubled = at + 1;
  }
  // then a quote that seemed to be doubled is the closing one, and the next one is not closed
  return doubled;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a character code is that of a letter of ASCII. */
export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

/** Letters, `_` and what is not ASCII. */
function isNameStart(code: number): boolean {
  return isLetter(code) || code === 0x5f || code >= 0x80;
}

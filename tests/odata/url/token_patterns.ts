/**
 * The tokens of OData URLs as patterns for the lexer of chevrotain: what the lexer by character codes is compared
 * with. Names are found by few patterns and told apart by `words.ts`, as in the lexer.
 *
 * @module
 */

import {
  createToken,
  type CustomPatternMatcherFunc,
  type IToken,
  type ITokenConfig,
  Lexer,
  type TokenType,
} from "chevrotain";
import type { LexerMode } from "../../../src/odata/url/lexer.ts";
import { CALLS, DOLLARS, NAMES, OPTIONS } from "../../../src/odata/url/words.ts";

const IDENT = "[A-Za-z_\\u0080-\\uffff][A-Za-z0-9_\\u0080-\\uffff]*";
const QUALIFIED = `${IDENT}(?:\\.${IDENT})*`;
const DATE = "-?(?:0\\d{3}|[1-9]\\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|60)(?:\\.\\d{1,12})?)?";

/** Words that are names where an operand is due. */
function behindOperand(form: RegExp): CustomPatternMatcherFunc {
  return (text, offset, matched) => {
    const before = matched.at(-1);
    if (before && (/^(?:[(,:[-]|not)$/i.test(before.image) || before.tokenType.name === "BinaryOp")) {
      return null;
    }
    form.lastIndex = offset;
    const found = form.exec(text);
    return found && [found[0]];
  };
}

/** `search(` where a transformation may stand. */
function searchCall(isApply: boolean): CustomPatternMatcherFunc {
  const form = /search[ \t]*\(/y;
  return (text, offset, matched) => {
    form.lastIndex = offset;
    const found = form.exec(text);
    return found && isTransformation(matched, isApply) ? [found[0]] : null;
  };
}

/** What transformations are arguments of. */
const TAKES_TRAFOS =
  /^(?:concat|groupby|nest|addnested|join|outerjoin|ancestors|descendants|traverse|rolluprecursive)$/;

function isTransformation(before: readonly IToken[], isApply: boolean): boolean {
  const texts = before.map(({ image, tokenType }) =>
    tokenType.name === "SearchCall"
      ? "("
      : /^[(),;/]$/.test(image)
      ? image
      : /^\$?apply=$/i.test(image)
      ? "="
      : image
  );
  if (texts.length > 0 && !/^[=/,(]$/.test(texts.at(-1)!)) return false;
  let begins = isApply;
  const outside: boolean[] = [];
  for (const [at, text] of texts.entries()) {
    if (text === "(") {
      outside.push(begins);
      begins = TAKES_TRAFOS.test(texts[at - 1] ?? "");
    } else if (text === ")") {
      begins = outside.pop() ?? isApply;
    } else if (text === "=") begins = true;
    else if (text === ";") begins = false;
  }
  return begins;
}

/** Patterns in the order in which they are tried. */
const PATTERNS: readonly (readonly [
  name: string,
  pattern: RegExp | string | CustomPatternMatcherFunc,
  ITokenConfig?,
])[] = [
  [
    "BinaryOp",
    behindOperand(/[ \t]+(?:and|or|eq|ne|lt|le|gt|ge|has|in|add|sub|mul|divby|div|mod)(?=[ \t([])/iy),
  ],
  ["SortDirection", behindOperand(/[ \t]+(?:asc|desc)(?=[ \t]*(?:[,);]|$))/iy)],
  ["As", behindOperand(/[ \t]+as(?=[ \t])/iy)],
  ["With", behindOperand(/[ \t]+with(?=[ \t])/y)],
  ["From", behindOperand(/[ \t]+from(?=[ \t])/y)],
  ["Blank", /[ \t]+/, { name: "Blank", group: Lexer.SKIPPED }],
  ["Guid", /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![A-Za-z0-9_])/],
  ["DateTimeOffset", new RegExp(`${DATE}T${TIME}(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)`, "i")],
  ["DateLiteral", new RegExp(`${DATE}(?![T\\d])`)],
  ["TimeOfDay", new RegExp(TIME)],
  ["NumberLiteral", /[+-]?\d+(?:L(?!\w)|(?:\.\d+)?(?:e[+-]?\d+)?(?:[DFM](?!\w))?)/i],
  ["NegativeInfinity", /-INF(?![A-Za-z0-9_])/],
  ["StringLiteral", /'(?:[^']|'')*'/],
  ["JsonString", /"(?:[^"\\]|\\.)*"/],
  ["SearchEq", /\$?search=(?!')/i, { name: "SearchEq", push_mode: "search" }],
  ["SearchCall", searchCall(false), { name: "SearchCall", push_mode: "search" }],
  ["KeepStart", /keep[ \t]+start/],
  ["QNameStar", new RegExp(`${QUALIFIED}\\.\\*`)],
  ["PrefixedLiteral", new RegExp(`${QUALIFIED}'(?:[^']|'')*'`)],
  ["NameEq", new RegExp(`\\$?${IDENT}=`)],
  ["CallName", new RegExp(`${QUALIFIED}(?=[ \\t]*\\()`)],
  ["QName", new RegExp(QUALIFIED)],
  ["AliasEq", new RegExp(`@${IDENT}=`)],
  ["AtName", new RegExp(`@${QUALIFIED}(?:#${IDENT})?`)],
  ["DollarName", /\$[A-Za-z]+/],
  ["Open", "("],
  ["Close", ")"],
  ["Semi", ";"],
  ["Comma", ","],
  ["Colon", ":"],
  ["Slash", "/"],
  ["Star", "*"],
  ["Minus", "-"],
  ["BeginArray", "["],
  ["EndArray", "]"],
  ["BeginObject", "{"],
  ["EndObject", "}"],
];
const APPLY_PATTERNS: typeof PATTERNS = PATTERNS.map((pattern) =>
  pattern[0] === "SearchCall" ? [pattern[0], searchCall(true), pattern[2]] : pattern
);
const SEARCH_PATTERNS: typeof PATTERNS = [
  ["Blank", /[ \t]+/, { name: "Blank", group: Lexer.SKIPPED }],
  ["SearchPhrase", /"[^"]+"/],
  ["SearchIncomplete", /'(?:[^']|'')*'/],
  ["SearchOpen", "(", { name: "SearchOpen", push_mode: "search" }],
  ["SearchClose", ")", { name: "SearchClose", pop_mode: true }],
  ["SearchSemi", ";", { name: "SearchSemi", pop_mode: true }],
  ["SearchWord", /[^ \t"();'][^ \t"();]*/],
];

const tokensOf = (patterns: typeof PATTERNS): TokenType[] =>
  patterns.map(([name, pattern, config]) => createToken({ ...config, name, pattern }));
const expression = tokensOf(PATTERNS);
const lexer = new Lexer({
  modes: {
    expression,
    apply: tokensOf(APPLY_PATTERNS),
    path: expression.filter(({ name }) => name !== "SearchEq" && name !== "SearchCall"),
    search: tokensOf(SEARCH_PATTERNS),
  },
  defaultMode: "expression",
}, { positionTracking: "onlyOffset", skipValidations: true });

/** Name, text and place of a token. */
export type TokenParts = readonly [name: string, image: string, offset: number];

/**
 * Cuts a text into tokens by patterns.
 *
 * @param text the text
 * @param mode what it is read as
 * @returns the tokens, or where none begins
 */
export function tokensByPatterns(text: string, mode: LexerMode): readonly TokenParts[] | number {
  const { tokens, errors } = lexer.tokenize(text, mode);
  if (errors.length > 0) return errors[0]!.offset;
  return tokens.map(({ image, startOffset, tokenType: { name } }, at): TokenParts => {
    const word = nameOf(name, image);
    const isName = (word === "WordLiteral" || word === "Not") && tokens[at - 1]?.image === "/";
    return [isName ? name : word, image, startOffset];
  });
}

function nameOf(name: string, image: string): string {
  const dollar = image.startsWith("$") ? 1 : 0;
  switch (name) {
    case "QName":
      return NAMES.find(image, 0, image.length)?.name ?? name;
    case "CallName":
      return CALLS.find(image, 0, image.length)?.name ?? name;
    case "DollarName":
      return DOLLARS.find(image, dollar, image.length)?.name ?? name;
    case "BinaryOp":
      return image.trim().toLowerCase();
    case "SearchOpen":
    case "SearchClose":
    case "SearchSemi":
      return name.slice("Search".length);
    case "NameEq":
      return OPTIONS.find(image, dollar, image.length - 1)?.name ?? name;
    default:
      return name;
  }
}

import { type IToken, Lexer, type TokenType } from "chevrotain";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { CQL_KEYWORDS, Identifier, LEXED_TOKENS, Slash } from "./tokens.ts";

/** The keywords of a language by their lower-case word. */
export type KeywordTable = ReadonlyMap<string, TokenType>;

/** What comes out of the lexer. */
export interface LexedText {
  readonly tokens: IToken[];
  readonly docComments: readonly IToken[];
}

/**
 * Makes the table by which words become keywords.
 *
 * @param keywords token types made by `keyword`
 * @returns word in lower case → token type
 */
export function keywordTable(keywords: readonly TokenType[]): KeywordTable {
  return new Map(keywords.map((type) => [type.name.replace("Keyword", "").toLowerCase(), type]));
}

let lexer: Lexer | undefined;
let cqlKeywords: KeywordTable | undefined;

/**
 * The keywords of CQL.
 *
 * @returns the table, made on first use
 */
export function cqlKeywordTable(): KeywordTable {
  return cqlKeywords ??= keywordTable(CQL_KEYWORDS);
}

/**
 * Splits a text into tokens.
 *
 * @param source the text
 * @param keywords the words that become keywords
 * @returns the tokens and, apart, the doc comments
 * @throws {ConfigurationError} at a character that begins no token, or a string or comment without end
 */
export function lexText(source: SourceText, keywords: KeywordTable): LexedText {
  lexer ??= new Lexer(LEXED_TOKENS, {
    positionTracking: "onlyOffset",
    skipValidations: true,
    recoveryEnabled: false,
  });
  const { tokens, errors, groups } = lexer.tokenize(source.text);
  if (errors.length > 0) {
    const { offset } = errors[0];
    throw new ConfigurationError(lexicalProblem(source.text, offset), {
      file: source.file,
      ...lineAndColumn(source, offset),
    });
  }
  for (const token of tokens) {
    if (token.tokenType === Slash && source.text[token.startOffset + 1] === "*") {
      throw new ConfigurationError("Unterminated comment: expected a closing */", {
        file: source.file,
        ...lineAndColumn(source, token.startOffset),
      });
    }
    if (token.tokenType !== Identifier) continue;
    const type = keywords.get(token.image.toLowerCase());
    if (type) {
      token.tokenType = type;
      token.tokenTypeIdx = type.tokenTypeIdx as number;
    }
  }
  return { tokens, docComments: groups.doc ?? [] };
}

function lexicalProblem(text: string, offset: number): string {
  switch (text[offset]) {
    case "'":
      return "Unterminated string: expected a closing ' on the same line; a ' inside of a text is written ''";
    case "`":
      return "Unterminated string: expected a closing `";
    case '"':
      return 'Unterminated delimited name: expected a closing " on the same line';
    case "!":
      return "Unterminated delimited name: expected ![name]";
    default:
      return `Found ${
        JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0))
      }, which begins nothing known${text.startsWith("&&", offset) ? ' (did you mean "and"?)' : ""}`;
  }
}

/** A text with its name and the offsets at which its lines start. */
export interface SourceText {
  readonly text: string;
  readonly file: string | undefined;
  readonly lineStarts: readonly number[];
}

/** A line and column, both counted from 1. */
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/**
 * Prepares a text for `lineAndColumn`.
 *
 * @param text the text
 * @param file its file name, if it has one
 * @returns the text with its line starts
 */
export function sourceText(text: string, file?: string): SourceText {
  const lineStarts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) lineStarts.push(i + 1);
  return { text, file, lineStarts };
}

/**
 * Line and column of an offset.
 *
 * @param source the text
 * @param offset an offset in it
 * @returns both counted from 1
 */
export function lineAndColumn(source: SourceText, offset: number): LineAndColumn {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (source.lineStarts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - source.lineStarts[low] + 1 };
}

/**
 * What the grammars of URLs share: places in the raw URL, limits, errors.
 *
 * A production of the ABNF is a rule of Chevrotain, with the production above it. A rule has one token to look ahead;
 * where two are needed, a gate looks at the second.
 *
 * @module
 */

import {
  type IParserErrorMessageProvider,
  type IToken,
  type ParserMethod,
  tokenMatcher,
  type TokenType,
} from "chevrotain";
import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { BoundedGrammar } from "../../cqn/grammar/messages.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError, type SyntaxProblem } from "./syntax_error.ts";
import * as T from "./tokens.ts";
import { SYSTEM_OPTIONS } from "./words.ts";

/** A rule without arguments. */
export type Rule<R> = ParserMethod<[], R>;

const NO_PIECE: Piece = { text: "", raw: "", base: 0 };

/** What `expand` and the like take in their parentheses. */
export const QUERY_OPTION = "a query option";
const REDUNDANT = "an operator or the end";
const DIRECTIONS = /^(?:asc|desc)$/i;
const WORDS = /^(?:asc|desc|eq|ne|gt|ge|lt|le|and|or|in|has|add|sub|mul|div|divby|mod)$/i;

/** The messages of Chevrotain's errors are what was expected; `syntaxError` says the rest. */
const EXPECTATIONS: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => expected.LABEL ?? expected.name,
  buildNoViableAltMessage: ({ customUserDescription }) => customUserDescription ?? "",
  buildNotAllInputParsedMessage: () => REDUNDANT,
  buildEarlyExitMessage: ({ customUserDescription }) => customUserDescription ?? "",
};

/** The base of the grammars of URLs. */
export abstract class BaseGrammar extends BoundedGrammar {
  #piece: Piece = NO_PIECE;
  #limits: Limits = DEFAULT_LIMITS;
  #nodes = 0;

  /** @param skipValidations false to have the grammar checked, which a test does */
  constructor(skipValidations = true) {
    const tokens = Object.values<TokenType | readonly TokenType[]>(T).flat();
    super({ tokens, messages: EXPECTATIONS, skipValidations });
  }

  /**
   * Starts with a new piece.
   *
   * @param piece the text
   * @param tokens its tokens
   * @param limits bounds of depth and size
   */
  begin(piece: Piece, tokens: IToken[], limits: Limits): void {
    this.#piece = piece;
    this.#limits = limits;
    this.#nodes = 0;
    this.input = tokens;
  }

  /**
   * Ends the piece.
   *
   * @throws {ServiceError} 400 with the first place that the grammar does not allow
   */
  end(): void {
    const [error] = this.errors;
    if (error === undefined) return;
    const { token, message } = error;
    if (message === QUERY_OPTION) {
      const found = token.image;
      const nearest = nearestName(
        found.replace(/=$/, ""),
        [...SYSTEM_OPTIONS.values()].map((known) => `$${known}`),
      );
      this.fail({ offset: this.at(token), found, expected: message, nearest });
    }
    // a word is an operator, or a direction, where what stands behind it fits: else that is the mistake
    const isWord = message === REDUNDANT && WORDS.test(token.image);
    if (!isWord) this.failAt(token, message);
    const expected = DIRECTIONS.test(token.image) ? '"," or the end' : "an operand";
    const behind = this.input[this.input.indexOf(token) + 1];
    if (behind !== undefined) this.failAt(behind, expected);
    this.fail({ offset: this.offsetAt(this.#piece.text.length), found: "", expected });
  }

  protected override get nestingLimit(): number {
    return this.#limits.filterDepth;
  }

  protected override refuseNesting(): never {
    return this.#tooMuch("nested too deeply", this.#limits.filterDepth);
  }

  /** Counts an operand. */
  protected count(): void {
    if (++this.#nodes > this.#limits.filterNodes) this.#tooMuch("too long", this.#limits.filterNodes);
  }

  #tooMuch(what: string, limit: number): never {
    throw new ServiceError({
      status: 400,
      code: "400",
      message: `The expression is ${what} at offset ${this.at(this.LA(1))}, the limit is ${limit}`,
    });
  }

  /** Offset of a token in the raw URL. */
  protected at({ startOffset }: IToken): number {
    // the token of the end has none
    return this.offsetAt(startOffset >= 0 ? startOffset : this.#piece.text.length);
  }

  /** Offset in the raw URL of a place in the text. */
  protected offsetAt(place: number): number {
    return rawOffset(this.#piece, place);
  }

  /** Whether the token behind the next one is of a type or category. */
  protected isSecond(type: TokenType): boolean {
    return tokenMatcher(this.LA(2), type);
  }

  /** Throws for what a token is not. */
  protected failAt(token: IToken, expected: string): never {
    const found = token.image.trim() || token.image;
    return this.fail({ offset: this.at(token), found, expected });
  }

  /** Throws for what the grammar allows only elsewhere. */
  protected fail(problem: SyntaxProblem): never {
    throw syntaxError(problem);
  }
}

/**
 * What the grammar's parts share: tokens, places, limits, errors, and the grammar of search text.
 *
 * The parser descends recursively: each production of the grammar is a method, with the production above it.
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { SearchExpr } from "./ast.ts";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError, type SyntaxProblem } from "./syntax_error.ts";
import type { Token, TokenType } from "./tokens.ts";
import * as T from "./tokens.ts";

const END: Token = { type: T.End, image: "", start: 0 };
const NO_PIECE: Piece = { text: "", raw: "", base: 0 };

/** The base of the grammar's parts. */
export abstract class ParserBase {
  /** The token that is read next. */
  protected next: Token = END;
  #piece: Piece = NO_PIECE;
  #tokens: readonly Token[] = [END];
  #limits: Limits = DEFAULT_LIMITS;
  /** Tokens read. */
  #read = 0;
  #depth = 0;
  #nodes = 0;

  /**
   * Starts with a new piece.
   *
   * @param piece the text
   * @param tokens its tokens, the last of which is the end
   * @param limits bounds of depth and size
   */
  begin(piece: Piece, tokens: readonly Token[], limits: Limits): void {
    this.#piece = piece;
    this.#tokens = tokens;
    this.#limits = limits;
    this.#read = 0;
    this.#depth = 0;
    this.#nodes = 0;
    this.next = tokens[0];
  }

  /**
   * Ends the text.
   *
   * @throws {ServiceError} 400 if there are more tokens
   */
  end(): void {
    if (this.next.type !== T.End) this.unexpected("an operator or the end");
  }

  /** Offset of a token in the raw URL. */
  protected at({ start }: Token): number {
    return rawOffset(this.#piece, start);
  }

  /** Offset in the raw URL of a place in the text. */
  protected offsetAt(place: number): number {
    return rawOffset(this.#piece, place);
  }

  /** Reads a token, whatever it is. */
  protected readToken(): Token {
    const token = this.next;
    this.next = this.#tokens[++this.#read];
    return token;
  }

  /** Whether the next token is of a type or category. */
  protected isNext(type: TokenType): boolean {
    return isOf(this.next, type);
  }

  /** Whether the token behind the next is of a type or category. */
  protected isSecond(type: TokenType): boolean {
    const second = this.#tokens[this.#read + 1];
    return second !== undefined && isOf(second, type);
  }

  /** Reads a token that may be left out. */
  protected accept(type: TokenType): Token | undefined {
    return isOf(this.next, type) ? this.readToken() : undefined;
  }

  /** Reads a token. */
  protected take(type: TokenType): Token {
    return isOf(this.next, type) ? this.readToken() : this.unexpected(type.label);
  }

  /** Throws for what the next token is not. */
  protected unexpected(expected: string): never {
    const { image } = this.next;
    throw syntaxError({ offset: this.at(this.next), found: image.trim() || image, expected });
  }

  /** Throws for what the grammar allows only elsewhere. */
  protected fail(problem: SyntaxProblem): never {
    throw syntaxError(problem);
  }

  /** Counts a level of nesting before recursion can grow. */
  protected enter(): void {
    if (++this.#depth > this.#limits.filterDepth) {
      this.#tooMuch("nested too deeply", this.#limits.filterDepth);
    }
  }

  /** Ends a level of nesting. */
  protected leave(): void {
    this.#depth--;
  }

  /** Counts an operand. */
  protected count(): void {
    if (++this.#nodes > this.#limits.filterNodes) this.#tooMuch("too long", this.#limits.filterNodes);
  }

  #tooMuch(what: string, limit: number): never {
    throw new ServiceError({
      status: 400,
      code: "400",
      message: `The expression is ${what} at offset ${this.at(this.next)}, the limit is ${limit}`,
    });
  }

  // search = ( "$search" / "search" ) EQ BWS ( searchExpr / searchExpr-incomplete )
  /** The text of `$search`. */
  searchText(): SearchExpr {
    const incomplete = this.accept(T.SearchIncomplete);
    if (incomplete === undefined) return this.#searchExpr();
    const text = incomplete.image.slice(1, -1).replaceAll("''", "'");
    return { kind: "searchPhrase", offset: this.at(incomplete), text };
  }

  // searchExpr = ( searchParenExpr / searchNegateExpr / searchPhrase / searchWord ) [ searchOrExpr / searchAndExpr ]
  // searchOrExpr = RWS "OR" RWS searchExpr; AND binds more tightly (Part 2, section 5.1.8)
  #searchExpr(): SearchExpr {
    this.enter();
    let left = this.#searchAndExpr();
    while (this.#isSearchOperator("OR")) {
      const offset = this.at(this.readToken());
      left = { kind: "searchOrExpr", offset, left, right: this.#searchAndExpr() };
    }
    this.leave();
    return left;
  }

  // searchAndExpr = RWS [ "AND" RWS ] searchExpr
  #searchAndExpr(): SearchExpr {
    let left = this.#searchUnary();
    while (SEARCH_STARTS.some((type) => this.isNext(type)) && !this.#isSearchOperator("OR")) {
      const offset = this.at(this.next);
      if (this.#isSearchOperator("AND")) this.readToken();
      left = { kind: "searchAndExpr", offset, left, right: this.#searchUnary() };
    }
    return left;
  }

  // searchParenExpr = OPEN BWS searchExpr BWS CLOSE; searchNegateExpr = "NOT" RWS searchExpr
  #searchUnary(): SearchExpr {
    this.count();
    if (this.accept(T.Open)) {
      const inner = this.#searchExpr();
      this.take(T.Close);
      return inner;
    }
    const offset = this.at(this.next);
    if (this.#isSearchOperator("NOT")) {
      this.readToken();
      this.enter();
      const expr = this.#searchUnary();
      this.leave();
      return { kind: "searchNegateExpr", offset, expr };
    }
    const phrase = this.accept(T.SearchPhrase);
    if (phrase !== undefined) return { kind: "searchPhrase", offset, text: phrase.image.slice(1, -1) };
    return { kind: "searchWord", offset, text: this.take(T.SearchWord).image };
  }

  /** Whether the next word is this operator: a word that something to search for follows. */
  #isSearchOperator(image: string): boolean {
    return this.next.image === image && this.next.type === T.SearchWord &&
      SEARCH_STARTS.some((type) => this.isSecond(type));
  }
}

/** What something to search for begins with. */
const SEARCH_STARTS: readonly TokenType[] = [T.SearchWord, T.SearchPhrase, T.Open];

function isOf({ type }: Token, wanted: TokenType): boolean {
  return type === wanted || (type.categories & wanted.bit) !== 0;
}

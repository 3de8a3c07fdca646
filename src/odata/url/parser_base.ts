/**
 * What the grammar's parts share: places, limits, errors, and the grammar of search text.
 *
 * @module
 */

import { EmbeddedActionsParser, type IToken, tokenMatcher, type TokenType } from "chevrotain";
import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { SearchExpr } from "./ast.ts";
import { EXPECTED_MESSAGES } from "./expected.ts";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError, type SyntaxProblem } from "./syntax_error.ts";
import * as T from "./tokens.ts";

/** A rule of the grammar: called to parse, without arguments. */
export type Rule<R> = (...args: never[]) => R;

const NO_PIECE: Piece = { text: "", raw: "", base: 0 };

/** The base of the grammar's parts. */
export class ParserBase extends EmbeddedActionsParser {
  #piece: Piece = NO_PIECE;
  #limits: Limits = DEFAULT_LIMITS;
  #depth = 0;
  #nodes = 0;

  /** @param validate checks the grammar itself; done by a test, because it costs start-up time */
  constructor(validate = false) {
    super(Object.values(T), {
      maxLookahead: 2,
      skipValidations: !validate,
      recoveryEnabled: false,
      errorMessageProvider: EXPECTED_MESSAGES,
    });
  }

  /**
   * Starts with the tokens of a new piece.
   *
   * @param tokens the tokens
   * @param piece the text they were cut from
   * @param limits the bounds in effect
   */
  begin(tokens: IToken[], piece: Piece, limits: Limits): void {
    this.input = tokens;
    this.#piece = piece;
    this.#limits = limits;
    this.#depth = 0;
    this.#nodes = 0;
  }

  /** Offset of a token in the raw URL. */
  protected at(token: IToken): number {
    return this.RECORDING_PHASE ? 0 : this.offsetAt(token.startOffset);
  }

  /** Offset in the raw URL of a place in the text. */
  protected offsetAt(place: number): number {
    return rawOffset(this.#piece, place);
  }

  /** Counts a level of nesting before recursion can grow. */
  protected enter(): void {
    if (this.RECORDING_PHASE) return;
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
    if (this.RECORDING_PHASE) return;
    if (++this.#nodes > this.#limits.filterNodes) this.#tooMuch("too long", this.#limits.filterNodes);
  }

  #tooMuch(what: string, limit: number): never {
    const offset = rawOffset(this.#piece, this.LA(1).startOffset || 0);
    throw new ServiceError({
      status: 400,
      code: "400",
      message: `The expression is ${what} at offset ${offset}, the limit is ${limit}`,
    });
  }

  /** Throws for what the grammar allows only elsewhere. */
  protected fail(problem: SyntaxProblem): never {
    throw syntaxError(problem);
  }

  /** Whether the n-th token from here is of a type or category. */
  protected isNext(ahead: number, type: TokenType): boolean {
    return tokenMatcher(this.LA(ahead), type);
  }

  /** Whether the n-th token from here can begin a search expression. */
  #startsSearch(ahead: number): boolean {
    const type = this.LA(ahead).tokenType;
    return type === T.SearchWord || type === T.SearchPhrase || type === T.SearchOpen;
  }

  #isOperator(image: string): boolean {
    return this.LA(1).image === image && this.LA(1).tokenType === T.SearchWord && this.#startsSearch(2);
  }

  // search = ( "$search" / "search" ) EQ BWS ( searchExpr / searchExpr-incomplete )
  /** The text of `$search`. */
  readonly searchText: Rule<SearchExpr> = this.RULE("searchText", (): SearchExpr =>
    this.OR([
      { ALT: () => this.SUBRULE(this.searchExpr) },
      {
        ALT: (): SearchExpr => {
          const token = this.CONSUME(T.SearchIncomplete);
          const text = token.image.slice(1, -1).replaceAll("''", "'");
          return { kind: "searchPhrase", offset: this.at(token), text };
        },
      },
    ]));

  // searchExpr = ( searchParenExpr / searchNegateExpr / searchPhrase / searchWord ) [ searchOrExpr / searchAndExpr ]
  // searchOrExpr = RWS "OR" RWS searchExpr; AND binds more tightly (Part 2, section 5.1.8)
  /** `a OR b`. */
  readonly searchExpr: Rule<SearchExpr> = this.RULE("searchExpr", (): SearchExpr => {
    this.enter();
    let left = this.SUBRULE(this.searchAndExpr);
    this.MANY({
      GATE: () => this.#isOperator("OR"),
      DEF: () => {
        const token = this.CONSUME(T.SearchWord);
        const right = this.SUBRULE2(this.searchAndExpr);
        left = { kind: "searchOrExpr", offset: this.at(token), left, right };
      },
    });
    this.leave();
    return left;
  });

  // searchAndExpr = RWS [ "AND" RWS ] searchExpr
  /** `a AND b`, `a b`. */
  readonly searchAndExpr: Rule<SearchExpr> = this.RULE("searchAndExpr", (): SearchExpr => {
    let left = this.SUBRULE(this.searchUnary);
    this.MANY({
      GATE: () => !this.#isOperator("OR"),
      DEF: () => {
        const offset = this.at(this.LA(1));
        this.OPTION({ GATE: () => this.#isOperator("AND"), DEF: () => this.CONSUME(T.SearchWord) });
        const right = this.SUBRULE2(this.searchUnary);
        left = { kind: "searchAndExpr", offset, left, right };
      },
    });
    return left;
  });

  // searchParenExpr = OPEN BWS searchExpr BWS CLOSE; searchNegateExpr = "NOT" RWS searchExpr
  /** `(a)`, `NOT a`, `"a b"`, `a`. */
  readonly searchUnary: Rule<SearchExpr> = this.RULE("searchUnary", (): SearchExpr => {
    this.count();
    return this.OR([
      {
        ALT: () => {
          this.CONSUME(T.SearchOpen);
          const inner = this.SUBRULE(this.searchExpr);
          this.CONSUME(T.SearchClose);
          return inner;
        },
      },
      {
        GATE: () => this.#isOperator("NOT"),
        ALT: (): SearchExpr => {
          const token = this.CONSUME(T.SearchWord);
          this.enter();
          const expr = this.SUBRULE(this.searchUnary);
          this.leave();
          return { kind: "searchNegateExpr", offset: this.at(token), expr };
        },
      },
      {
        ALT: (): SearchExpr => {
          const token = this.CONSUME(T.SearchPhrase);
          return { kind: "searchPhrase", offset: this.at(token), text: token.image.slice(1, -1) };
        },
      },
      {
        ALT: (): SearchExpr => {
          const token = this.CONSUME2(T.SearchWord);
          return { kind: "searchWord", offset: this.at(token), text: token.image };
        },
      },
    ]);
  });
}

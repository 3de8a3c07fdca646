/**
 * The grammar of search text (ABNF, section 2).
 *
 * @module
 */

import { type IToken, tokenMatcher, type TokenType } from "chevrotain";
import type { SearchExpr } from "./ast.ts";
import { BaseGrammar, type Rule } from "./base_grammar.ts";
import * as T from "./tokens.ts";

const TERM = "a search term";
/** What something to search for begins with. */
const STARTS: readonly TokenType[] = [T.SearchWord, T.SearchPhrase, T.Open];

/** Productions of `$search`. */
export abstract class SearchGrammar extends BaseGrammar {
  // search = ( "$search" / "search" ) EQ BWS ( searchExpr / searchExpr-incomplete )
  /** The text of `$search`. */
  readonly searchText: Rule<SearchExpr> = this.RULE("searchText", (): SearchExpr =>
    this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.searchExprIncomplete) },
        { ALT: () => this.SUBRULE(this.searchExpr) },
      ],
      ERR_MSG: TERM,
    }));

  // searchExpr-incomplete = SQUOTE *( SQUOTE-in-string / … ) SQUOTE
  readonly searchExprIncomplete: Rule<SearchExpr> = this.RULE("searchExprIncomplete", (): SearchExpr => {
    const token = this.CONSUME(T.SearchIncomplete);
    const text = token.image.slice(1, -1).replaceAll("''", "'");
    return { kind: "searchPhrase", offset: this.at(token), text };
  });

  // searchExpr = ( searchParenExpr / searchNegateExpr / searchPhrase / searchWord ) [ searchOrExpr / searchAndExpr ]
  // searchOrExpr = RWS "OR" RWS searchExpr; AND binds more tightly (Part 2, section 5.1.8)
  readonly searchExpr: Rule<SearchExpr> = this.RULE("searchExpr", (): SearchExpr => {
    this.enter();
    let left = this.SUBRULE(this.searchAndExpr);
    this.MANY({
      GATE: () => this.#isOperator("OR"),
      DEF: () => {
        this.#blank();
        const offset = this.at(this.CONSUME(T.SearchWord));
        this.#blank();
        left = { kind: "searchOrExpr", offset, left, right: this.SUBRULE1(this.searchAndExpr) };
      },
    });
    this.leave();
    return left;
  });

  // searchAndExpr = RWS [ "AND" RWS ] searchExpr
  readonly searchAndExpr: Rule<SearchExpr> = this.RULE("searchAndExpr", (): SearchExpr => {
    let left = this.SUBRULE(this.searchUnary);
    this.MANY({
      GATE: () => !this.#isOperator("OR"),
      DEF: () => {
        const offset = this.at(this.LA(1));
        this.#blank();
        this.OPTION({ GATE: () => this.#isOperator("AND"), DEF: () => this.CONSUME(T.SearchWord) });
        this.#blank();
        left = { kind: "searchAndExpr", offset, left, right: this.SUBRULE1(this.searchUnary) };
      },
    });
    return left;
  });

  // searchParenExpr = OPEN BWS searchExpr BWS CLOSE; searchNegateExpr = "NOT" RWS searchExpr
  readonly searchUnary: Rule<SearchExpr> = this.RULE("searchUnary", (): SearchExpr => {
    this.count();
    return this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.searchParenExpr) },
        { GATE: () => this.#isOperator("NOT"), ALT: () => this.SUBRULE(this.searchNegateExpr) },
        { ALT: () => this.#term("searchPhrase", this.CONSUME(T.SearchPhrase)) },
        { ALT: () => this.#term("searchWord", this.CONSUME(T.SearchWord)) },
      ],
      ERR_MSG: TERM,
      IGNORE_AMBIGUITIES: true,
    });
  });

  readonly searchParenExpr: Rule<SearchExpr> = this.RULE("searchParenExpr", (): SearchExpr => {
    this.CONSUME(T.Open);
    const inner = this.SUBRULE(this.searchExpr);
    this.CONSUME(T.Close);
    return inner;
  });

  readonly searchNegateExpr: Rule<SearchExpr> = this.RULE("searchNegateExpr", (): SearchExpr => {
    const offset = this.at(this.CONSUME(T.SearchWord));
    this.#blank();
    this.enter();
    const expr = this.SUBRULE(this.searchUnary);
    this.leave();
    return { kind: "searchNegateExpr", offset, expr };
  });

  #term(kind: "searchPhrase" | "searchWord", token: IToken): SearchExpr {
    const { image } = token;
    return { kind, offset: this.at(token), text: kind === "searchWord" ? image : image.slice(1, -1) };
  }

  // RWS
  /** White space between the token that was read last and the next one, which the scanner leaves out. */
  #blank(): void {
    this.ACTION(() => {
      const { startOffset, image } = this.LA(0);
      const next = this.LA(1);
      if (next.startOffset === startOffset + image.length) this.failAt(next, "white space");
    });
  }

  /** Whether the next word is this operator: a word that something to search for follows. */
  #isOperator(image: string): boolean {
    const { image: word, tokenType } = this.LA(1);
    if (word !== image || tokenType !== T.SearchWord) return false;
    const second = this.LA(2);
    return STARTS.some((type) => tokenMatcher(second, type));
  }
}

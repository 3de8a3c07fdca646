/**
 * What all grammars of Chevrotain here share: actions embedded in the rules, no recovery, and a bound on nesting.
 *
 * @module
 */

import { EmbeddedActionsParser, type IParserErrorMessageProvider, type TokenType } from "chevrotain";

/** Settings of a parser of this family. */
export interface GrammarOptions {
  readonly tokens: readonly TokenType[];
  readonly messages: IParserErrorMessageProvider;
  /** Leave out Chevrotain's own checks of the grammar; they are made in a test. */
  readonly skipValidations?: boolean;
}

/** Counts how deep rules nest, and refuses a text before the recursion of the parser can grow with it. */
export abstract class BoundedGrammar extends EmbeddedActionsParser {
  #depth = 0;

  /** @param options tokens and messages of the language */
  constructor({ tokens, messages, skipValidations = true }: GrammarOptions) {
    super([...tokens], { maxLookahead: 1, errorMessageProvider: messages, skipValidations });
  }

  /** How many levels may nest. */
  protected abstract get nestingLimit(): number;

  /** Throws the error for a text that nests deeper. */
  protected abstract refuseNesting(): never;

  /** Forgets what belongs to the text parsed before. */
  override reset(): void {
    super.reset();
    this.#depth = 0;
  }

  /** Begins a level of nesting. */
  protected enter(): void {
    if (++this.#depth > this.nestingLimit) this.refuseNesting();
  }

  /** Ends a level of nesting. */
  protected leave(): void {
    this.#depth--;
  }
}

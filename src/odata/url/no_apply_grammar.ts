/**
 * What stands in place of the grammar of `$apply` in bundles without it: it refuses what that would parse.
 *
 * @module
 */

import type { AggregateExpr, ApplyExpr } from "./ast.ts";
import type { Rule } from "./base_grammar.ts";
import { ItemGrammar } from "./item_grammar.ts";
import { ServiceError } from "../../errors/service_error.ts";

/** `$apply` is refused, and so are paths with `aggregate`. */
export abstract class ApplyGrammar extends ItemGrammar {
  /** Transformations in sequence. */
  readonly applyExpr: Rule<ApplyExpr> = this.RULE("applyExpr", (): ApplyExpr => this.#refuse());

  /** An argument of `aggregate` without alias. */
  readonly aggregateExpr: Rule<AggregateExpr> = this.RULE(
    "aggregateExpr",
    (): AggregateExpr => this.#refuse(),
  );

  #refuse<T>(): T {
    return this.ACTION((): T => {
      const message = 'This bundle was made without $apply: "fw build --edge --with apply" makes one with it';
      throw new ServiceError({ status: 501, message });
    });
  }
}

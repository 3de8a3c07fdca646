import type { ComputeItem, OrderbyItem } from "./ast.ts";
import type { Rule } from "./base_grammar.ts";
import { ExpressionGrammar } from "./expression_grammar.ts";
import { wholeNumber } from "./literals.ts";
import * as T from "./tokens.ts";

const IDENTIFIER = "a name without namespace";
const INTEGER = "a non-negative integer";

/** Productions of `$orderby` and `$compute`, whose items `$apply` shares. */
export abstract class ItemGrammar extends ExpressionGrammar {
  // orderby = ( "$orderby" / "orderby" ) EQ orderbyItem *( COMMA orderbyItem )
  /** The value of `$orderby`. */
  readonly orderby: Rule<OrderbyItem[]> = this.RULE("orderby", (): OrderbyItem[] => {
    const items = [this.SUBRULE(this.orderbyItem)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE1(this.orderbyItem));
    });
    return items;
  });

  // orderbyItem = commonExpr [ RWS ( "asc" / "desc" ) ]
  /** `a desc`. */
  readonly orderbyItem: Rule<OrderbyItem> = this.RULE("orderbyItem", (): OrderbyItem => {
    const expr = this.SUBRULE(this.commonExpr);
    const direction = this.OPTION(() => this.CONSUME(T.SortDirection));
    return this.ACTION((): OrderbyItem => {
      const desc = direction?.image.trim().length === "desc".length;
      return { offset: expr.offset, expr, desc };
    });
  });

  // compute = ( "$compute" / "compute" ) EQ computeItem *( COMMA computeItem )
  /** The value of `$compute`. */
  readonly compute: Rule<ComputeItem[]> = this.RULE("compute", (): ComputeItem[] => {
    const items = [this.SUBRULE(this.computeItem)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE1(this.computeItem));
    });
    return items;
  });

  // computeItem = commonExpr RWS "as" RWS computedProperty
  /** `a as b`. */
  readonly computeItem: Rule<ComputeItem> = this.RULE("computeItem", (): ComputeItem => {
    const expr = this.SUBRULE(this.commonExpr);
    return { offset: expr.offset, expr, name: this.SUBRULE(this.asAlias) };
  });

  // asAlias = RWS "as" RWS alias
  readonly asAlias: Rule<string> = this.RULE("asAlias", (): string => {
    this.CONSUME(T.As);
    return this.SUBRULE(this.odataIdentifier);
  });

  // odataIdentifier = identifierLeadingCharacter *127identifierCharacter; words with a meaning elsewhere are names here
  readonly odataIdentifier: Rule<string> = this.RULE("odataIdentifier", (): string => {
    const token = this.OR({
      DEF: [
        { ALT: () => this.CONSUME(T.QName) },
        { ALT: () => this.CONSUME(T.Identity) },
        { ALT: () => this.CONSUME(T.SortDirection) },
        { ALT: () => this.CONSUME(T.BinaryOp) },
      ],
      ERR_MSG: IDENTIFIER,
    });
    return this.ACTION(() => {
      const name = token.image.trim();
      return name.includes(".") ? this.failAt(token, IDENTIFIER) : name;
    });
  });

  // 1*DIGIT
  /** A whole number without sign. */
  readonly digits: Rule<number> = this.RULE("digits", (): number => {
    const token = this.CONSUME(T.NumberLiteral, { ERR_MSG: INTEGER });
    return this.ACTION(() => wholeNumber(token.image) ?? this.failAt(token, INTEGER));
  });
}

/**
 * The grammar of calls: arguments by position and by name, windows.
 *
 * @module
 */

import type { ParserMethod } from "chevrotain";
import type { Expression, OrderTerm, Xo } from "../cqn.ts";
import { toExpression } from "../conjunction.ts";
import { BoundedGrammar } from "./messages.ts";
import { nameOf, numberLiteral } from "./literals.ts";
import * as t from "./tokens.ts";

/** Arguments of a call: a list or by name. */
type Arguments = readonly (Expression | "*")[] | Readonly<Record<string, Expression>>;
type Rule<R> = ParserMethod<[], R>;

/** Rules for calls; expressions and order terms come with the grammar that extends it. */
export abstract class FunctionGrammar extends BoundedGrammar {
  /** An expression as flat array. */
  abstract readonly expression: Rule<Xo[]>;
  /** `order by` and its terms. */
  abstract readonly orderByClause: Rule<OrderTerm[]>;

  // functionCall = name "(" [ arguments ] ")" [ "over" "(" … ")" ] / "extract" "(" field "from" expression ")"
  readonly functionCall: Rule<Expression> = this.RULE("functionCall", () => {
    let func = nameOf(this.CONSUME(t.Name));
    let args: Arguments = [];
    let xpr: Xo[] | undefined;
    this.CONSUME(t.LParen);
    // SQL's way to write year(x): the function of that name
    this.OPTION2({
      GATE: () => func.toLowerCase() === "extract" && this.LA(2).tokenType === t.From,
      DEF: () => {
        func = nameOf(this.CONSUME1(t.Name)).toLowerCase();
        this.CONSUME(t.From);
        const xos = this.SUBRULE(this.expression);
        this.ACTION(() => args = [toExpression(xos)]);
      },
    });
    this.OPTION(() => args = this.SUBRULE(this.functionArguments));
    this.CONSUME(t.RParen);
    this.OPTION1({
      GATE: () => this.LA(1).tokenType === t.Over && this.LA(2).tokenType === t.LParen,
      DEF: () => xpr = this.SUBRULE(this.overClause),
    });
    return { func, args, ...(xpr && { xpr }) };
  });

  readonly functionArguments: Rule<Arguments> = this.RULE("functionArguments", () =>
    this.OR({
      DEF: [
        { ALT: () => (this.CONSUME(t.Star), ["*"] as const) },
        {
          GATE: () => this.LA(2).tokenType === t.Arrow,
          ALT: () => {
            const named: Record<string, Expression> = {};
            this.AT_LEAST_ONE_SEP({
              SEP: t.Comma,
              DEF: () => {
                const name = nameOf(this.CONSUME(t.Word));
                this.CONSUME(t.Arrow);
                named[name] = toExpression(this.SUBRULE(this.expression));
              },
            });
            return named;
          },
        },
        {
          ALT: () => {
            const args: Expression[] = [];
            this.AT_LEAST_ONE_SEP1({
              SEP: t.Comma,
              DEF: () => {
                const distinct = this.OPTION(() => this.CONSUME(t.Distinct)) !== undefined;
                const xos = this.SUBRULE1(this.expression);
                const order = this.OPTION1(() => this.SUBRULE(this.orderByClause));
                this.ACTION(() =>
                  args.push(toExpression([
                    ...(distinct ? ["distinct"] : []),
                    ...xos,
                    ...(order ? orderTokens(order) : []),
                  ]))
                );
              },
            });
            return args;
          },
        },
      ],
      IGNORE_AMBIGUITIES: true,
    }));

  // overClause = "over" "(" [ "partition" "by" … ] [ "order" "by" … [ windowFrame ] ] ")"
  readonly overClause: Rule<Xo[]> = this.RULE("overClause", () => {
    const inner: Xo[] = [];
    this.CONSUME(t.Over);
    this.CONSUME(t.LParen);
    this.OPTION(() => {
      this.CONSUME(t.Partition);
      this.CONSUME(t.By);
      inner.push("partition", "by");
      this.AT_LEAST_ONE_SEP({
        SEP: t.Comma,
        DEF: () => {
          if (inner.length > 2) inner.push(",");
          inner.push(toExpression(this.SUBRULE(this.expression)));
        },
      });
    });
    this.OPTION1(() => {
      const terms = this.SUBRULE(this.orderByClause);
      this.ACTION(() => inner.push(...orderTokens(terms)));
      this.OPTION2(() => this.SUBRULE(this.windowFrame, { ARGS: [inner] }));
    });
    this.CONSUME(t.RParen);
    return ["over", { xpr: inner }];
  });

  // windowFrame = ( "rows" | "range" ) ( frameBound | "between" frameBound "and" frameBound )
  readonly windowFrame: ParserMethod<[Xo[]], void> = this.RULE("windowFrame", (xos: Xo[] = []) => {
    this.OR([
      { ALT: () => xos.push(this.CONSUME(t.Rows).image.toLowerCase()) },
      { ALT: () => xos.push(this.CONSUME(t.Range).image.toLowerCase()) },
    ]);
    this.OR1([
      {
        ALT: () => {
          this.CONSUME(t.Between);
          xos.push("between");
          this.SUBRULE(this.frameBound, { ARGS: [xos] });
          this.CONSUME(t.And);
          xos.push("and");
          this.SUBRULE1(this.frameBound, { ARGS: [xos] });
        },
      },
      { ALT: () => this.SUBRULE2(this.frameBound, { ARGS: [xos] }) },
    ]);
  });

  // frameBound = "current" "row" | ( "unbounded" | number ) ( "preceding" | "following" )
  readonly frameBound: ParserMethod<[Xo[]], void> = this.RULE("frameBound", (xos: Xo[] = []) => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Current);
          this.CONSUME(t.Row);
          xos.push("current", "row");
        },
      },
      {
        ALT: () => {
          this.OR1([
            { ALT: () => xos.push(this.CONSUME(t.Unbounded).image.toLowerCase()) },
            { ALT: () => xos.push(numberLiteral(this.CONSUME(t.NumberLiteral).image)) },
          ]);
          this.OR2([
            { ALT: () => xos.push(this.CONSUME(t.Preceding).image.toLowerCase()) },
            { ALT: () => xos.push(this.CONSUME(t.Following).image.toLowerCase()) },
          ]);
        },
      },
    ]);
  });
}

/** Order terms as tokens of an expression. */
function orderTokens(terms: readonly OrderTerm[]): Xo[] {
  return terms.flatMap(({ sort, nulls, ...expression }, i) => [
    ...(i > 0 ? [","] : ["order", "by"]),
    expression as Expression,
    ...(sort ? [sort] : []),
    ...(nulls ? ["nulls", nulls] : []),
  ]);
}

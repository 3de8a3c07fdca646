/**
 * Flat arrays of operands and operators as trees, by precedence: `or`, `and`, `not`, comparisons, `||`, sums, products, signs.
 *
 * @module
 */

import { toExpression } from "../cqn/conjunction.ts";
import type { Expression, Xo } from "../cqn/cqn.ts";
import { arithmetic, compare, exists, isIn, isNull, join, negative, not, NULL } from "./build.ts";
import type {
  ArithmeticOperator,
  Branch,
  ComparisonOperator,
  Expr,
  FrameEnd,
  Reference,
  TreeOrder,
} from "./tree.ts";
import type { TreeQuery, Window, WindowFrame } from "./tree.ts";

/** What becomes of an operand. */
export type ReadOperand = (operand: Expression) => Expr;

const COMPARISONS: ReadonlySet<unknown> = new Set(["=", "==", "!=", "<>", "<", "<=", ">", ">="]);
const SUMS: ReadonlySet<unknown> = new Set(["+", "-"]);
const PRODUCTS: ReadonlySet<unknown> = new Set(["*", "/"]);

/**
 * The tree of operands and operators.
 *
 * @throws TypeError for tokens that are no expression
 */
export function fromTokens(tokens: readonly Xo[], operand: ReadOperand): Expr {
  const only = tokens[0];
  if (tokens.length === 1 && typeof only === "object") return operand(only);
  const reader = new TokenReader(tokens, operand);
  const result = reader.disjunction();
  reader.expectEnd();
  return result;
}

/** Operators may stand together in one token, in any case. */
function plainTokens(tokens: readonly Xo[]): readonly Xo[] {
  const isPlain = tokens.every((token) => typeof token !== "string" || /^(?:[a-z]+|\W{1,2})$/.test(token));
  if (isPlain) return grouped(tokens);
  const plain = tokens.flatMap((token): readonly Xo[] =>
    typeof token === "string" && /^[a-z]+(?: +[a-z]+)*$/i.test(token)
      ? token.toLowerCase().split(/ +/)
      : [token]
  );
  return grouped(plain);
}

/** Parentheses may be tokens as well: what stands between them is an expression, or a list. */
function grouped(tokens: readonly Xo[]): readonly Xo[] {
  if (!tokens.includes("(")) return tokens;
  const open: Xo[][] = [[]];
  for (const token of tokens) {
    const last = open.at(-1)!;
    if (token === "(") open.push([]);
    else if (token !== ")" || open.length === 1) last.push(token);
    else {
      open.pop();
      const before = open.at(-1)!;
      before.push(before.at(-1) === "in" ? { list: partsOf(last) } : groupOf(last));
    }
  }
  return open.length === 1 ? open[0]! : tokens; // one is not closed, which whoever reads them says
}

function groupOf(tokens: readonly Xo[]): Expression {
  return tokens.includes(",") ? { list: partsOf(tokens) } : { xpr: tokens };
}

function partsOf(tokens: readonly Xo[]): readonly Expression[] {
  const parts: Xo[][] = [[]];
  for (const token of tokens) {
    if (token === ",") parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts.map(toExpression);
}

/** Reads tokens from left to right. */
class TokenReader {
  readonly #tokens: readonly Xo[];
  readonly #read: ReadOperand;
  #at = 0;

  constructor(tokens: readonly Xo[], read: ReadOperand) {
    this.#tokens = plainTokens(tokens);
    this.#read = read;
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected();
  }

  disjunction(): Expr {
    const parts = [this.#conjunction()];
    while (this.#takes("or")) parts.push(this.#conjunction());
    return join("or", parts);
  }

  #conjunction(): Expr {
    const parts = [this.#negation()];
    while (this.#takes("and")) parts.push(this.#negation());
    return join("and", parts);
  }

  #negation(): Expr {
    return this.#takes("not") ? not(this.#negation()) : this.#comparison();
  }

  #comparison(): Expr {
    let left = this.#concatenation();
    for (;;) {
      const operator = this.#peek();
      if (COMPARISONS.has(operator)) {
        this.#at++;
        left = compare(left, operator as ComparisonOperator, this.#concatenation());
      } else if (this.#takes("is")) left = this.#nullTest(left);
      else {
        const start = this.#at;
        const test = this.#test(left, this.#takes("not"));
        if (!test) {
          this.#at = start;
          return left;
        }
        left = test;
      }
    }
  }

  /** What stands behind `is`. */
  #nullTest(left: Expr): Expr {
    const negated = this.#takes("not");
    if (this.#takes("distinct")) {
      this.#expect("from");
      return compare(left, negated ? "==" : "!=", this.#concatenation());
    }
    if (this.#takes("null")) return isNull(left, negated);
    return compare(left, negated ? "is not" : "is", this.#concatenation());
  }

  #test(left: Expr, negated: boolean): Expr | undefined {
    const type = "cds.Boolean";
    if (this.#takes("in")) return isIn(left, this.#concatenation(), negated);
    if (this.#takes("like")) {
      const pattern = this.#concatenation();
      const escape = this.#takes("escape") ? this.#concatenation() : undefined;
      return { kind: "like", left, pattern, ...(escape && { escape }), negated, type };
    }
    if (!this.#takes("between")) return undefined;
    const low = this.#concatenation();
    this.#expect("and");
    return { kind: "between", left, low, high: this.#concatenation(), negated, type };
  }

  #concatenation(): Expr {
    const parts = [this.#sum()];
    while (this.#takes("||")) parts.push(this.#sum());
    return join("||", parts);
  }

  #sum(): Expr {
    let left = this.#product();
    while (SUMS.has(this.#peek())) left = this.#calculation(left, () => this.#product());
    return left;
  }

  #product(): Expr {
    let left = this.#primary();
    while (PRODUCTS.has(this.#peek())) left = this.#calculation(left, () => this.#primary());
    return left;
  }

  #calculation(left: Expr, right: () => Expr): Expr {
    const op = this.#tokens[this.#at++] as ArithmeticOperator; // callers have looked for it
    return arithmetic(left, op, right());
  }

  #primary(): Expr {
    if (this.#takes("-")) return negative(this.#primary());
    if (this.#takes("+")) return this.#primary();
    if (this.#takes("exists")) return this.#existence();
    if (this.#takes("case")) return this.#case();
    if (this.#takes("null")) return NULL;
    if (this.#takes("not")) return not(this.#primary());
    return this.operand();
  }

  #existence(): Expr {
    const arg = this.operand();
    if (arg.kind === "reference" || arg.kind === "select" || arg.kind === "set") {
      return exists(arg as Reference | TreeQuery);
    }
    throw new TypeError('Behind "exists" a path or a query is expected');
  }

  #case(): Expr {
    const subject = this.#peek() === "when" ? undefined : this.disjunction();
    const branches: Branch[] = [];
    while (this.#takes("when")) {
      const when = this.disjunction();
      this.#expect("then");
      branches.push({ when, then: this.disjunction() });
    }
    const otherwise = this.#takes("else") ? this.disjunction() : undefined;
    this.#expect("end");
    return { kind: "case", ...(subject && { subject }), branches, ...(otherwise && { otherwise }) };
  }

  operand(): Expr {
    const token = this.#tokens[this.#at];
    if (typeof token !== "object") throw this.#unexpected();
    this.#at++;
    return this.#read(token);
  }

  /** `partition by … order by … rows …`. */
  window(): Window {
    const partitionBy: Expr[] = [];
    if (this.#takes("partition")) {
      this.#expect("by");
      do partitionBy.push(this.#term()); while (this.#takes(",") || typeof this.#peek() === "object");
    }
    const orderBy = this.order();
    const frame = this.#frame();
    this.expectEnd();
    return { partitionBy, orderBy, ...(frame && { frame }) };
  }

  /** `order by …`, if it is there. */
  order(): readonly TreeOrder[] {
    const terms: TreeOrder[] = [];
    if (!this.#takes("order")) return terms;
    this.#expect("by");
    do {
      const term = this.#term();
      const sort = this.#takes("desc") ? "desc" : this.#takes("asc") ? "asc" : undefined;
      const nulls = this.#takes("nulls") ? (this.#takes("last") ? "last" : "first") : undefined;
      if (nulls === "first") this.#takes("first");
      terms.push({ ...term, ...(sort && { sort }), ...(nulls && { nulls }) });
    } while (this.#takes(",") || typeof this.#peek() === "object");
    return terms;
  }

  /** An argument of an aggregate: `distinct` in front, an order behind. */
  argument(): { readonly arg: Expr; readonly distinct: boolean; readonly orderBy: readonly TreeOrder[] } {
    const distinct = this.#takes("distinct");
    const arg = this.disjunction();
    const orderBy = this.order();
    this.expectEnd();
    return { arg, distinct, orderBy };
  }

  #term(): Expr {
    return this.disjunction();
  }

  #frame(): WindowFrame | undefined {
    const measure = this.#takes("rows") ? "rows" : this.#takes("range") ? "range" : undefined;
    if (measure === undefined) return undefined;
    if (!this.#takes("between")) return { measure, from: this.#frameEnd() };
    const from = this.#frameEnd();
    this.#expect("and");
    return { measure, from, to: this.#frameEnd() };
  }

  #frameEnd(): FrameEnd {
    if (this.#takes("current")) {
      this.#expect("row");
      return { end: "current" };
    }
    const distance = this.#takes("unbounded") ? undefined : this.operand();
    const end = this.#takes("preceding") ? "preceding" : "following";
    if (end === "following") this.#expect("following");
    return { end, ...(distance && { distance }) };
  }

  #peek(): Xo | undefined {
    return this.#tokens[this.#at];
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at] !== word) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#takes(word)) throw this.#unexpected(word);
  }

  #unexpected(expected?: string): TypeError {
    const token = this.#tokens[this.#at];
    const found = typeof token === "string"
      ? `Unknown operator "${token}"`
      : token === undefined
      ? "The expression ends too early"
      : "Two operands stand side by side";
    return new TypeError(`${found}${expected === undefined ? "" : `, expected "${expected}"`}`);
  }
}

/** What stands behind `over`. */
export function fromWindowTokens(tokens: readonly Xo[], operand: ReadOperand): Window {
  return new TokenReader(tokens, operand).window();
}

/** An argument with `distinct` or an order; undefined for others. */
export function fromArgumentTokens(
  tokens: readonly Xo[],
  operand: ReadOperand,
): ReturnType<TokenReader["argument"]> | undefined {
  const hasOrder = tokens.some((token) => token === "order" || token === "order by");
  return tokens[0] === "distinct" || hasOrder ? new TokenReader(tokens, operand).argument() : undefined;
}

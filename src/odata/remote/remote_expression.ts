/**
 * CXN → expressions of OData URLs.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Expression, FunctionExpression, RefStep, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity, ResolvedType } from "../../model/linked.ts";
import type { BinaryOperator, CommonExpr, MemberExpr, MemberStep } from "../url/ast.ts";
import { canonicalFunction } from "../url/canonical_functions.ts";
import { remoteLiteral } from "./remote_literal.ts";

/** What names in an expression refer to. */
export interface RemoteScope {
  /** Definition of the entity, if it is known. */
  readonly entity?: LinkedEntity;
  /** Path in front of all names: a lambda variable, or steps along associations. */
  readonly prefix: readonly string[];
  /** Supplies `$user` and `$now`. */
  readonly context?: EventContext;
}

/** An operand; a literal in it takes its form from what it is compared with. */
interface Operand {
  readonly type?: ResolvedType;
  make(hint?: ResolvedType): CommonExpr;
}

const COMPARISONS: Readonly<Record<string, BinaryOperator>> = {
  "=": "eq",
  "==": "eq",
  "!=": "ne",
  "<>": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};
const SUMS: Readonly<Record<string, BinaryOperator>> = { "+": "add", "-": "sub" };
const PRODUCTS: Readonly<Record<string, BinaryOperator>> = { "*": "mul", "/": "div" };
const FUNCTIONS: Readonly<Record<string, string>> = { lower: "tolower", upper: "toupper" };

/**
 * A condition or value as expression of a URL.
 *
 * @param tokens operands and operators
 * @param scope what names refer to
 * @throws ServiceError 501 for what OData has no word for
 */
export function toRemoteExpression(tokens: readonly Xo[], scope: RemoteScope): CommonExpr {
  const reader = new ExpressionReader(tokens, scope);
  const result = reader.disjunction().make();
  if (!reader.isAtEnd) throw notPossible(`The operator "${String(reader.peek())}"`);
  return result;
}

/** The error for a part of a query that cannot be sent. */
export function notPossible(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `${what} cannot be sent to a remote service` });
}

/** Reads a flat array by precedence: or, and, not, comparison, sum, product, operand. */
class ExpressionReader {
  readonly #tokens: readonly Xo[];
  readonly #scope: RemoteScope;
  #at = 0;

  constructor(tokens: readonly Xo[], scope: RemoteScope) {
    this.#tokens = tokens.flatMap((token): readonly Xo[] =>
      typeof token === "string" ? token.toLowerCase().split(" ") : [token]
    );
    this.#scope = scope;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(): Xo | undefined {
    return this.#tokens[this.#at];
  }

  disjunction(): Operand {
    let left = this.#conjunction();
    while (this.#takes("or")) left = joined(left, "or", this.#conjunction());
    return left;
  }

  #conjunction(): Operand {
    let left = this.#negation();
    while (this.#takes("and")) left = joined(left, "and", this.#negation());
    return left;
  }

  #negation(): Operand {
    return this.#takes("not") ? negated(this.#negation()) : this.#comparison();
  }

  #comparison(): Operand {
    if (this.#takes("exists")) {
      const path = this.#path();
      return { make: () => existing(path, this.#scope) };
    }
    const left = this.#sum();
    const operator = this.#operator(COMPARISONS);
    if (operator) return joined(left, operator, this.#sum());
    if (this.#takes("is")) {
      const comparison: BinaryOperator = this.#takes("not") ? "ne" : "eq";
      this.#expect("null");
      return joined(left, comparison, fixed(remoteLiteral(null)));
    }
    const isNegated = this.#takes("not");
    const result = this.#membership(left);
    return isNegated ? negated(result) : result;
  }

  #membership(left: Operand): Operand {
    if (this.#takes("in")) {
      // a list without members is no expression of OData 4.01, and nothing is in it
      if (isEmptyList(this.peek())) {
        this.#at++;
        return fixed(remoteLiteral(false));
      }
      return joined(left, "in", this.#sum());
    }
    if (this.#takes("like")) {
      const pattern = this.#operandOf("like");
      return { make: () => like(left, pattern) };
    }
    if (!this.#takes("between")) return left;
    const low = this.#sum();
    this.#expect("and");
    return joined(joined(left, "ge", low), "and", joined(left, "le", this.#sum()));
  }

  #sum(): Operand {
    let left = this.#product();
    for (let operator; (operator = this.#operator(SUMS));) left = joined(left, operator, this.#product());
    while (this.#takes("||")) left = call("concat", [left, this.#product()]);
    return left;
  }

  #product(): Operand {
    let left = this.#operand();
    for (let operator; (operator = this.#operator(PRODUCTS));) left = joined(left, operator, this.#operand());
    return left;
  }

  #operand(): Operand {
    if (this.#takes("-")) {
      const operand = this.#operand();
      return { ...operand, make: () => ({ kind: "negateExpr", expr: operand.make(), offset: 0 }) };
    }
    return operandOf(this.#operandOf("an operator"), this.#scope);
  }

  #operandOf(place: string): Expression {
    const token = this.#tokens[this.#at++];
    if (typeof token === "object") return token;
    throw notPossible(token === undefined ? `A condition that ends at ${place}` : `The operator "${token}"`);
  }

  #path(): readonly RefStep[] {
    const operand = this.#operandOf("exists");
    if ("ref" in operand && operand.ref) return operand.ref;
    throw notPossible("A subquery");
  }

  #operator(table: Readonly<Record<string, BinaryOperator>>): BinaryOperator | undefined {
    const token = this.peek();
    if (typeof token !== "string" || !Object.hasOwn(table, token)) return undefined;
    this.#at++;
    return table[token];
  }

  #takes(word: string): boolean {
    if (this.peek() !== word) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#takes(word)) throw notPossible(`A condition without "${word}"`);
  }
}

function isEmptyList(token: Xo | undefined): boolean {
  if (typeof token !== "object") return false;
  const list = "list" in token ? token.list : "val" in token ? token.val : undefined;
  return Array.isArray(list) && list.length === 0;
}

function fixed(expr: CommonExpr): Operand {
  return { make: () => expr };
}

function joined(left: Operand, operator: BinaryOperator, right: Operand): Operand {
  const type = operator in { add: 1, sub: 1, mul: 1, div: 1 } ? left.type ?? right.type : undefined;
  return {
    type,
    make: (hint) => ({
      kind: "binaryExpr",
      operator,
      left: left.make(right.type ?? hint),
      right: right.make(left.type ?? hint),
      offset: 0,
    }),
  };
}

function negated(operand: Operand): Operand {
  return { make: () => ({ kind: "notExpr", expr: operand.make(), offset: 0 }) };
}

function operandOf(expression: Expression, scope: RemoteScope): Operand {
  if ("val" in expression) {
    const { val } = expression;
    if (Array.isArray(val)) return listOf(val.map((one) => ({ val: one })), scope);
    return { make: (hint) => remoteLiteral(val, hint) };
  }
  if ("func" in expression) return functionOf(expression, scope);
  if ("ref" in expression) return refOf(expression.ref, scope);
  if ("list" in expression) return listOf(expression.list, scope);
  if ("xpr" in expression) {
    const reader = new ExpressionReader(expression.xpr, scope);
    const inner = reader.disjunction();
    if (!reader.isAtEnd) throw notPossible(`The operator "${String(reader.peek())}"`);
    return inner;
  }
  throw notPossible("#" in expression ? "An enum symbol" : "A subquery");
}

function listOf(list: readonly Expression[], scope: RemoteScope): Operand {
  const operands = list.map((one) => operandOf(one, scope));
  return { make: (hint) => ({ kind: "listExpr", items: operands.map((one) => one.make(hint)), offset: 0 }) };
}

function functionOf({ func, args }: FunctionExpression, scope: RemoteScope): Operand {
  const given = Array.isArray(args) ? args.filter((arg): arg is Expression => arg !== "*") : [];
  const lower = func.toLowerCase();
  const [first] = given;
  if (lower === "count" && first && "ref" in first) {
    const path = memberOf(first.ref, scope);
    return fixed({ ...path, steps: [...path.steps, { kind: "countStep", offset: 0 }] });
  }
  const name = canonicalFunction(FUNCTIONS[lower] ?? lower);
  if (name === undefined) throw notPossible(`The function "${func}"`);
  return call(name, given.map((arg) => operandOf(arg, scope)));
}

function call(name: string, args: readonly Operand[]): Operand {
  const type = args[0]?.type;
  return {
    make: () => ({ kind: "methodCallExpr", name, args: args.map((arg) => arg.make(type)), offset: 0 }),
  };
}

/** Patterns with `%` at the ends only, which OData has functions for. */
function like(left: Operand, pattern: Expression): CommonExpr {
  const text = "val" in pattern && typeof pattern.val === "string" ? pattern.val : undefined;
  const [, open, inner, close] = /^(%?)([^%_]*)(%?)$/.exec(text ?? "_") ?? [];
  if (inner === undefined) throw notPossible("A pattern with wildcards inside");
  const right = fixed(remoteLiteral(inner));
  if (!open && !close) return joined(left, "eq", right).make();
  return call(open && close ? "contains" : open ? "endswith" : "startswith", [left, right]).make();
}

function refOf(ref: readonly RefStep[], scope: RemoteScope): Operand {
  const [root, ...rest] = ref;
  if (root === "$now") return { make: () => remoteLiteral(scope.context?.timestamp ?? new Date()) };
  if (root === "$user") return { make: (hint) => remoteLiteral(userValue(rest, scope), hint) };
  if (root === "$self") return refOf(rest, scope);
  return { type: elementAt(scope.entity, ref)?.$type, make: () => memberOf(ref, scope) };
}

function userValue([name = "id"]: readonly RefStep[], { context }: RemoteScope): unknown {
  if (name === "id") return context?.user.id;
  if (name === "locale") return context?.locale;
  if (name === "tenant") return context?.tenant;
  return typeof name === "string" ? context?.user.attr[name] : undefined;
}

function memberOf(ref: readonly RefStep[], { prefix }: RemoteScope): MemberExpr {
  return member([...prefix, ...stepNames(ref)]);
}

/**
 * The names of the steps of a path.
 *
 * @param ref the path
 * @throws ServiceError 501 for filters and arguments, which no path of a property has
 */
export function stepNames(ref: readonly RefStep[]): string[] {
  return ref.map((step) => {
    if (typeof step === "string") return step;
    if (step.where || step.args || step.orderBy || step.limit) throw notPossible("A path with conditions");
    return step.id;
  });
}

function member(names: readonly string[], last?: MemberStep): MemberExpr {
  const steps = names.map((name): MemberStep => ({ kind: "memberName", name, parens: [], offset: 0 }));
  return { kind: "memberExpr", steps: last ? [...steps, last] : steps, offset: 0 };
}

/** The element at the end of a path, as far as the model knows it. */
export function elementAt(
  entity: LinkedEntity | undefined,
  ref: readonly RefStep[],
): LinkedElement | undefined {
  let at = entity;
  let element: LinkedElement | undefined;
  for (const step of ref) {
    const name = typeof step === "string" ? step : step.id;
    element = at?.$flat.get(name)?.element ?? own(at, name);
    at = element?.$target;
  }
  return element;
}

function own(entity: LinkedEntity | undefined, name: string): LinkedElement | undefined {
  return entity && Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
}

/** `exists` along to-many associations as `any`, along to-one associations as comparison with null. */
function existing(steps: readonly RefStep[], scope: RemoteScope): CommonExpr {
  const [step, ...rest] = steps;
  const { id, where } = typeof step === "string" ? { id: step, where: undefined } : step;
  const element = own(scope.entity, id);
  const isMany = element?.is2many ?? rest.length === 0;
  const path = [...scope.prefix, id];
  const variable = `x${path.length}`;
  const inner: RemoteScope = { ...scope, entity: element?.$target, prefix: isMany ? [variable] : path };
  const conditions = [
    ...(where?.length ? [toRemoteExpression(where, inner)] : []),
    ...(rest.length > 0 ? [existing(rest, inner)] : []),
  ];
  if (isMany) {
    const [first, ...more] = conditions;
    const predicate = first && more.reduce(both, first);
    const lambda = predicate ? { variable, predicate } : {};
    return member(path, { kind: "anyExpr", ...lambda, offset: 0 });
  }
  return conditions.reduce(both, joined(fixed(member(path)), "ne", fixed(remoteLiteral(null))).make());
}

function both(left: CommonExpr, right: CommonExpr): CommonExpr {
  return joined(fixed(left), "and", fixed(right)).make();
}

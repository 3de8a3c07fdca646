/**
 * Expressions (CXN) as functions of a row.
 *
 * @module
 */

import type { CastType, Expression, RefExpression, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { compileNavigation, type Navigator } from "./navigate.ts";
import { compare, OPERATORS, same } from "./operators.ts";
import { FUNCTIONS } from "./functions.ts";
import type { Evaluator, Scope } from "./scope.ts";

/** Compiles a flat expression array. */
export function compileXpr(xpr: readonly Xo[], scope: Scope): Evaluator {
  const parser = new XprParser(xpr, scope);
  const result = parser.parse(0);
  parser.assertEnd();
  return result;
}

/** Compiles a condition to a predicate: null counts as false. */
export function compileCondition(
  where: readonly Xo[],
  scope: Scope,
): (...args: Parameters<Evaluator>) => boolean {
  const evaluate = compileXpr(where, scope);
  return (row, context) => evaluate(row, context) === true;
}

/** Compiles an operand. */
export function compileOperand(operand: Expression, scope: Scope): Evaluator {
  const { cast } = operand as { readonly cast?: CastType };
  return typeof cast?.type === "string"
    ? compileCast(cast.type, compileUncast(operand, scope))
    : compileUncast(operand, scope);
}

/** Values become text or numbers; other types are left as they are. */
function compileCast(type: string, operand: Evaluator): Evaluator {
  const convert = CASTS[type];
  if (!convert) return operand;
  return (row, context) => {
    const value = operand(row, context);
    return value === null || value === undefined ? null : convert(value);
  };
}

const CASTS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "cds.String": String,
  "cds.LargeString": String,
  "cds.UInt8": (value) => Math.trunc(Number(value)),
  "cds.Int16": (value) => Math.trunc(Number(value)),
  "cds.Int32": (value) => Math.trunc(Number(value)),
  "cds.Integer": (value) => Math.trunc(Number(value)),
  "cds.Decimal": Number,
  "cds.Double": Number,
};

function compileUncast(operand: Expression, scope: Scope): Evaluator {
  if ("val" in operand) return () => operand.val;
  if ("ref" in operand) return compileRef(operand, scope);
  if ("func" in operand) return compileFunction(operand, scope);
  if ("list" in operand) {
    const items = operand.list.map((item) => compileOperand(item, scope));
    return (row, context) => items.map((item) => item(row, context));
  }
  if ("xpr" in operand) return compileXpr(operand.xpr, scope);
  throw unsupported("subqueries in expressions");
}

function compileFunction(operand: Extract<Expression, { func: string }>, scope: Scope): Evaluator {
  const name = operand.func.toLowerCase();
  const args = Array.isArray(operand.args) ? operand.args as readonly (Expression | "*")[] : [];
  if (name === "count" && args.length === 1 && args[0] !== "*") {
    const navigate = compilePath(args[0], scope);
    if (navigate) return (row, context) => navigate(row, context).length;
  }
  if (name === "$any") return compileAny(args as readonly Expression[], scope);
  const run = FUNCTIONS[name];
  if (!run) throw unsupported(`the function ${operand.func}`);
  const evaluators = args.filter((arg) => arg !== "*").map((arg) => compileOperand(arg, scope));
  return (row, context) => run(evaluators.map((evaluate) => evaluate(row, context)));
}

/** `$any(array, condition)`: the condition sees the member of the array as `$item`. */
function compileAny([array, condition]: readonly Expression[], scope: Scope): Evaluator {
  const members = compileOperand(array, scope);
  const test = compileOperand(condition, scope);
  return (row, context) => {
    const values = members(row, context);
    return Array.isArray(values) && values.some((value) =>
      test(row, {
        ...context,
        variable: (path) => path[0] === "$item" ? value : context.variable(path),
      }) === true
    );
  };
}

/** The navigation that a path ending in an association stands for. */
function compilePath(operand: Expression, scope: Scope): Navigator | undefined {
  if (!("ref" in operand)) return undefined;
  const { navigators, rest } = splitPath(operand, scope);
  return rest.length === 0 && navigators.length > 0 ? chain(navigators) : undefined;
}

function chain(navigators: readonly Navigator[]): Navigator {
  return (row, context) =>
    navigators.reduce<readonly Parameters<Navigator>[0][]>(
      (rows, navigate) => rows.flatMap((one) => navigate(one, context)),
      [row],
    );
}

interface SplitPath {
  readonly navigators: Navigator[];
  /** Names after the last association. */
  readonly rest: readonly string[];
  readonly entity: LinkedEntity;
}

function splitPath(operand: RefExpression, scope: Scope): SplitPath {
  let steps = [...operand.ref];
  const isFlat = (name: string) => scope.entity.$flat.has(name) || name in scope.entity.elements;
  if (steps.length > 1 && typeof steps[0] === "string" && steps[0] === scope.alias && !isFlat(steps[0])) {
    steps = steps.slice(1);
  }
  if (steps[0] === "$self" && steps.length > 1) steps = steps.slice(1);
  const navigators: Navigator[] = [];
  let entity = scope.entity;
  let rest: string[] = [];
  for (const step of steps) {
    const name = typeof step === "string" ? step : step.id;
    const association = rest.length === 0 ? entity.elements[name] : undefined;
    if (association?.isAssociation) {
      navigators.push(
        compileNavigation(association, step, (target, where) => compileCondition(where, { entity: target })),
      );
      entity = association.$target!;
    } else {
      rest = [...rest, name];
    }
  }
  return { navigators, rest, entity };
}

function compileRef(operand: RefExpression, scope: Scope): Evaluator {
  const [first] = operand.ref;
  if (operand.param) return (_row, context) => context.params[String(first)];
  const steps = operand.ref.map((step) => typeof step === "string" ? step : step.id);
  if (steps[0].startsWith("$") && steps[0] !== "$self") return (_row, context) => context.variable(steps);
  const direct = steps.filter((step) => step !== "$self" && step !== scope.alias).join("_");
  if (operand.ref.every((step) => typeof step === "string") && scope.entity.$flat.has(direct)) {
    return (row) => row[direct] ?? null;
  }
  const { navigators, rest, entity } = splitPath(operand, scope);
  const name = rest.join("_");
  if (rest.length > 0 && !entity.$flat.has(name)) {
    throw new ServiceError({ status: 400, message: `"${entity.name}" has no element "${name}"` });
  }
  const navigate = chain(navigators);
  if (rest.length === 0) return (row, context) => navigate(row, context)[0] ?? null;
  return (row, context) => navigate(row, context)[0]?.[name] ?? null;
}

function unsupported(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `The memory database does not evaluate ${what}` });
}

/** Precedence climbing over operands and operator strings. */
class XprParser {
  #index = 0;
  readonly #xpr: readonly Xo[];
  readonly #scope: Scope;

  constructor(xpr: readonly Xo[], scope: Scope) {
    this.#xpr = xpr;
    this.#scope = scope;
  }

  assertEnd(): void {
    if (this.#index < this.#xpr.length) {
      throw unsupported(`the operator ${JSON.stringify(this.#xpr[this.#index])}`);
    }
  }

  #peek(): string | undefined {
    const next = this.#xpr[this.#index];
    return typeof next === "string" ? next.toLowerCase() : undefined;
  }

  #accept(word: string): boolean {
    if (this.#peek() !== word) return false;
    this.#index++;
    return true;
  }

  parse(precedence: number): Evaluator {
    let left = this.#prefix();
    for (;;) {
      const word = this.#peek();
      const operator = word === undefined ? undefined : OPERATORS[word];
      if (!operator || operator.precedence < precedence) {
        const special = this.#special(left, precedence);
        if (!special) return left;
        left = special;
        continue;
      }
      this.#index++;
      const [first, second] = [left, this.parse(operator.precedence + 1)];
      left = (row, context) => operator.apply(first(row, context), () => second(row, context));
    }
  }

  #prefix(): Evaluator {
    if (this.#accept("not")) {
      const operand = this.parse(3);
      return (row, context) => {
        const value = operand(row, context);
        return value === null ? null : value !== true;
      };
    }
    if (this.#accept("exists")) return this.#exists();
    if (this.#accept("case")) return this.#case();
    if (this.#accept("-")) {
      const operand = this.parse(7);
      return (row, context) => {
        const value = operand(row, context);
        return value === null ? null : -Number(value);
      };
    }
    if (this.#accept("null")) return () => null;
    const operand = this.#xpr[this.#index++];
    if (operand === undefined || typeof operand === "string") throw unsupported(`the operator ${operand}`);
    return compileOperand(operand, this.#scope);
  }

  #exists(): Evaluator {
    const operand = this.#xpr[this.#index++] as Expression;
    const navigate = compilePath(operand, this.#scope);
    if (!navigate) throw unsupported("exists over subqueries");
    return (row, context) => navigate(row, context).length > 0;
  }

  #case(): Evaluator {
    const branches: { when: Evaluator; then: Evaluator }[] = [];
    while (this.#accept("when")) {
      const when = this.parse(1);
      this.#accept("then");
      branches.push({ when, then: this.parse(1) });
    }
    const otherwise = this.#accept("else") ? this.parse(1) : () => null;
    this.#accept("end");
    return (row, context) =>
      (branches.find(({ when }) => when(row, context) === true)?.then ?? otherwise)(row, context);
  }

  /** `is [not] null`, `[not] in`, `[not] like`, `[not] between`. */
  #special(left: Evaluator, precedence: number): Evaluator | undefined {
    if (precedence > 4) return undefined;
    const start = this.#index;
    const is = this.#accept("is");
    const negated = this.#accept("not");
    const test = is ? this.#isNull(left) : this.#membership(left);
    if (!test) {
      this.#index = start;
      return undefined;
    }
    if (!negated) return test;
    return (row, context) => {
      const value = test(row, context);
      return value === null ? null : !value;
    };
  }

  #isNull(left: Evaluator): Evaluator | undefined {
    const next = this.#xpr[this.#index];
    const isNull = this.#accept("null") || (typeof next === "object" && "val" in next && next.val === null);
    if (isNull && typeof next === "object") this.#index++;
    return isNull ? (row, context) => (left(row, context) ?? null) === null : undefined;
  }

  #membership(left: Evaluator): Evaluator | undefined {
    if (this.#accept("in")) {
      const list = this.parse(5);
      return (row, context) => {
        const value = left(row, context);
        const items = list(row, context);
        return value === null ? null : [items].flat().some((item) => same(value, item));
      };
    }
    if (this.#accept("like")) {
      const pattern = this.parse(5);
      return (row, context) => FUNCTIONS.like([left(row, context), pattern(row, context)]);
    }
    if (this.#accept("between")) {
      const low = this.parse(5);
      this.#accept("and");
      const high = this.parse(5);
      return (row, context) => {
        const value = left(row, context);
        const [from, to] = [low(row, context), high(row, context)];
        if (value === null || from === null || to === null) return null;
        return compare(value, from) >= 0 && compare(value, to) <= 0;
      };
    }
    return undefined;
  }
}

/**
 * Lowered expressions as functions of the rows at hand.
 *
 * @module
 */

import { isBound } from "../../algebra/build.ts";
import type {
  Call,
  Case,
  Cast,
  Expr,
  Membership,
  Parameter,
  Reference,
  Variable,
} from "../../algebra/tree.ts";
import type { Row } from "../../cqn/cqn.ts";
import { boundValue, contextVariable, listOf, onlyValue } from "../bind_values.ts";
import { computedTooLong, unknownFunction } from "../statement_errors.ts";
import { sqlValue } from "../write/sql_value.ts";
import { type Aggregate, aggregateOf, isAggregate } from "./aggregates.ts";
import type { Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { fromJson, FUNCTIONS } from "./functions.ts";
import { DOUBLE_OPERATORS, like, OPERATORS } from "./operators.ts";
import { compileFiltered, compileMembers } from "./source.ts";
import { compare, exactInteger, integerOf, sorting, toFlag, toNumber, truth, unsupported } from "./values.ts";
import { windowValue } from "./windows.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * Compiles an expression.
 *
 * @param compiler the steps of compiling
 * @param expression a lowered expression
 * @throws ServiceError 501 for functions there are not
 */
export function compileExpression(compiler: Compiler, expression: Expr): Evaluate {
  const { expression: compile } = compiler;
  switch (expression.kind) {
    case "select":
    case "set": {
      const { columns: [first], rows } = compiler.query(expression);
      return (env, run) => rows(env, run)[0]?.[first!] ?? null;
    }
    case "parameter":
    case "variable":
      return compileBound(expression);
    case "reference":
      return compileReference(expression);
    case "call":
      return compileCall(compiler, expression);
    case "cast":
      return compileCast(expression, compile(expression.arg));
    case "list": {
      const items = expression.list.map(compile);
      return (env, run) => items.map((item) => item(env, run));
    }
    case "literal": {
      const { val, literal } = expression;
      const value = sqlValue(literal === "number" ? integerOf(val) : val);
      return () => value;
    }
    case "unary":
      return expression.op === "not" ? negate(compile(expression.arg)) : opposite(compile(expression.arg));
    case "arithmetic":
      return binary(
        expression.op,
        [compile(expression.left), compile(expression.right)],
        expression.type === "cds.Double" ? DOUBLE_OPERATORS : OPERATORS,
      );
    case "comparison":
      return binary(SAME[expression.op] ?? expression.op, [
        compile(expression.left),
        compile(expression.right),
      ]);
    case "joined":
      return expression.args.map(compile).reduce((left, right) => binary(expression.op, [left, right]));
    case "in":
      return negated(expression, isIn(compile(expression.left), membersOf(compiler, expression)));
    case "like":
      return negated(
        expression,
        compileLike(
          [expression.left, expression.pattern, expression.escape].map((one) => one && compile(one)),
        ),
      );
    case "between":
      return negated(expression, between([expression.left, expression.low, expression.high].map(compile)));
    case "case":
      return compileCase(expression, compile);
    case "exists": {
      const { rows } = compiler.query(expression.arg as Extract<Expr, { kind: "select" }>); // lowered paths are queries
      return (env, run) => toFlag(rows(env, run).length > 0);
    }
  }
  throw new TypeError("An enum symbol has no value here");
}

/** Operators that `is` stands for. */
const SAME: Readonly<Record<string, string>> = { "is": "==", "is not": "!=" };

function binary(
  word: string,
  [left, right]: readonly [Evaluate, Evaluate],
  operators: typeof OPERATORS = OPERATORS,
): Evaluate {
  const operator = operators[word]!;
  return (env, run) => operator(left(env, run), () => right(env, run));
}

function opposite(operand: Evaluate): Evaluate {
  return (env, run) => {
    const value = operand(env, run);
    return value === null ? null : -toNumber(value) || 0; // zero has no sign
  };
}

function negate(operand: Evaluate): Evaluate {
  return (env, run) => {
    const value = truth(operand(env, run));
    return value === null ? null : toFlag(!value);
  };
}

function negated(expression: { readonly negated: boolean }, test: Evaluate): Evaluate {
  return expression.negated ? negate(test) : test;
}

function compileLike([left, pattern, escape]: readonly (Evaluate | undefined)[]): Evaluate {
  return (env, run) => like(left!(env, run), pattern!(env, run), ...(escape ? [escape(env, run)] : []));
}

function between([value, low, high]: readonly Evaluate[]): Evaluate {
  return (env, run) => {
    const given = value!(env, run);
    const atLeast = OPERATORS[">="](given, () => low!(env, run));
    return OPERATORS.and(atLeast, () => OPERATORS["<="](given, () => high!(env, run)));
  };
}

function compileCase(
  { subject: given, branches: all, otherwise: rest }: Case,
  compile: (one: Expr) => Evaluate,
): Evaluate {
  const subject = given && compile(given);
  const branches = all.map(({ when, then }) => ({ when: compile(when), then: compile(then) }));
  const otherwise: Evaluate = rest ? compile(rest) : () => null;
  return (env, run) => {
    const value = subject?.(env, run);
    const found = branches.find(({ when }) => {
      const tested = when(env, run);
      if (!subject) return truth(tested) === true;
      return value !== null && tested !== null && compare(value, tested) === 0;
    });
    return (found?.then ?? otherwise)(env, run);
  };
}

type Members = (env: Env, run: Run) => readonly unknown[];

/** The right side of `in` as function that gives a list. */
function membersOf(compiler: Compiler, { right }: Membership): Members {
  if (right.kind === "select" || right.kind === "set") {
    const { columns, rows } = compiler.query(right);
    return (env, run) =>
      rows(env, run).map((row) => columns.length > 1 ? columns.map((name) => row[name]) : row[columns[0]!]);
  }
  if (right.kind === "call" && right.func === "$values") {
    const lists = right.args as readonly Expr[];
    return (_env, run) =>
      lists.flatMap((list) => {
        if (list.kind === "literal") return listOf(list.val, undefined);
        return isBound(list) ? listOf(givenValue(list, run), list.form) : [];
      });
  }
  const evaluate = compiler.expression(right);
  return (env, run) => [evaluate(env, run)].flat();
}

function isIn(left: Evaluate, list: Members): Evaluate {
  return (env, run) => {
    const value = left(env, run);
    let unknown = false;
    for (const item of list(env, run)) {
      const same = isEqual(value, item);
      if (same === true) return 1;
      if (same === null) unknown = true;
    }
    return unknown ? null : 0;
  };
}

function isEqual(left: unknown, right: unknown): boolean | null {
  if (Array.isArray(left) && Array.isArray(right)) {
    const parts = left.map((value, index) => isEqual(value, right[index]));
    return parts.includes(false) ? false : parts.includes(null) ? null : true;
  }
  if (left === null || right === null) return null;
  return compare(left, right) === 0;
}

function compileCast({ cast: { type } }: Cast, evaluate: Evaluate): Evaluate {
  const convert = typeof type === "string" ? CASTS[type] : undefined;
  if (!convert) return evaluate;
  return (env, run) => {
    const value = evaluate(env, run);
    return value === null ? null : convert(value);
  };
}

function compileBound(expression: Parameter | Variable): Evaluate {
  const { form } = expression;
  const variable = expression.kind === "variable" ? expression.path : undefined;
  return (_env, run) => boundValue(onlyValue(givenValue(expression, run), variable), form);
}

function compileReference({ ref }: Reference): Evaluate {
  const [alias, column] = ref.map(stepName);
  if (column === undefined) return (env) => env[alias!] ?? null;
  return (env) => (env[alias!] as Row | null)?.[column] ?? null;
}

/** The value of a parameter or pseudo variable. */
function givenValue(expression: Parameter | Variable, { params, context }: Run): unknown {
  return expression.kind === "parameter"
    ? params[expression.name]
    : contextVariable(expression.path, context);
}

function compileCall(compiler: Compiler, call: Call): Evaluate {
  const name = call.func.toLowerCase();
  const given = call.args ?? [];
  if (call.over) return (env) => windowValue(call, env);
  if (call.distinct || call.orderBy) throw unsupported(`"distinct" and "order by" in "${name}"`);
  if (name === "now" && given.length === 0) return compileBound({ kind: "variable", path: ["$now"] });
  const args = given.filter((arg) => arg !== "*").map(compiler.expression);
  if (name === "$joined" || name === "$joined_rows") return compileJoined(args, name === "$joined_rows");
  if (name === "$json_array") return compileArray(compiler, given as readonly Expr[]);
  if (isAggregate(call)) return compileAggregate(aggregateOf(call)!, args[0]); // `$json_array` is done
  if (name === "$filtered") return compileFiltered(compiler, given as readonly Expr[]);
  if (name === "$any" || name === "$count" || name === "$next") return compileMembers(name, args, given[2]);
  const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!run) throw unknownFunction(name);
  const [first] = given;
  if (name === "$nested" && typeof first === "object" && isBound(first)) args[0] = compileJson(first);
  if (args.length === 1) return (env, of) => run(args[0]!(env, of)) ?? null;
  return (env, of) => run(...args.map((evaluate) => evaluate(env, of))) ?? null;
}

/** A text that is not made where it would be too long, or where those of many rows would be. */
function compileJoined([text, length, most]: readonly Evaluate[], isKept: boolean): Evaluate {
  return (env, run) => {
    const limit = Number(most!(env, run));
    const characters = Number(length!(env, run));
    if (characters > limit) throw computedTooLong(limit);
    if (isKept) run.joined.take(characters);
    return text!(env, run);
  };
}

/** JSON in a parameter: it is parsed once. */
function compileJson(parameter: Parameter | Variable): Evaluate {
  const evaluate = compileBound(parameter);
  return (env, run) => {
    if (!run.parsed.has(parameter)) run.parsed.set(parameter, fromJson(evaluate(env, run)));
    return run.parsed.get(parameter);
  };
}

function compileAggregate(create: () => Aggregate, argument: Evaluate | undefined): Evaluate {
  return (env, run) => {
    const aggregate = create();
    for (const member of env.$group as readonly Env[]) {
      const value = argument?.(member, run);
      if (value !== null) aggregate.add(value);
    }
    return aggregate.value;
  };
}

/** `$json_array(row, order)`. */
function compileArray(compiler: Compiler, [row, order]: readonly Expr[]): Evaluate {
  const evaluate = compiler.expression(row!);
  const sort = sorting(compiler, order?.kind === "list" ? order.list : undefined);
  return ({ $group }, run) => {
    const group = $group as readonly Env[];
    return (sort ? sort(group, run) : group).map((member) => evaluate(member, run));
  };
}

function integer(value: unknown): unknown {
  const number = toNumber(value);
  return exactInteger(typeof number === "bigint" ? number : Math.trunc(number));
}

const CASTS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "cds.UInt8": integer,
  "cds.Int16": integer,
  "cds.Int32": integer,
  "cds.Integer": integer,
  "cds.Int64": integer,
  "cds.Integer64": integer,
  "cds.Decimal": toNumber,
  "cds.Double": (value) => Number(toNumber(value)),
  "cds.String": String,
  "cds.LargeString": String,
  "cds.UUID": String,
};

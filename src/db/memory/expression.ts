/**
 * Lowered expressions as functions of the rows at hand.
 *
 * @module
 */

import type {
  CastType,
  Expression,
  FunctionExpression,
  OrderTerm,
  RefExpression,
  Row,
} from "../../cqn/cqn.ts";
import { contextVariable } from "../context_variable.ts";
import { boundValue, onlyValue } from "../bind_values.ts";
import { isBound } from "../passes/references.ts";
import { stepName } from "../passes/scope.ts";
import type { FormedReference } from "../passes/stored_form.ts";
import { computedTooLong } from "../computed_too_long.ts";
import { unknownFunction } from "../unknown_function.ts";
import { sqlValue } from "../write/sql_value.ts";
import { AGGREGATES, isAggregate } from "./aggregates.ts";
import { compileFiltered, compileMembers } from "./members.ts";
import type { Aliases, Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { fromJson, FUNCTIONS } from "./functions.ts";
import { sorting } from "./sorting.ts";
import { exactInteger, integerOf, toNumber } from "./values.ts";
import { windowValue } from "./windows.ts";

/**
 * Compiles an expression.
 *
 * @param compiler the steps of compiling
 * @param expression a lowered expression
 * @param aliases the sources in reach
 * @throws ServiceError 501 for functions there are not
 */
export function compileExpression(compiler: Compiler, expression: Expression, aliases: Aliases): Evaluate {
  const evaluate = compilePlain(compiler, expression, aliases);
  const { cast } = expression as { readonly cast?: CastType };
  const convert = typeof cast?.type === "string" ? CASTS[cast.type] : undefined;
  if (!convert) return evaluate;
  return (env, run) => {
    const value = evaluate(env, run);
    return value === null ? null : convert(value);
  };
}

function compilePlain(compiler: Compiler, expression: Expression, aliases: Aliases): Evaluate {
  if ("SELECT" in expression || "SET" in expression) {
    const { columns: [first], rows } = compiler.query(expression, aliases);
    return (env, run) => rows(env, run)[0]?.[first] ?? null;
  }
  if ("ref" in expression) return compileRef(expression);
  if ("func" in expression) return compileCall(compiler, expression, aliases);
  if ("xpr" in expression) return compiler.xo(expression.xpr, aliases);
  if ("list" in expression) {
    const items = expression.list.map((item) => compiler.expression(item, aliases));
    return (env, run) => items.map((item) => item(env, run));
  }
  if ("val" in expression) {
    const { val, literal } = expression;
    const value = sqlValue(literal === "number" ? integerOf(val) : val);
    return () => value;
  }
  throw new TypeError("An enum symbol has no value here");
}

function compileRef(expression: RefExpression): Evaluate {
  if (isBound(expression)) {
    const { form } = expression as FormedReference;
    const variable = expression.param ? undefined : expression.ref.map(stepName);
    return (_env, run) => boundValue(onlyValue(givenValue(expression, run), variable), form);
  }
  const [alias, column] = expression.ref.map(stepName);
  if (column === undefined) return (env) => env[alias] ?? null;
  return (env) => (env[alias] as Row | null)?.[column] ?? null;
}

/**
 * The value of a parameter or pseudo variable.
 *
 * @param expression the reference
 * @param run has the values
 */
export function givenValue({ ref, param }: RefExpression, { params, context }: Run): unknown {
  return param ? params[stepName(ref[0])] : contextVariable(ref.map(stepName), context);
}

function compileCall(compiler: Compiler, call: FunctionExpression, aliases: Aliases): Evaluate {
  const name = call.func.toLowerCase();
  const given = (call.args ?? []) as readonly (Expression | "*")[];
  if (call.xpr) return (env) => windowValue(call, env);
  if (name === "now" && given.length === 0) return compileRef({ ref: ["$now"] });
  const args = given.filter((arg) => arg !== "*").map((arg) => compiler.expression(arg, aliases));
  if (name === "$joined" || name === "$joined_rows") return compileJoined(args, name === "$joined_rows");
  if (name === "$json_array") return compileArray(compiler, given as readonly Expression[], aliases);
  if (isAggregate(call)) return compileAggregate(name, args[0]);
  if (name === "$filtered") return compileFiltered(compiler, given as readonly Expression[], aliases);
  if (name === "$any" || name === "$count" || name === "$next") return compileMembers(name, args, given[2]);
  const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!run) throw unknownFunction(name);
  const [first] = given;
  if (name === "$nested" && typeof first === "object" && "ref" in first && isBound(first)) {
    args[0] = compileJson(first);
  }
  if (args.length === 1) return (env, of) => run(args[0](env, of)) ?? null;
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
function compileJson(parameter: RefExpression): Evaluate {
  const evaluate = compileRef(parameter);
  return (env, run) => {
    if (!run.parsed.has(parameter)) run.parsed.set(parameter, fromJson(evaluate(env, run)));
    return run.parsed.get(parameter);
  };
}

function compileAggregate(name: string, argument: Evaluate | undefined): Evaluate {
  const create = AGGREGATES[name];
  return (env, run) => {
    const aggregate = create();
    for (const member of env.$group as readonly Env[]) {
      const value = argument ? argument(member, run) : 1;
      if (value !== null) aggregate.add(value);
    }
    return aggregate.value;
  };
}

/** `$json_array(row, order)`. */
function compileArray(compiler: Compiler, [row, order]: readonly Expression[], aliases: Aliases): Evaluate {
  const evaluate = compiler.expression(row, aliases);
  const terms = order && "list" in order ? order.list as readonly OrderTerm[] : undefined;
  const sort = sorting(compiler, terms, aliases);
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
  "cds.Double": toNumber,
  "cds.String": String,
  "cds.LargeString": String,
  "cds.UUID": String,
};

/**
 * Calls of canonical functions → CXN functions (OData 4.01 Part 2, section 5.1.1.5 and following).
 *
 * @module
 */

import { boundedPattern } from "../../../util/bounded_pattern.ts";
import type { CommonExpr, MethodCallExpr } from "../../url/ast.ts";
import type { LiteralScalar, ValueType } from "./literal_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planGeo } from "./plan_geo.ts";
import { resolveAlias } from "./resolve_alias.ts";
import {
  BOOLEAN,
  DECIMAL,
  DURATION,
  groupOf,
  INTEGER,
  type Scope,
  STRING,
  TIMESTAMP,
  type Typed,
  type TypeGroup,
} from "../scope.ts";

interface Signature {
  /** Group of each argument; the type its literals take. */
  readonly args: readonly (readonly [readonly TypeGroup[], ValueType | undefined])[];
  /** Undefined: the type of the first argument. */
  readonly result?: ValueType;
}

const TEXT = [["text"], STRING] as const;
/** Engines that need not look at a pattern refuse it as well. */
const PATTERN = [["text"], {
  ...STRING,
  refuses: (value: LiteralScalar) => {
    const compiled = boundedPattern(String(value));
    return "reason" in compiled ? `The pattern of matchesPattern ${compiled.reason}` : undefined;
  },
}] as const;
const WHOLE = [["number"], INTEGER] as const;
const NUMBER = [["number"], DECIMAL] as const;
const INSTANT = [["instant"], undefined] as const;
const CLOCK = [["instant", "time"], undefined] as const;

const DURATIONS = [["duration"], DURATION] as const;

const SIGNATURES: Readonly<Record<string, Signature>> = {
  contains: { args: [TEXT, TEXT], result: BOOLEAN },
  startswith: { args: [TEXT, TEXT], result: BOOLEAN },
  endswith: { args: [TEXT, TEXT], result: BOOLEAN },
  matchesPattern: { args: [TEXT, PATTERN], result: BOOLEAN },
  concat: { args: [TEXT, TEXT], result: STRING },
  indexof: { args: [TEXT, TEXT], result: INTEGER },
  length: { args: [TEXT], result: INTEGER },
  substring: { args: [TEXT, WHOLE, WHOLE], result: STRING },
  tolower: { args: [TEXT], result: STRING },
  toupper: { args: [TEXT], result: STRING },
  trim: { args: [TEXT], result: STRING },
  year: { args: [INSTANT], result: INTEGER },
  month: { args: [INSTANT], result: INTEGER },
  day: { args: [INSTANT], result: INTEGER },
  hour: { args: [CLOCK], result: INTEGER },
  minute: { args: [CLOCK], result: INTEGER },
  second: { args: [CLOCK], result: INTEGER },
  fractionalseconds: { args: [CLOCK], result: DECIMAL },
  date: { args: [INSTANT], result: { builtin: "cds.Date" } },
  time: { args: [INSTANT], result: { builtin: "cds.Time" } },
  now: { args: [], result: TIMESTAMP },
  totalseconds: { args: [DURATIONS], result: DECIMAL },
  round: { args: [NUMBER] },
  floor: { args: [NUMBER] },
  ceiling: { args: [NUMBER] },
};

/** Plans an argument; handed in, because expressions contain calls and calls contain expressions. */
export type PlanArgument = (expr: CommonExpr, scope: Scope, hint?: ValueType) => Typed;

/**
 * Plans a call.
 *
 * @param call the call
 * @param scope what names refer to
 * @param planArgument plans an argument
 * @returns the call with the type of its result
 */
export function planFunction(call: MethodCallExpr, scope: Scope, planArgument: PlanArgument): Typed {
  const { name, offset } = call;
  if (name === "mindatetime") {
    return { expr: { val: "0001-01-01T00:00:00.000Z" }, type: TIMESTAMP, nullable: false };
  }
  if (name === "maxdatetime") {
    return { expr: { val: "9999-12-31T23:59:59.999Z" }, type: TIMESTAMP, nullable: false };
  }
  if (name === "totaloffsetminutes") return totalOffsetMinutes(planArgument(call.args[0], scope));
  if (name.startsWith("geo.")) return planGeo(call, scope, planArgument);
  const signature = SIGNATURES[name];
  if (signature === undefined) throw notImplemented(`The function "${name}"`, offset);
  const args = call.args.map((arg, index) => {
    const [groups, hint] = signature.args[index];
    const value = planArgument(arg, scope, hint);
    if (hint === INTEGER) assertWhole(arg, scope);
    const group = groupOf(value.type);
    const isKnown = group !== undefined || (arg.kind === "primitiveLiteral" && !isNull(value));
    if (isKnown && !groups.some((one) => one === (group ?? "text"))) {
      throw badRequest(`The function "${name}" does not take an argument of this type`, arg.offset);
    }
    return value;
  });
  // a function of null is null
  if (args.some(isNull)) {
    const result = signature.result ?? args[0].type;
    return { expr: { val: null }, nullable: true, ...(result && { type: result }) };
  }
  // durations are seconds
  if (name === "totalseconds") return { ...args[0], type: DECIMAL };
  const type = signature.result ?? args[0].type;
  return {
    expr: { func: name.toLowerCase(), args: args.map(({ expr }) => expr) },
    ...(type === undefined ? {} : { type }),
    nullable: args.some(({ nullable }) => nullable),
  };
}

function isNull({ expr }: Typed): boolean {
  return "val" in expr && expr.val === null;
}

/** Positions are whole numbers. */
function assertWhole(arg: CommonExpr, scope: Scope): void {
  const literal = resolveAlias(arg, scope);
  if (literal.kind !== "primitiveLiteral" || literal.value === null) return;
  if (!Number.isInteger(Number(literal.value))) throw badRequest("A whole number is expected", arg.offset);
}

/** Instants are kept in UTC. */
function totalOffsetMinutes({ expr, nullable }: Typed): Typed {
  const zero = { val: 0 };
  if (!nullable) return { expr: zero, type: INTEGER, nullable };
  return {
    expr: { xpr: ["case", "when", expr, "!=", { val: null }, "then", zero, "end"] },
    type: INTEGER,
    nullable,
  };
}

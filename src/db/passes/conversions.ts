import { call, cast, compare, isBound, literal, NULL, numeral } from "../../algebra/build.ts";
import type { Arithmetic, ArithmeticOperator, Call, Cast, Expr, Literal, Unary } from "../../algebra/tree.ts";
import { INTEGER_TYPES, NUMBER_TYPES } from "../../model/builtin_types.ts";
import { TEXT_FORMS, textFormFunction, WHOLE_RANGES } from "../../model/values/text_forms.ts";
import type { Scalar } from "../../cqn/cqn.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { comparedValue } from "../bind_values.ts";
import { isText, numberKind, typeOfNumbers, widest } from "./value_type.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";
import { functionRow } from "../../algebra/functions.ts";
import { someOf } from "../../algebra/walk_tree.ts";
import type { Lowering, Scope } from "./scope.ts";

/** Functions that give the text which a value has on all databases, by type. */
const TEXTS: Readonly<Record<string, string | undefined>> = {
  "cds.Decimal": "$decimal_text",
  "cds.DecimalFloat": "$decimal_text",
  "cds.Boolean": "$boolean_text",
  "cds.DateTime": "$datetime_text",
  "cds.Timestamp": "$timestamp_text",
  "cds.Date": "$plain_text",
  "cds.Time": "$plain_text",
};

/** A lowered value as it is joined with texts. */
export function asText(value: Expr): Expr {
  if (value.kind === "literal" && typeof value.val !== "boolean") {
    const isNumber = typeof value.val === "number" || typeof value.val === "bigint";
    return isNumber ? literal(plainDecimal(String(value.val))) : value;
  }
  if (value.kind === "parameter") return value;
  const func = numberKind(value) === "whole"
    ? "$plain_text"
    : value.type === undefined
    ? undefined
    : TEXTS[value.type];
  return func === undefined ? value : call(func, [value], { type: "cds.String" });
}

/** Functions by the types that they convert from and to. */
const CONVERSIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "cds.Timestamp": { "cds.Date": "date", "cds.Time": "time", "cds.DateTime": "$datetime_of_timestamp" },
  "cds.DateTime": { "cds.Date": "date", "cds.Time": "time", "cds.Timestamp": "$timestamp_of_datetime" },
  "cds.Date": { "cds.Timestamp": "$timestamp_of_date", "cds.DateTime": "$datetime_of_date" },
};
/** The bounds between which numbers of 64 bits are; a number does not hold the last one. */
export const BEYOND_INT64 = ["-9223372036854775809", "9223372036854775808"] as const;
const TRUTH: readonly (readonly [text: string, value: boolean])[] = [
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
];

/** A lowered value as one of a built-in type. */
export function castTo(value: Expr, type: string): Cast {
  return castValue(cast(value, { type }));
}

/** A cast of a lowered value. */
export function castValue(given: Cast): Cast {
  const { arg, cast: { type } } = given;
  return typeof type === "string" ? { ...given, arg: valueOf(arg, type) } : given;
}

function valueOf(value: Expr, type: string): Expr {
  if (isBound(value)) return isTemporal(type) ? { ...value, form: { type } } : value;
  if (isText(type)) return asText(value);
  const isTextual = value.kind === "literal" && (typeof value.val === "string" || value.val instanceof Date);
  return isTextual ? literalOf(value, type) : converted(value, type);
}

/** A literal text as a value of another type. */
function literalOf(value: Literal, type: string): Expr {
  const isNumber = value.literal === "number";
  if (isNumber || !(isTemporal(type) || type === "cds.Boolean" || NUMBER_TYPES.has(type))) {
    return converted(isNumber ? value : { ...value, type: undefined }, type);
  }
  try {
    return { ...literal(comparedValue(value.val, { type }) as Scalar), type };
  } catch {
    return NULL;
  }
}

/** A lowered value as one of another type, without the cast. */
export function converted(value: Expr, to: string): Expr {
  const from = value.type;
  if (from === to || from === undefined && !INTEGER_TYPES.has(to)) return value;
  if (from === "cds.Boolean" && NUMBER_TYPES.has(to)) return call("$flag_number", [value]);
  if (INTEGER_TYPES.has(to)) return wholeOf(value, to);
  if (isTextual(from)) return ofText(value, to);
  if (isTemporal(from) || isTemporal(to)) {
    const func = CONVERSIONS[from!]?.[to];
    return func ? call(func, [value], { type: to }) : NULL;
  }
  if (to === "cds.Boolean" && NUMBER_TYPES.has(from)) return compare(value, "<>", numeral(0));
  return value;
}

function wholeOf(value: Expr, to: string): Expr {
  const from = value.type;
  if (isTemporal(from)) return NULL;
  if (isTextual(from)) return ofText(value, to); // not too many digits
  const range = WHOLE_RANGES[to];
  if (INTEGER_TYPES.has(from) && (!range || isWithin(WHOLE_RANGES[from!], range))) return value;
  const [below, above] = range ? [String(range[0] - 1), String(range[1] + 1)] : BEYOND_INT64;
  return call("$whole", [value, numeral(below), numeral(above)]);
}

function isTextual(type: string | undefined): boolean {
  return isText(type) || type === "cds.UUID";
}

function isWithin(inner: readonly [number, number] | undefined, outer: readonly [number, number]): boolean {
  return inner !== undefined && inner[0] >= outer[0] && inner[1] <= outer[1];
}

function ofText(value: Expr, to: string): Expr {
  if (to === "cds.Boolean") {
    const branches = TRUTH.map(([form, val]) => ({ when: literal(form), then: literal(val) }));
    return { kind: "case", subject: call("lower", [value]), branches, type: to };
  }
  return Object.hasOwn(TEXT_FORMS, to) ? call(textFormFunction(to), [value], { type: to }) : value;
}

/** Whether an operand is null whatever the row: databases do not know its type. */
export function isNullLiteral(operand: Expr): boolean {
  return operand.kind === "literal" && operand.val === null;
}

/** Functions that lose no digit of decimals. */
const EXACT = { "+": "$decimal_add", "-": "$decimal_sub", "*": "$decimal_mul" } as const;

/** Where an expression stands. */
export interface Place {
  readonly lowering: Lowering;
  readonly scope: Scope;
}

/** A calculation or a sign, lowered. */
export function lowerCalculation(given: Arithmetic | Unary, place: Place): Expr {
  return exact(step(given, place));
}

/** One step, whose decimals have not yet their last digits. */
function step(given: Expr, place: Place): Expr {
  if (given.kind === "arithmetic") {
    return calculated(given.op, [step(given.left, place), step(given.right, place)]);
  }
  if (given.kind !== "unary" || given.op !== "-") return place.lowering.expression(given, place.scope);
  const arg = step(given.arg, place);
  if (isNullLiteral(arg)) return NULL;
  return { kind: "unary", op: "-", arg: mayBeWhole(arg) ? wide(arg) : arg, type: typeOfNumbers([arg]) };
}

function calculated(op: ArithmeticOperator, sides: readonly [Expr, Expr]): Expr {
  if (sides.some(isNullLiteral)) return NULL;
  const type = typeOfNumbers(sides);
  if (op === "/") return quotient(sides);
  if (type === "cds.Decimal") return call(EXACT[op], sides);
  const [left, right] = sides.map(sides.every(mayBeWhole) ? wide : exact);
  return { kind: "arithmetic", op, left: left!, right: right!, type };
}

function quotient(sides: readonly [Expr, Expr]): Expr {
  const type = typeOfNumbers(sides);
  const kind = widest(sides);
  if (kind !== "unknown") return call(kind === "whole" ? "div" : "divby", sides, { type });
  const [left, right] = sides;
  const divisor = call("nullif", [right, numeral(0)], { type: right.type });
  return { kind: "arithmetic", op: "/", left, right: divisor, type };
}

const STEPS: ReadonlySet<string> = new Set([...Object.values(EXACT), "divby"]);

/** A result with the digits that count. Quotients have no last digit, so that what is calculated of them is rounded. */
function exact(value: Expr): Expr {
  const isStep = value.kind === "call" && value.type === "cds.Decimal" && STEPS.has(value.func);
  const isSigned = value.kind === "unary" && numberKind(value) === "decimal" &&
    exact(value.arg) !== value.arg;
  return isStep || isSigned ? call(someOf(value, isQuotient) ? "$decimal" : "$exact", [value]) : value;
}

function isQuotient(value: Expr): boolean {
  if (value.kind !== "call") return value.kind === "arithmetic" && value.op === "/";
  return value.func === "div" || value.func === "divby" || functionRow(value.func)?.isRounded === true;
}

/** Aggregates of decimals, of which no digit is lost on the way. */
const RESULTS: Readonly<Record<string, string>> = {
  sum: "$decimal_sum",
  avg: "$decimal_avg",
  average: "$decimal_avg",
};

/** Sums and averages of decimals: a lowered call, or the decimal that it stands for. */
export function decimalAggregate(given: Call): Call {
  const [arg] = given.args ?? [];
  if (!Object.hasOwn(RESULTS, given.func) || typeof arg !== "object" || numberKind(arg) !== "decimal") {
    return given;
  }
  const func = RESULTS[given.func]!;
  const aggregate: Call = { ...given, func, type: "cds.Decimal" };
  return call(someOf(aggregate, isQuotient) ? "$decimal" : "$exact", [aggregate]);
}

/** Whole numbers, and parameters, of which it is known only when the query is written. */
function mayBeWhole(value: Expr): boolean {
  if (value.kind === "parameter" || numberKind(value) === "whole") return true;
  if (value.kind === "unary") return value.arg.wide === true;
  return value.kind === "arithmetic" && value.left.wide === true && value.right.wide === true;
}

/** Marks a whole number: calculations with it have 64 bits, also where a database has smaller integers. */
function wide(value: Expr): Expr {
  return { ...value, wide: true };
}

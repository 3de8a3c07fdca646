/**
 * Casts as all databases carry them out: numbers lose fractions, instants and days become one another, and values that
 * the other type does not have become null.
 *
 * @module
 */

import type { CastType, Expression, ValueExpression } from "../../cqn/cqn.ts";
import { INTEGER_TYPES, NUMBER_TYPES } from "../../model/builtin_types.ts";
import { TEXT_FORMS, textFormFunction, WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { comparedValue } from "../compared_value.ts";
import type { TokenPlace } from "./arithmetic.ts";
import { asText } from "./as_text.ts";
import { callOf } from "./cast_whole.ts";
import { isBound } from "./references.ts";
import type { FormedReference } from "./stored_form.ts";
import { isText } from "./type_of.ts";
import { builtinOf } from "./value_type.ts";

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

/**
 * A lowered expression with a cast.
 *
 * @param given the expression with its cast, not lowered
 * @param lowered the same, lowered, with its cast
 * @param place what its names refer to
 */
export function castValue(given: Expression, lowered: Expression, place: TokenPlace): Expression {
  const { cast, ...plain } = given as Expression & { readonly cast?: CastType };
  const type = cast?.type;
  if (typeof type !== "string") return lowered;
  if (isBound(given)) return isTemporal(type) ? { ...lowered, form: { type } } as FormedReference : lowered;
  if (isText(type)) {
    const { cast: _cast, ...bare } = lowered as Expression & { readonly cast?: CastType };
    const text = asText(plain as Expression, bare as Expression, place);
    return text === bare ? lowered : { ...text, ...besideOf(lowered) };
  }
  const from = builtinOf(plain as Expression, place);
  if ("val" in plain && (typeof plain.val === "string" || plain.val instanceof Date)) {
    return literalOf(plain, lowered, type);
  }
  return converted(lowered, { from, to: type });
}

/** What stands beside an expression. */
function besideOf(lowered: Expression): object {
  const { cast, as, sort, nulls } = lowered as {
    cast?: unknown;
    as?: unknown;
    sort?: unknown;
    nulls?: unknown;
  };
  return {
    ...(cast !== undefined && { cast }),
    ...(as !== undefined && { as }),
    ...(sort !== undefined && { sort }),
    ...(nulls !== undefined && { nulls }),
  };
}

/** A literal text as a value of another type. */
function literalOf({ val, literal }: ValueExpression, lowered: Expression, type: string): Expression {
  if (literal === "number" || !(isTemporal(type) || type === "cds.Boolean" || NUMBER_TYPES.has(type))) {
    return converted(lowered, { from: literal === "number" ? "cds.Decimal" : undefined, to: type });
  }
  try {
    const { literal: _literal, ...others } = lowered as ValueExpression;
    return { ...others, val: comparedValue(val, { type }) as ValueExpression["val"] };
  } catch {
    return { ...lowered, val: null } as Expression;
  }
}

/** Both types, the first one if it is known. */
interface Conversion {
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * A lowered value as one of another type; alias, sort order and cast stay beside it.
 *
 * @param lowered the value
 * @param types its type and the other one
 */
export function converted(lowered: Expression, { from, to }: Conversion): Expression {
  if (from === to || from === undefined && !INTEGER_TYPES.has(to)) return lowered;
  if (INTEGER_TYPES.has(to)) return wholeOf(lowered, { from, to });
  if (isTextual(from)) return ofText(lowered, to);
  if (from === "cds.Boolean" && NUMBER_TYPES.has(to)) return callOf("$flag_number", lowered);
  if (isTemporal(from) || isTemporal(to)) {
    const func = CONVERSIONS[from!]?.[to];
    return func ? callOf(func, lowered) : noValue(lowered);
  }
  if (to === "cds.Boolean" && NUMBER_TYPES.has(from)) {
    return around(lowered, (value) => ({ xpr: [value, "<>", { val: 0, literal: "number" }] }));
  }
  return lowered;
}

function wholeOf(lowered: Expression, { from, to }: Conversion): Expression {
  if (from === "cds.Boolean") return lowered;
  if (isTemporal(from)) return noValue(lowered);
  if (isTextual(from)) return ofText(lowered, to); // not too many digits
  const range = WHOLE_RANGES[to];
  if (INTEGER_TYPES.has(from) && (!range || isWithin(WHOLE_RANGES[from!], range))) return lowered;
  const [below, above] = range ? [String(range[0] - 1), String(range[1] + 1)] : BEYOND_INT64;
  return around(lowered, (number) => ({ func: "$whole", args: [number, numeral(below), numeral(above)] }));
}

function isTextual(type: string | undefined): boolean {
  return isText(type) || type === "cds.UUID";
}

function isWithin(inner: readonly [number, number] | undefined, outer: readonly [number, number]): boolean {
  return inner !== undefined && inner[0] >= outer[0] && inner[1] <= outer[1];
}

function numeral(val: string): Expression {
  return { val, literal: "number" };
}

function ofText(lowered: Expression, to: string): Expression {
  if (to === "cds.Boolean") {
    return around(lowered, (text) => ({
      xpr: [
        "case",
        { func: "lower", args: [text] },
        ...TRUTH.flatMap(([form, val]) => ["when", { val: form }, "then", { val }]),
        "end",
      ],
    }));
  }
  if (!Object.hasOwn(TEXT_FORMS, to)) return lowered;
  return around(lowered, (text) => ({ func: textFormFunction(to), args: [text] }));
}

/** Something made of a value; alias, sort order and cast stay beside it. */
function around(lowered: Expression, make: (value: Expression) => Expression): Expression {
  const { cast: _cast, as: _as, sort: _sort, nulls: _nulls, ...plain } = lowered as unknown as Record<
    string,
    unknown
  >;
  return { ...make(plain as unknown as Expression), ...besideOf(lowered) };
}

function noValue(lowered: Expression): Expression {
  return around(lowered, () => ({ val: null }));
}

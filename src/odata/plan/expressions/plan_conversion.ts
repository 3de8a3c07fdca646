/**
 * Conversions of `cast` (OData 4.01 Part 2, section 5.1.1.10.1): what cannot be converted is null.
 *
 * @module
 */

import type { Expression, Xo } from "../../../cqn/cqn.ts";
import { TEXT_FORMS, WHOLE_RANGES } from "../../../model/values/text_forms.ts";
import { groupOf, type Typed } from "../scope.ts";

/** Types whose stored values are their text. */
const WITH_TEXT: ReadonlySet<string> = new Set([
  "cds.Date",
  "cds.String",
  "cds.Time",
  "cds.UUID",
]);

const INSTANTS: ReadonlySet<string> = new Set(["cds.DateTime", "cds.Timestamp"]);

/** Functions that write values as the other engines keep them. */
const TEXTS: Readonly<Record<string, string>> = {
  "cds.Decimal": "$decimal_text",
  "cds.Double": "$decimal_text",
  "cds.Int16": "$integer_text",
  "cds.Int32": "$integer_text",
  "cds.Int64": "$integer_text",
  "cds.UInt8": "$integer_text",
  "cds.Timestamp": "$timestamp_text",
};

/** Both types, in the form of the built-in ones. */
export interface Conversion {
  readonly from: string;
  readonly to: string;
}

/**
 * A value as one of another type.
 *
 * @param value the value
 * @param types its type and the other one, which is not the same
 * @returns the expression; null where there is no conversion
 */
export function converted(value: Typed, { from, to }: Conversion): Typed {
  const type = { builtin: to };
  const { expr } = value;
  const typed = (converted: Expression, nullable = value.nullable): Typed => ({
    expr: converted,
    type,
    nullable,
  });
  const cast = (inner: Expression): Expression => ({ xpr: [inner], cast: { type: to } }) as Expression; // a cast may stand beside
  if (groupOf(value.type) === "number" && groupOf(type) === "number") {
    const range = WHOLE_RANGES[to];
    if (range) return typed(whole(expr, range), true);
    return typed(to === "cds.Int64" ? cast({ func: "$trunc", args: [expr] }) : cast(expr));
  }
  if (to === "cds.String" && TEXTS[from]) return typed({ func: TEXTS[from], args: [expr] });
  if (to === "cds.String" && WITH_TEXT.has(from)) return typed(cast(expr));
  if (to === "cds.String" && from === "cds.Boolean") return typed(choose([expr, "true", "false"]), true);
  if (from === "cds.Timestamp" && (to === "cds.Date" || to === "cds.Time")) {
    return typed({ func: to === "cds.Date" ? "date" : "time", args: [expr] });
  }
  if (from === "cds.Date" && to === "cds.Timestamp") {
    return typed({ func: "$shift_timestamp", args: [expr, { val: 0, literal: "number" }] });
  }
  const form = INSTANTS.has(to) ? undefined : TEXT_FORMS[to];
  if (from === "cds.String" && form !== undefined) {
    // a parameter is told to be a text, not what it is converted to
    const text = { xpr: [expr], cast: { type: "cds.String" } } as Expression;
    return typed(cast(text), true);
  }
  if (from === "cds.String" && to === "cds.Boolean") {
    const is = (text: string): Xo[] => ["when", expr, "=", { val: text }, "then", { val: text === "true" }];
    return typed({ xpr: ["case", ...is("true"), ...is("false"), "end"] }, true);
  }
  return typed({ val: null }, true);
}

/** What is cut to a whole number and out of its range is null. */
function whole(expr: Expression, [first, last]: readonly [number, number]): Expression {
  const numeral = (val: number): Expression => ({ val, literal: "number" });
  return { func: "$whole", args: [expr, numeral(first - 1), numeral(last + 1)] };
}

function choose([condition, yes, no]: readonly [Expression, string, string]): Expression {
  const is = (val: boolean): Xo[] => ["when", condition, "=", { val }, "then"];
  return { xpr: ["case", ...is(true), { val: yes }, ...is(false), { val: no }, "end"] };
}

/**
 * `cast` and `isof` (OData 4.01 Part 2, section 5.1.1.10).
 *
 * @module
 */

import type { CastExpr, IsofExpr } from "../../url/ast.ts";
import { nearestName } from "../../../util/nearest_name.ts";
import type { ValueType } from "./literal_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { existsAt, memberRef, type Walk } from "./member_walk.ts";
import { planMember } from "./plan_member.ts";
import { BOOLEAN, groupOf, isRounded, resolveAlias, ROUNDED, type Scope, type Typed } from "../scope.ts";
import { derivedCast, isSubtype, namedEntityType, typeCondition } from "../service_index.ts";
import type { Expression, Xo } from "../../../cqn/cqn.ts";
import { BUILTIN_TYPES } from "../../../model/edm_types.ts";
import { TEXT_FORMS, WHOLE_RANGES } from "../../../model/values/text_forms.ts";

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
  "cds.DateTime": "$datetime_text",
  "cds.Timestamp": "$timestamp_text",
};

/** The types of a value before and behind a cast, in the form of the built-in ones. */
interface Conversion {
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
function converted(value: Typed, { from, to }: Conversion): Typed {
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
  const text = to === "cds.String" ? TEXTS[value.type?.builtin ?? from] ?? TEXTS[from] : undefined;
  if (text !== undefined) return typed({ func: text, args: [expr] });
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
    return typed(cast({ xpr: [expr], cast: { type: "cds.String" } } as Expression), true);
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

/** Types that are the same for clients. */
const SAME: Readonly<Record<string, string>> = {
  "cds.DateTime": "cds.Timestamp",
  "cds.DecimalFloat": "cds.Decimal",
  "cds.Integer": "cds.Int32",
  "cds.Integer64": "cds.Int64",
  "cds.LargeString": "cds.String",
};

/**
 * Plans `cast`.
 *
 * @param expr the cast
 * @param scope what names refer to
 * @returns the value as one of the other type
 * @throws {ServiceError} 400 for unknown types
 */
export function planCast(expr: CastExpr, scope: Scope): Typed {
  if (expr.expr === undefined) throw badRequest("A primitive value is expected", expr.offset);
  const value = scope.plan.value(expr.expr, scope);
  const builtin = expr.typeName === extendedOf(value.type)
    ? value.type!.builtin
    : typeNamed(expr.typeName, expr.offset);
  const from = canonical(value.type?.builtin);
  const extended = extendedOf(value.type);
  if (expr.typeName === extended) return value;
  if (extended && builtin === "cds.String") {
    throw notImplemented(`A cast to ${expr.typeName} from this type`, expr.offset);
  }
  if (extended === "Edm.Duration") return { expr: { val: null }, type: { builtin }, nullable: true };
  const type = builtin === "cds.Decimal" && isRounded(value.type) ? ROUNDED : { builtin };
  if (from === builtin || from === undefined) return { ...value, type };
  return converted(value, { from, to: builtin });
}

/**
 * Plans `isof`: our types are known from the model, so it is a constant.
 *
 * @param expr the test
 * @param scope what names refer to
 * @returns true or false
 * @throws {ServiceError} 400 for unknown types
 */
export function planIsof(expr: IsofExpr, scope: Scope): Typed {
  const { typeName: name, offset } = expr;
  const type = namedEntityType(name, scope.entity);
  if (expr.expr === undefined) {
    if (type === undefined) throw badRequest(`Unknown type "${name}"`, offset);
    const cast = derivedCast(name, scope.entity);
    if (cast) return { expr: { xpr: typeCondition(cast) }, type: BOOLEAN, nullable: false };
    return constant(isSubtype(scope.entity, type));
  }
  const operand = resolveAlias(expr.expr, scope);
  if (operand.kind === "memberExpr") {
    const { instance, values, structure } = planMember(operand, scope);
    if (instance) return instanceOf(instance, { name, offset });
    if (values || structure) return constant(false);
  }
  if (type !== undefined) return constant(false);
  const value = scope.plan.value(operand, scope);
  const extended = extendedOf(value.type);
  if (extended !== undefined || EXTENDED.has(name)) return constant(extended === name);
  return constant(canonical(value.type?.builtin) === typeNamed(name, offset));
}

/** Types of OData that CDS lacks. */
const EXTENDED = new Set(["Edm.Duration", "Edm.SByte", "Edm.Single"]);

function extendedOf(type: ValueType | undefined): string | undefined {
  return type?.extended ?? type?.element?.$type.extended;
}

/** An instance that is not there is of no type. */
function instanceOf(walk: Walk, { name, offset }: { readonly name: string; readonly offset: number }): Typed {
  const type = namedEntityType(name, walk.entity);
  if (type === undefined) {
    if (!BUILTIN_TYPES.has(name)) throw badRequest(`Unknown type "${name}"`, offset);
    return constant(false);
  }
  if (walk.many || !isSubtype(walk.entity, type)) return constant(false);
  const cast = derivedCast(name, walk.entity);
  if (cast) {
    const xpr = typeCondition(cast, memberRef(walk, cast.discriminator));
    return { expr: { xpr }, type: BOOLEAN, nullable: walk.ref.length > 0 };
  }
  if (walk.ref.length === 0) return constant(true);
  return { expr: { xpr: existsAt(walk) }, type: BOOLEAN, nullable: false };
}

function constant(val: boolean): Typed {
  return { expr: { val }, type: BOOLEAN, nullable: false };
}

function canonical(builtin: string | undefined): string | undefined {
  return builtin === undefined ? undefined : SAME[builtin] ?? builtin;
}

function typeNamed(name: string, offset: number): string {
  const builtin = BUILTIN_TYPES.get(name);
  if (builtin !== undefined) return builtin;
  if (/^Edm\.(?:Duration|PrimitiveType|Geo(?:graphy|metry)\w*)$/.test(name)) return name;
  const nearest = nearestName(name, BUILTIN_TYPES.keys());
  throw badRequest(
    `Unknown type "${name}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    offset,
  );
}

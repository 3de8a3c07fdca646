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
import { call, caseOf, cast, compare, literal, NULL, numeral } from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";
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
  const typed = (converted: Expr, nullable = value.nullable): Typed => ({
    expr: converted,
    type,
    nullable,
  });
  const stored = (inner: Expr) => cast(inner, { type: to });
  if (groupOf(value.type) === "number" && groupOf(type) === "number") {
    const range = WHOLE_RANGES[to];
    if (range) return typed(whole(expr, range), true);
    return typed(stored(to === "cds.Int64" ? call("$trunc", [expr]) : expr));
  }
  const text = to === "cds.String" ? TEXTS[value.type!.builtin] ?? TEXTS[from] : undefined;
  if (text !== undefined) return typed(call(text, [expr]));
  if (to === "cds.String" && WITH_TEXT.has(from)) return typed(stored(expr));
  if (to === "cds.String" && from === "cds.Boolean") {
    return typed(choice(expr, [[true, "true"], [false, "false"]]), true);
  }
  if (from === "cds.Timestamp" && (to === "cds.Date" || to === "cds.Time")) {
    return typed(call(to === "cds.Date" ? "date" : "time", [expr]));
  }
  if (from === "cds.Date" && to === "cds.Timestamp") {
    return typed(call("$shift_timestamp", [expr, numeral(0)]));
  }
  const form = INSTANTS.has(to) ? undefined : TEXT_FORMS[to];
  if (from === "cds.String" && form !== undefined) {
    // a parameter is told to be a text, not what it is converted to
    return typed(stored(cast(expr, { type: "cds.String" })), true);
  }
  if (from === "cds.String" && to === "cds.Boolean") {
    return typed(choice(expr, [["true", true], ["false", false]]), true);
  }
  return typed(NULL, true);
}

/** What is cut to a whole number and out of its range is null. */
function whole(expr: Expr, [first, last]: readonly [number, number]): Expr {
  return call("$whole", [expr, numeral(first - 1), numeral(last + 1)]);
}

/** The value beside the one that an expression has. */
function choice(expr: Expr, values: readonly (readonly [string | boolean, string | boolean])[]): Expr {
  return caseOf(
    values.map(([one, other]) => ({ when: compare(expr, "=", literal(one)), then: literal(other) })),
  );
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
  if (extended === "Edm.Duration") return { expr: NULL, type: { builtin }, nullable: true };
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
    const derived = derivedCast(name, scope.entity);
    if (derived) return { expr: typeCondition(derived), type: BOOLEAN, nullable: false };
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
  const derived = derivedCast(name, walk.entity);
  if (derived) {
    const expr = typeCondition(derived, memberRef(walk, derived.discriminator));
    return { expr, type: BOOLEAN, nullable: walk.ref.length > 0 };
  }
  if (walk.ref.length === 0) return constant(true);
  return { expr: existsAt(walk), type: BOOLEAN, nullable: false };
}

function constant(val: boolean): Typed {
  return { expr: literal(val), type: BOOLEAN, nullable: false };
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

/**
 * `cast` and `isof` (OData 4.01 Part 2, section 5.1.1.10).
 *
 * @module
 */

import type { CastExpr, IsofExpr } from "../../url/ast.ts";
import { nearestName } from "../../../util/nearest_name.ts";
import type { ValueType } from "./literal_values.ts";
import { converted } from "./plan_conversion.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import type { PlanArgument } from "./plan_function.ts";
import { existsAt, memberRef, type Walk } from "./member_walk.ts";
import type { PlanOperand } from "./plan_structural.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { derivedCast, isSubtype, namedEntityType, typeCondition } from "../type_names.ts";
import { BOOLEAN, isRounded, ROUNDED, type Scope, type Typed } from "../scope.ts";

/** Primitive types by name. */
const TYPES: Readonly<Record<string, string>> = {
  "Edm.Binary": "cds.Binary",
  "Edm.Boolean": "cds.Boolean",
  "Edm.Byte": "cds.UInt8",
  "Edm.Date": "cds.Date",
  "Edm.DateTimeOffset": "cds.Timestamp",
  "Edm.Decimal": "cds.Decimal",
  "Edm.Double": "cds.Double",
  "Edm.Guid": "cds.UUID",
  "Edm.Int16": "cds.Int16",
  "Edm.Int32": "cds.Int32",
  "Edm.Int64": "cds.Int64",
  "Edm.SByte": "cds.Int16",
  "Edm.Single": "cds.Double",
  "Edm.Stream": "cds.LargeBinary",
  "Edm.String": "cds.String",
  "Edm.TimeOfDay": "cds.Time",
};

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
 * @param planArgument plans the value
 * @returns the value as one of the other type
 * @throws {ServiceError} 400 for unknown types
 */
export function planCast(expr: CastExpr, scope: Scope, planArgument: PlanArgument): Typed {
  if (expr.expr === undefined) throw badRequest("A primitive value is expected", expr.offset);
  const value = planArgument(expr.expr, scope);
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
 * @param plan plans the value
 * @returns true or false
 * @throws {ServiceError} 400 for unknown types
 */
export function planIsof(expr: IsofExpr, scope: Scope, plan: PlanOperand): Typed {
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
    const { instance, values, structure } = plan.member(operand, scope);
    if (instance) return instanceOf(instance, { name, offset });
    if (values || structure) return constant(false);
  }
  if (type !== undefined) return constant(false);
  const value = plan.value(operand, scope);
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
    if (!Object.hasOwn(TYPES, name)) throw badRequest(`Unknown type "${name}"`, offset);
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
  const builtin = TYPES[name];
  if (builtin !== undefined) return builtin;
  if (/^Edm\.(?:Duration|PrimitiveType|Geo(?:graphy|metry)\w*)$/.test(name)) return name;
  const nearest = nearestName(name, Object.keys(TYPES));
  throw badRequest(
    `Unknown type "${name}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    offset,
  );
}

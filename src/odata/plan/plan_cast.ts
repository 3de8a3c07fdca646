/**
 * `cast` and `isof` (OData 4.01 Part 2, section 5.1.1.10).
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { edmName } from "../../model/edm_name.ts";
import type { CastExpr, IsofExpr } from "../url/ast.ts";
import { badRequest, notImplemented } from "./plan_error.ts";
import type { PlanArgument } from "./plan_function.ts";
import { BOOLEAN, groupOf, type Scope, type Typed } from "./scope.ts";

/** Primitive types by name. */
const TYPES: Readonly<Record<string, string>> = {
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

/** Types whose stored values are their text. */
const WITH_TEXT = new Set([
  "cds.Date",
  "cds.Decimal",
  "cds.Int16",
  "cds.Int32",
  "cds.Int64",
  "cds.String",
  "cds.Time",
  "cds.Timestamp",
  "cds.UInt8",
  "cds.UUID",
]);

/**
 * Plans `cast`.
 *
 * @param expr the cast
 * @param scope what names refer to
 * @param planArgument plans the value
 * @returns the value as one of the other type
 * @throws {ServiceError} 400 for unknown types, 501 for conversions that are not run
 */
export function planCast(expr: CastExpr, scope: Scope, planArgument: PlanArgument): Typed {
  if (expr.expr === undefined) throw notImplemented("A cast of the instance", expr.offset);
  const builtin = typeNamed(expr.typeName, expr.offset);
  const value = planArgument(expr.expr, scope);
  const from = canonical(value.type?.builtin);
  const type = { builtin };
  if (from === builtin || from === undefined) return { ...value, type };
  const isNumeric = groupOf(value.type) === "number" && groupOf(type) === "number";
  if (isNumeric || (builtin === "cds.String" && WITH_TEXT.has(from))) {
    const converted = { xpr: [value.expr], cast: { type: builtin } } as Expression; // expressions may have a cast
    return { expr: converted, type, nullable: value.nullable };
  }
  if (builtin === "cds.Date" && from === "cds.Timestamp") {
    return { expr: { func: "date", args: [value.expr] }, type, nullable: value.nullable };
  }
  throw notImplemented(`A cast to ${expr.typeName} from this type`, expr.offset);
}

/**
 * Plans `isof`: our types are known from the model, so it is a constant.
 *
 * @param expr the test
 * @param scope what names refer to
 * @param planArgument plans the value
 * @returns true or false
 * @throws {ServiceError} 400 for unknown types
 */
export function planIsof(expr: IsofExpr, scope: Scope, planArgument: PlanArgument): Typed {
  const { entity } = scope;
  if (expr.expr === undefined) {
    const local = expr.typeName.slice(expr.typeName.lastIndexOf(".") + 1);
    const known = [...entity.$service?.entities ?? []].some((one) => edmName(one) === local);
    if (!known) throw badRequest(`Unknown type "${expr.typeName}"`, expr.offset);
    return constant(edmName(entity) === local);
  }
  const builtin = typeNamed(expr.typeName, expr.offset);
  const value = planArgument(expr.expr, scope);
  return constant(canonical(value.type?.builtin) === builtin);
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
  if (name.startsWith("Edm.")) throw notImplemented(`The type "${name}" here`, offset);
  throw badRequest(`Unknown type "${name}"`, offset);
}

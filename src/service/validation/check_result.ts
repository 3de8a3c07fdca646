/**
 * Whether results of actions and functions are of the declared type.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedOperation, ResolvedType } from "../../model/linked.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { isOfType, typeText } from "./check_type.ts";

/**
 * Refuses results that are, or hold as members of a collection, values of another kind than declared. Members of
 * structures and values of types that OData alone has are not looked at.
 *
 * @param operation the action or function
 * @param result what its handler returned
 * @returns the result
 * @throws ServiceError 500, with the operation and the types, not the value
 */
export function checkedResult(operation: LinkedOperation, result: unknown): unknown {
  const { returns } = operation;
  if (!returns || result === null || result === undefined) return result;
  const item = returns.$type.items ?? returns;
  if (isChecked(item)) {
    const values: readonly unknown[] = Array.isArray(result) ? result : [result];
    const wrong = values.find((value) =>
      value !== null && value !== undefined && !isOfKind(value, item.$type)
    );
    if (wrong !== undefined) {
      const found = Array.isArray(wrong) ? "an array" : `a value of type ${typeof wrong}`;
      const expected = typeText(facetless(item.$type), Infinity).replace("(Infinity)", "");
      throw new ServiceError({
        status: 500,
        message: `The handler of "${operation}" returned ${found} that is no ${expected}`,
      });
    }
  }
  return result;
}

function isChecked({ $type, $target }: LinkedElement): boolean {
  return !$target && !$type.items && $type.extended === undefined &&
    ($type.elements !== undefined || CHECKED.has($type.builtin) || isTemporal($type.builtin));
}

const CHECKED: ReadonlySet<unknown> = new Set([
  ...["cds.Boolean", "cds.UInt8", "cds.Int16", "cds.Int32", "cds.Integer", "cds.Int64", "cds.Integer64"],
  ...["cds.Decimal", "cds.Double", "cds.String", "cds.LargeString"],
]);

function isOfKind(value: unknown, type: ResolvedType): boolean {
  if (type.elements) return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
  if (isTemporal(type.builtin)) return typeof value === "string" || value instanceof Date;
  return isOfType(value, facetless(type), Infinity);
}

/** Length and digits are not those of the kind. */
function facetless({ builtin }: ResolvedType): ResolvedType {
  return { builtin };
}

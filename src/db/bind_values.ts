/**
 * The values of placeholders: literals, parameters and pseudo variables.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { QueryParams } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { ComparedForm } from "../algebra/tree.ts";
import { comparedValue } from "./compared_value.ts";
import { contextVariable } from "./context_variable.ts";
import { INTEGER_TYPES } from "../model/builtin_types.ts";
import type { Binding } from "./render/binding.ts";
import { isWholeOf } from "./write/number_value.ts";
import { rowCount } from "./row_count.ts";
import { type SqlValue, sqlValue } from "./write/sql_value.ts";

/** What values are taken from. */
export interface ValueSource {
  /** Parameters of the query. */
  readonly params: QueryParams;
  /** Gives pseudo variables. */
  readonly context: EventContext;
}

/**
 * The values to bind.
 *
 * @param bindings where they come from
 * @param from parameters of the query and the context
 * @param listText writes a list as one value; default: JSON
 */
export function bindValues(
  bindings: readonly Binding[],
  from: ValueSource,
  listText: (values: readonly SqlValue[]) => string = jsonList,
): SqlValue[] {
  return bindings.map((binding) => {
    if (binding.kind === "items" || binding.list) return listText(valuesOf(binding, from));
    const value = valueOf(binding, from);
    if (binding.count) return rowCount(value);
    return boundValue(onlyValue(value, binding.kind === "variable" ? binding.path : undefined), binding.form);
  });
}

/**
 * Whether each attribute of the user that elements are compared with has one value.
 *
 * @param bindings of the statement
 * @param from the context
 */
export function hasOneEach(bindings: readonly Binding[], from: ValueSource): boolean {
  for (const binding of bindings) {
    if (binding.kind !== "variable" || !binding.list) continue;
    const value = valueOf(binding, from);
    if (Array.isArray(value) && value.length !== 1) return false;
    if (listOf(value, binding.form).length !== 1) return false;
  }
  return true;
}

/** JSON as SQLite reads it: with integers of 64 bits, and with infinite numbers. */
function jsonList(values: readonly SqlValue[]): string {
  const items = values.map((value) => {
    if (typeof value === "bigint") return String(value);
    if (value === Infinity || value === -Infinity) return value > 0 ? "9e999" : "-9e999";
    return JSON.stringify(value);
  });
  return `[${items.join(",")}]`;
}

function valuesOf(binding: Binding, from: ValueSource): readonly SqlValue[] {
  if (binding.kind === "items") return binding.items.flatMap((item) => valuesOf(item, from));
  return listOf(valueOf(binding, from), binding.form);
}

function valueOf(binding: Exclude<Binding, { kind: "items" }>, { params, context }: ValueSource): unknown {
  if (binding.kind === "value") return binding.value;
  return binding.kind === "param" ? params[binding.name] : contextVariable(binding.path, context);
}

/**
 * The value where one is expected.
 *
 * @param value a value, or an array: that of a parameter stands for its first value
 * @param variable the pseudo variable that gave it, if one did
 * @throws ServiceError 403 for an attribute of the user with several values: which of them counts must not be left to
 *   chance where it decides what the user sees
 */
export function onlyValue(value: unknown, variable?: readonly string[]): unknown {
  if (!Array.isArray(value)) return value;
  if (variable === undefined || value.length <= 1) return value[0];
  const message = `The user has several values of "${variable.join(".")}" where one is compared`;
  throw new ServiceError({ status: 403, message });
}

/**
 * The values of a list.
 *
 * @param value an array, or its only value
 * @param form what they are compared with, if it is known; numbers that an element of whole
 *   numbers cannot hold are left out, as PostgreSQL has lists of one type
 * @throws ServiceError 400 for what is no value of that type
 */
export function listOf(value: unknown, form: ComparedForm | undefined): readonly SqlValue[] {
  if (value === undefined || value === null) return [];
  const values = (Array.isArray(value) ? value : [value]).map((item) => boundValue(item, form));
  if (form === undefined || !INTEGER_TYPES.has(form.type)) return values;
  return values.filter((item) => typeof item !== "number" || isWholeOf(item, form.type));
}

/**
 * The value to bind.
 *
 * @param value any value
 * @param form what it is compared with, if it is known
 * @throws ServiceError 400 for what is no value of that type
 */
export function boundValue(value: unknown, form: ComparedForm | undefined): SqlValue {
  return sqlValue(form === undefined ? value : comparedValue(value, form));
}

/**
 * The values of placeholders: literals, parameters and pseudo variables.
 *
 * @module
 */

import { type EventContext, userValue } from "../context/event_context.ts";
import type { QueryParams } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { ComparedForm } from "../algebra/tree.ts";
import { INTEGER_TYPES } from "../model/builtin_types.ts";
import type { Binding } from "./render/binding.ts";
import { INFINITE, isNumeral, isWholeOf, refuseValue } from "./write/number_value.ts";
import { bytesOf, isTemporalText, type SqlValue, sqlValue } from "./write/sql_value.ts";
import { instantText, type InstantUnit, isTemporal, temporalText } from "../util/temporal_text.ts";
import { booleanOf } from "../util/boolean_of.ts";
import { plainDecimal } from "../util/plain_decimal.ts";

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

/**
 * The value of a pseudo variable.
 *
 * @param path `["$now"]`, `["$user", "locale"]`, `["$at", "from"]`, …
 * @param context the context of the request
 * @returns undefined where the context has no value
 */
export function contextVariable(path: readonly string[], context: EventContext): unknown {
  const [first, second, third] = path;
  switch (first) {
    case "$now":
      return context.timestamp.toISOString();
    case "$tenant":
      return context.tenant;
    case "$locale":
      return context.locale;
    case "$uuid":
      return crypto.randomUUID();
    case "$at":
    case "$valid": // its older name
      return atValue(second, third, context);
    case "$user":
      return userValue(second, context);
  }
  return undefined;
}

/** `$at.from`, `$at.to`; with `seconds` or `days` behind it rounded to what DateTime and Date elements hold. */
function atValue(name: string | undefined, unit: string | undefined, { validity }: EventContext): string {
  const time = name === "to" ? validity.to : validity.from;
  return instantText(time, unit as InstantUnit | undefined, name === "to"); // conditions on slices have no others
}

/**
 * The number of rows that a limit takes or leaves out.
 *
 * @param value what a query says: a whole number, or its text
 * @returns null where nothing is said
 * @throws ServiceError 400 for what is no number of rows
 */
export function rowCount(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const isGiven = typeof value === "number" || typeof value === "bigint" || /^\d+$/.test(String(value));
  const count = isGiven ? Number(value) : NaN;
  if (count >= 0 && (Number.isInteger(count) || count === Infinity)) {
    return Math.min(count, Number.MAX_SAFE_INTEGER);
  }
  throw new ServiceError({ status: 400, message: "A limit is a whole number of rows, not less than zero" });
}

/** Digits of a decimal that a number holds. */
const DIGITS = 15;

/**
 * The value to compare an element with. Numbers may be larger or have more digits than the element holds, and texts be
 * longer: they are just not equal.
 *
 * @param value any value
 * @param form the built-in type of the element, and its name
 * @throws ServiceError 400 for what is no value of the type at all
 */
export function comparedValue(value: unknown, form: ComparedForm): unknown {
  if (value === null || value === undefined) return value;
  const { type: builtin } = form;
  if (isTemporal(builtin)) {
    const text = typeof value === "string" || value instanceof Date ? temporalText(value, builtin) : "";
    return isTemporalText(text, builtin) ? text : refuse(value, form);
  }
  switch (builtin) {
    case "cds.Boolean":
      return booleanOf(value) ?? refuse(value, form);
    case "cds.String":
    case "cds.LargeString":
    case "cds.UUID":
      return textOf(value, form);
    case "cds.Binary":
    case "cds.LargeBinary":
      return (typeof value === "string" ? bytesOf(value) : ArrayBuffer.isView(value) && value) ||
        refuse(value, form);
    case "cds.Double":
    case "cds.Decimal":
      return decimalOf(value, form);
  }
  return INTEGER_TYPES.has(builtin) ? wholeOf(value, form) : value;
}

function refuse(value: unknown, { type, name }: ComparedForm): never {
  return refuseValue(value, { name, type: { builtin: type } });
}

function textOf(value: unknown, form: ComparedForm): unknown {
  if (ArrayBuffer.isView(value)) return refuse(value, form);
  if (typeof value === "number" || typeof value === "bigint") return plainDecimal(String(value));
  return typeof value === "boolean" ? String(value) : value;
}

function wholeOf(value: unknown, form: ComparedForm): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || !isWholeOf(value, form.type)) return refuse(value, form);
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}

function decimalOf(value: unknown, form: ComparedForm): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return refuse(value, form);
  const isDouble = form.type === "cds.Double";
  const infinite = isDouble ? INFINITE.get(value) : undefined;
  if (infinite !== undefined) return infinite;
  if (!isNumeral(value)) return refuse(value, form);
  const digits = value.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "");
  return digits.length <= DIGITS || isDouble ? Number(value) : value;
}

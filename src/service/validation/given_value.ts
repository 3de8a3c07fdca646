/**
 * What callers give for elements and parameters: foreign keys come by their own names, or nested.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { foreignKeyMembers } from "../../model/foreign_key_members.ts";
import type { ElementRule } from "./element_rules.ts";

/** The value of an element; a foreign key may come nested (`author: {ID: 1}`). */
export function valueIn(row: Row, { flat }: Pick<ElementRule, "flat">): unknown {
  const { name, foreignKey4 } = flat;
  if (row[name] !== undefined || foreignKey4 === undefined) return row[name];
  const nested = row[foreignKey4];
  if (nested === null) return null;
  return isRow(nested) ? nested[name.slice(foreignKey4.length + 1)] : undefined;
}

/** The value of a foreign key, which the association may hold. */
export function valueOfKey(row: Row, association: string, name: string): unknown {
  if (row[name] !== undefined) return row[name];
  const nested = row[association];
  return isRow(nested) ? nested[name.slice(association.length + 1)] : undefined;
}

/**
 * What is given for a parameter, or a member of a structure, and its name: of an association the first foreign key that
 * is missing.
 *
 * @param values the values given
 * @param element the parameter or member
 */
export function parameterIn(
  values: Row,
  element: LinkedElement,
): { readonly name: string; readonly value: unknown } {
  const { name } = element;
  const keys = foreignKeyMembers(element).map((key) => ({
    name: key.name,
    value: valueOfKey(values, name, key.name),
  }));
  const missing = keys.find(({ value }) => value === undefined || value === null);
  return missing ?? keys[0] ?? { name, value: values[name] };
}

/** Whether a value is an object. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is none for an element that is mandatory. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * How many characters a String without declared length may have.
 *
 * @param host the runtime
 */
export function defaultStringLength({ env }: { readonly env: Readonly<Record<string, unknown>> }): number {
  const { default_string_length: length } = (env.model ?? {}) as { readonly default_string_length?: number };
  return length ?? 255;
}

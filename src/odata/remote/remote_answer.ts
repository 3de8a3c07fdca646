/**
 * What stands around the rows of answers.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";

/** Whether an answer has several rows. */
export function isCollection(body: unknown): boolean {
  return Array.isArray(body) || (isObject(body) && Array.isArray(body.value));
}

/** OData wraps collections in `value`; REST does not. */
export function collectionOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return isObject(body) && Array.isArray(body.value) ? body.value : [];
}

/** Control information by its short and its long name. */
export function control(body: unknown, name: string): unknown {
  return isObject(body) ? body[`@odata.${name}`] ?? body[`@${name}`] : undefined;
}

/** REST answers `{count, value}` in place of an array. */
export function restCount(body: unknown): unknown {
  return isObject(body) ? body.count : undefined;
}

/** Whether a value is a row or a structure. */
export function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

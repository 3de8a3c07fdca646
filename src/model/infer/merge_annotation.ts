/**
 * Later annotations over earlier ones, with `...` in arrays (csn-cqn 8).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";

/**
 * The value in effect when an annotation is set again. In an array `{"...": true}` stands for the earlier array, and
 * `{"...": x}` for the earlier array up to (and with) the entry like `x`; further ones continue behind it.
 *
 * @param before the value so far, if any
 * @param value the new value
 */
export function mergeAnnotation(before: unknown, value: unknown): unknown {
  if (!Array.isArray(value) || !value.some(isEllipsis)) return value;
  const base: unknown[] = Array.isArray(before) ? before : [];
  const result: unknown[] = [];
  let position = 0;
  for (const item of value) {
    if (!isEllipsis(item)) {
      result.push(item);
      continue;
    }
    const upTo = item["..."];
    const found = upTo === true
      ? -1
      : base.findIndex((entry, index) => index >= position && matches(entry, upTo));
    const end = found < 0 ? base.length : found + 1;
    result.push(...base.slice(position, end));
    position = end;
  }
  return result;
}

function isEllipsis(item: unknown): item is { "...": unknown } {
  return isPlainObject(item) && "..." in item;
}

/** Records match by the members given, everything else by equality. */
function matches(entry: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(entry) && pattern.every((part, index) => matches(entry[index], part));
  }
  if (isPlainObject(pattern)) {
    return isPlainObject(entry) && Object.entries(pattern).every(([key, part]) => matches(entry[key], part));
  }
  return entry === pattern;
}

/**
 * Rows that `$apply` made: grouped and aggregated properties, paths nested (Data Aggregation 3).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { AggregatedProperty } from "../plan/plan.ts";
import { stringify, type ValueFormat, writePrimitive } from "./write_value.ts";

/**
 * A row as the members of a JSON object, without braces.
 *
 * @param row the row
 * @param properties what it holds
 * @param format how values are written
 */
export function writeAggregated(
  row: Row,
  properties: readonly AggregatedProperty[],
  format: ValueFormat,
): string {
  const members = properties
    .filter(({ name, parts }) => row[name] !== undefined && (parts?.has(Number(row.$part)) ?? true))
    .map((property) => ({ path: property.path, text: writeProperty(row[property.name], property, format) }));
  return nested(members);
}

interface MemberText {
  readonly path: readonly string[];
  readonly text: string;
}

function writeProperty(value: unknown, { element }: AggregatedProperty, format: ValueFormat): string {
  if (element) return writePrimitive(value, element.$type, format);
  // aggregates are numbers, also those that the database gives as text to keep all digits
  return typeof value === "string" && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)
    ? value
    : stringify(value);
}

function nested(members: readonly MemberText[]): string {
  const groups = new Map<string, MemberText[]>();
  const order: string[] = [];
  for (const { path: [head = "", ...path], text } of members) {
    const group = groups.get(head);
    if (group) group.push({ path, text });
    else {
      groups.set(head, [{ path, text }]);
      order.push(head);
    }
  }
  return order.map((head) => {
    const group = groups.get(head)!;
    const content = group[0]!.path.length === 0 ? group[0]!.text : `{${nested(group)}}`;
    return `${JSON.stringify(head)}:${content}`;
  }).join(",");
}

/**
 * Rows that `$apply` made: grouped and aggregated properties, paths nested (Data Aggregation 3).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import type { AggregatedProperty } from "../plan/result_shape.ts";
import { writeDouble } from "./write_value.ts";

/** Writes the value of an element. */
export type WriteElement = (value: unknown, element: LinkedElement) => string;

/**
 * A row as the members of a JSON object, without braces.
 *
 * @param row the row
 * @param properties what it holds
 * @param write writes the values of elements
 */
export function writeAggregated(
  row: Row,
  properties: readonly AggregatedProperty[],
  write: WriteElement,
): string {
  const isNull = (column: string) => row[column] === null || row[column] === undefined;
  const members = properties
    .filter(({ name, parts, only }) =>
      row[name] !== undefined && (parts?.has(Number(row.$part)) ?? true) &&
      (only?.values.includes(String(row[only.column])) ?? true)
    )
    .map((property): MemberText => ({
      path: property.path,
      text: writeProperty(row[property.name], property, write),
      nullAt: property.wholes?.find(({ columns }) => columns.every(isNull))?.depth,
    }));
  return nested(members, 1);
}

interface MemberText {
  readonly path: readonly string[];
  readonly text: string;
  /** Names of the whole path that lead to what is null. */
  readonly nullAt: number | undefined;
}

function writeProperty(value: unknown, { element }: AggregatedProperty, write: WriteElement): string {
  if (element) return write(value, element);
  // aggregates are numbers, also those that the database gives as text to keep all digits
  return typeof value === "string" && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)
    ? value
    : writeDouble(value);
}

function nested(members: readonly MemberText[], depth: number): string {
  const groups = new Map<string, MemberText[]>();
  const order: string[] = [];
  for (const { path: [head = "", ...path], ...member } of members) {
    const group = groups.get(head);
    if (group) group.push({ path, ...member });
    else {
      groups.set(head, [{ path, ...member }]);
      order.push(head);
    }
  }
  return order.map((head) => {
    const group = groups.get(head)!;
    const isNull = group.some(({ nullAt }) => nullAt === depth);
    const inner = () => group[0]!.path.length === 0 ? group[0]!.text : `{${nested(group, depth + 1)}}`;
    const content = isNull ? "null" : inner();
    return `${JSON.stringify(head)}:${content}`;
  }).join(",");
}

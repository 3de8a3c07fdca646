/**
 * Rows that `$apply` made: grouped and aggregated properties, paths nested (Data Aggregation 3).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { AggregatedProperty } from "../plan/result_shape.ts";

/** Writes the value of a property. */
export type WriteProperty = (value: unknown, property: AggregatedProperty) => string;

/**
 * A row as the members of a JSON object, without braces.
 *
 * @param row the row
 * @param properties what it holds
 * @param write writes values
 */
export function writeAggregated(
  row: Row,
  properties: readonly AggregatedProperty[],
  write: WriteProperty,
): string {
  const isNull = (column: string) => row[column] === null || row[column] === undefined;
  const members = properties
    .filter(({ name, parts, only }) =>
      row[name] !== undefined && (parts?.has(Number(row.$part)) ?? true) &&
      (only?.values.includes(String(row[only.column])) ?? true)
    )
    .map((property): MemberText => ({
      path: property.path,
      text: write(row[property.name], property),
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

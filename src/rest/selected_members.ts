/**
 * `$select` of REST: the members asked for, no keys beside them.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { Exchange } from "../odata/exchange.ts";
import type { LinkedEntity } from "../model/linked.ts";
import { foreignKeyLinks } from "../model/links.ts";
import type { ExpandShape, Plan, ResultShape } from "../odata/plan/plan.ts";
import { parseUrl } from "../odata/url/parse_url.ts";
import type { QueryOptions } from "../odata/url/ast.ts";

/**
 * Rows without the keys that were added to `$select`.
 *
 * @param rows rows as read
 * @param exchange the request: its URL names the members
 * @param plan the plan of the URL
 */
export function withoutAddedKeys(rows: readonly Row[], exchange: Exchange, plan: Plan): readonly Row[] {
  if (!/(?:^|[?&;(])(?:\$|%24)?select=/i.test(exchange.rawUrl) || !plan.shape) return rows;
  const { options } = parseUrl(exchange.rawUrl);
  const { shape } = plan;
  return rows.map((row) => onlySelected(row, options, shape));
}

function onlySelected(row: Row, options: QueryOptions | undefined, { entity, expand }: ResultShape): Row {
  const names = selectedNames(options, entity);
  const result: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const item = expand.find((candidate) => candidate.name === name);
    if (item) result[name] = nested(value, options, item);
    else if (!names || names.has(name)) result[name] = value;
  }
  return result;
}

function selectedNames(
  options: QueryOptions | undefined,
  entity: LinkedEntity | undefined,
): ReadonlySet<string> | undefined {
  const items = options?.select;
  if (!items || items.some((item) => item.path.at(-1) === "*")) return undefined;
  return new Set([
    ...items.map((item) => item.path.join("_")),
    ...items.flatMap(({ path: [name] }) => foreignKeys(entity, name)),
    ...(options.compute ?? []).map((item) => item.name),
  ]);
}

/** The names of what a navigation property brings with it. */
function foreignKeys(entity: LinkedEntity | undefined, name: string): readonly string[] {
  const element = entity && Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
  return element?.isAssociation ? foreignKeyLinks(element).map(({ source }) => source) : [];
}

function nested(value: unknown, options: QueryOptions | undefined, item: ExpandShape): unknown {
  const own = options?.expand?.find((candidate) => candidate.path.at(-1) === item.name)?.options;
  const reduce = (row: unknown) =>
    typeof row === "object" && row !== null ? onlySelected(row as Row, own, item.shape) : row;
  return Array.isArray(value) ? value.map(reduce) : reduce(value);
}

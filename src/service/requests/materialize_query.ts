/**
 * Query templates as ordinary queries.
 *
 * @module
 */

import type { Query, QueryParams } from "../../cqn/cqn.ts";

/**
 * A deep copy of a template in which every parameter is replaced by its value, so that handlers may change it. Row data
 * (`entries`, `data`) keeps its identity: it is `req.data`.
 *
 * @param template a frozen query
 * @param params values of its parameters
 */
export function materializeQuery(template: Query, params: QueryParams): Query {
  const [[kind, body]] = Object.entries(template);
  if (kind === "SELECT" || kind === "SET") return copy(template, params) as Query;
  const members = Object.entries(body as Record<string, unknown>).map(([name, member]) => [
    name,
    ROW_DATA.has(name) ? member : copy(member, params),
  ]);
  return { [kind]: Object.fromEntries(members) } as unknown as Query;
}

const ROW_DATA = new Set(["entries", "data", "values", "rows", "columns"]);

function copy(value: unknown, params: QueryParams): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, params));
  if (!isPlain(value)) return value;
  if (value.param === true && Array.isArray(value.ref) && value.ref.length === 1) {
    const { ref, param: _param, ...others } = value;
    return { ...others, val: params[String((ref as unknown[])[0])] };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member, params)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}

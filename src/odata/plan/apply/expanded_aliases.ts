/**
 * `$expand` of names of `join` (Data Aggregation 4.0, 3.4.1).
 *
 * @module
 */

import type { ExpandItem, QueryOptions } from "../../url/ast.ts";
import { assertExpandedOne } from "../options/allowed_options.ts";
import { notImplemented, unknownName } from "../plan_error.ts";
import type { Selected } from "./shaped_table.ts";
import type { Property, Table } from "./state.ts";

/** What `$expand` shows of the names of `join`, and the items about other names. */
export interface ExpandedAliases {
  readonly aliases: ReadonlyMap<string, Selected>;
  readonly others: readonly ExpandItem[] | undefined;
}

/**
 * `$expand` of names of `join`, which are navigation properties of the rows (3.4.1).
 *
 * @param items the items of `$expand`
 * @param table the rows
 * @throws {ServiceError} 400 for options of collections, 501 for others than `$select`
 */
export function expandedAliases(
  items: readonly ExpandItem[] | undefined,
  { properties }: Table,
): ExpandedAliases {
  const names = new Set(properties.map(({ joined }) => joined));
  names.delete(undefined);
  const aliases = new Map<string, Selected>();
  if (names.size === 0) return { aliases, others: items };
  const others = items?.filter((item) => {
    const { path: [name = "", more], suffix, offset, options } = item;
    if (name === "*") { for (const alias of names) if (!aliases.has(alias!)) aliases.set(alias!, undefined); }
    if (!names.has(name)) return true;
    if (more !== undefined || suffix) throw notImplemented(`This path in $expand of "${name}"`, offset);
    if (options) assertSelectOnly(options, name);
    const { select } = options ?? {};
    for (const { path, offset } of select ?? []) assertMember([name, ...path], properties, offset);
    aliases.set(name, select?.map(({ path }) => path.join("/")));
    return false;
  });
  return { aliases, others: others?.length ? others : undefined };
}

function assertSelectOnly(options: QueryOptions, name: string): void {
  assertExpandedOne(options);
  const other = Object.keys(options.offsets).find((option) => option !== "select");
  if (other) throw notImplemented(`$${other} in $expand of "${name}"`, options.offsets[other]);
}

function assertMember(path: readonly string[], properties: readonly Property[], offset: number): void {
  const text = path.join("/");
  if (path.at(-1) === "*" || properties.some((one) => `${one.path.join("/")}/`.startsWith(`${text}/`))) {
    return;
  }
  const known = properties.filter(({ path: [first] }) => first === path[0]).map((one) =>
    one.path.slice(1).join("/")
  );
  throw unknownName({ name: path.slice(1).join("/"), offset, what: "property", owner: path[0]!, known });
}

/**
 * Queries and expressions of the syntax tree to CSN: sources and types get their full names, the rest stays.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { toExpression } from "../../cqn/conjunction.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { SourceLocation } from "../csn.ts";
import type { AstElement, AstName, AstType } from "./ast.ts";
import { unqualified } from "../../util/unqualified.ts";

/** How the names and types in a query are resolved. */
export interface QueryResolver {
  readonly source: (name: AstName) => string;
  readonly type: (type: AstType) => object;
  readonly mixin: (elements: readonly AstElement[]) => object;
}

/**
 * Puts a source position on a node where it does not show as data.
 *
 * @param node any node
 * @param location its position
 * @returns the node
 */
export function locate<T extends object>(node: T, location: SourceLocation | undefined): T {
  if (!location) return node;
  return Object.defineProperty(node, "$location", { value: location, configurable: true });
}

/**
 * Resolves all names in a query, an expression or a list of them.
 *
 * @param node the query or expression as parsed
 * @param resolver how names are resolved
 * @returns a copy with full names
 */
export function resolveQuery<T>(node: T, resolver: QueryResolver): T {
  return resolved(node, resolver) as T; // the shape stays, only names change
}

function resolved(node: unknown, resolver: QueryResolver): unknown {
  if (Array.isArray(node)) return node.map((item) => resolved(item, resolver));
  if (!isPlainObject(node)) return node;
  const copy: Record<string, unknown> = {};
  const isSelect = "from" in node && !Array.isArray(node.from);
  for (const [key, value] of Object.entries(node)) {
    copy[key] = isSelect && key === "from"
      ? resolvedSource(value, resolver, node)
      : resolvedProperty(key, value, resolver);
  }
  return locate(copy, locationOf(node));
}

function resolvedProperty(key: string, value: unknown, resolver: QueryResolver): unknown {
  if (key.startsWith("@") || key === "val") return value;
  if (key === "cast" && isTree(value)) {
    const type = resolver.type(value.ast as AstType);
    if (value.default === undefined) return type;
    return { ...type, default: toExpression(resolved(value.default, resolver) as readonly Xo[]) };
  }
  if (key === "mixin" && isTree(value)) return resolver.mixin(value.ast as readonly AstElement[]);
  if (key === "args" && isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, arg]) => [name, resolved(arg, resolver)]));
  }
  return resolved(value, resolver);
}

function isTree(value: unknown): value is { readonly ast: unknown; readonly default?: unknown } {
  return isPlainObject(value) && "ast" in value;
}

function locationOf(node: object): SourceLocation | undefined {
  return (node as { readonly $location?: SourceLocation }).$location;
}

/**
 * The first step of a source is a definition; joins and subqueries hold further sources. Paths of the query may begin with
 * the name that the source has in the text, so that stays its alias where they do.
 */
function resolvedSource(source: unknown, resolver: QueryResolver, query: object): unknown {
  if (!isPlainObject(source)) return source;
  if (Array.isArray(source.args) && "join" in source) {
    const args = source.args.map((arg) => resolvedSource(arg, resolver, query));
    return { ...source, args, ...("on" in source && { on: resolved(source.on, resolver) }) };
  }
  if (!Array.isArray(source.ref) || source.param) return resolved(source, resolver);
  const location = locationOf(source) ?? { file: "", line: 1, col: 1 };
  const [first, ...rest] = source.ref.map((step) => resolved(step, resolver));
  const written = String(isPlainObject(first) ? first.id : first);
  const name = resolver.source({ name: written, location });
  const step = isPlainObject(first) ? { ...first, id: name } : name;
  const alias = unqualified(written);
  const isNeeded = rest.length === 0 && source.as === undefined && alias !== unqualified(name) &&
    beginsPath(query, alias);
  return locate({ ...source, ref: [step, ...rest], ...(isNeeded && { as: alias }) }, location);
}

/** Whether a path of several steps within a tree begins with a name. */
function beginsPath(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => beginsPath(item, name));
  if (!isPlainObject(node)) return false;
  const { ref, inline } = node;
  const isLong = Array.isArray(ref) && (ref.length > 1 || inline !== undefined);
  if (isLong && ref[0] === name) return true;
  return Object.values(node).some((value) => beginsPath(value, name));
}

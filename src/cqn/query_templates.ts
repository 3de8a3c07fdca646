/**
 * Queries of handlers as templates: what a query compares elements with, and the numbers of its page, become parameters;
 * queries that are alike in all else share one template, which is compiled once.
 *
 * @module
 */

import type { Expression, QueryParams, SelectQuery, SetQuery, Xo } from "./cqn.ts";
import { isSelect, isSet } from "./is_query.ts";
import { BoundedCache } from "../util/bounded_cache.ts";
import { deepFreeze } from "../util/deep_freeze.ts";

/** Operators between a value and what it is compared with. */
const COMPARISONS: ReadonlySet<unknown> = new Set(["=", "==", "!=", "<>", "<", "<=", ">", ">=", "in"]);

/** Bounds of what is kept: templates, characters of the key of one, entries of a list and levels of a query. */
const [MOST_TEMPLATES, LONGEST_KEY, LONGEST_LIST, MOST_LEVELS] = [500, 4_000, 32, 40];

/** The member of a step with the query that is read in place of a view. */
const OF_VIEW = "query";

/** A query, or a part of one, and the values of its parameters. */
export interface ReadStatement<Q extends object = SelectQuery | SetQuery> {
  readonly query: Q;
  readonly params: QueryParams;
}

/** Templates by what queries, or parts of queries, are alike in. */
export class QueryTemplates<T extends object = SelectQuery | SetQuery> {
  readonly #templates: BoundedCache<string, T> = new BoundedCache(MOST_TEMPLATES);
  readonly #prefix: string;
  /** How often a template was found, and how often one was made. */
  readonly counts: { hits: number; misses: number } = { hits: 0, misses: 0 };

  /**
   * @param prefix what names of parameters begin with: what is made of templates may be made a template again, whose
   *   parameters must not be taken for those that are there; no name in CQL begins with a dollar sign
   */
  constructor(prefix = "$") {
    this.#prefix = prefix;
  }

  /** The number of templates kept. */
  get size(): number {
    return this.#templates.size;
  }

  /**
   * The template of a query.
   *
   * @param query any query; a frozen one is a template
   * @param params values of its own parameters
   * @returns the template with the values of all of its parameters; a query that is not kept as it is
   */
  get<Q extends T>(query: Q, params: QueryParams): ReadStatement<Q> {
    if (Object.isFrozen(query)) return { query, params };
    const shape = new Shape();
    if (!shape.add(query, 0)) return { query, params };
    const { key, values } = shape;
    let template = this.#templates.get(key);
    if (template === undefined) {
      this.counts.misses++;
      this.#templates.set(key, template = deepFreeze(new Copy(this.#prefix).of(query) as Q));
    } else this.counts.hits++;
    // equal keys are those of queries of the same kind
    return { query: template as Q, params: values.length === 0 ? params : this.#withValues(params, values) };
  }

  #withValues(given: QueryParams, values: readonly unknown[]): QueryParams {
    const params: Record<string, unknown> = { ...given };
    for (let i = 0; i < values.length; i++) params[`${this.#prefix}${i}`] = values[i];
    return params;
  }
}

/** What queries are alike in, as text, and what they differ in. Lengths before texts keep different queries apart. */
class Shape {
  key = "";
  readonly values: unknown[] = [];
  /** Levels of queries that stand in place of views: their parameters are those of the view. */
  #views = 0;

  /** Adds a part of a query; false for one that cannot be told apart from others, or is too large to be kept. */
  add(part: unknown, level: number): boolean {
    switch (typeof part) {
      case "string":
        this.key += `${part.length}:${part}`;
        return this.key.length <= LONGEST_KEY;
      case "object":
        if (part === null) break;
        if (level > MOST_LEVELS) return false;
        return Array.isArray(part) ? this.#list(part, level) : this.#node(part as Expression, level);
      case "function":
      case "symbol":
        return false;
      case "bigint":
        this.key += "n";
    }
    this.key += `${part};`;
    return true;
  }

  #list(list: readonly unknown[], level: number): boolean {
    if (list.length > LONGEST_LIST) return false;
    this.key += "[";
    for (let i = 0; i < list.length; i++) {
      if (this.#views > 0) {
        if (!this.add(list[i], level + 1)) return false;
      } else if (isParameter(list, i)) this.#parameter(list[i].val);
      else if (isParameterList(list, i)) {
        const { list: entries } = list[i];
        if (entries.length > LONGEST_LIST) return false;
        for (const { val } of entries) this.#parameter(val);
        this.key += ",";
      } else if (!this.add(list[i], level + 1)) return false;
    }
    this.key += "]";
    return true;
  }

  #node(node: object, level: number): boolean {
    const content = contentOf(node);
    if (content === undefined) return false;
    this.key += "{";
    for (const name in content) {
      const value = content[name];
      this.key += `${name}=`;
      if (name === "limit" && this.#views === 0 && hasRowCounts(value)) {
        for (const bound in value) {
          this.key += bound;
          this.#parameter(value[bound].val);
        }
        continue;
      }
      if (name === OF_VIEW) this.#views++;
      if (!this.add(value, level + 1)) return false;
      if (name === OF_VIEW) this.#views--;
    }
    this.key += "}";
    return true;
  }

  #parameter(value: unknown): void {
    this.key += "?";
    this.values.push(value);
  }
}

/** Copies a query, with parameters in the order in which `Shape` finds their values. */
class Copy {
  readonly #prefix: string;
  #count = 0;
  #views = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(part: unknown): unknown {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((_item, index) => this.#item(part, index));
    const content = contentOf(part);
    if (content === undefined) return part;
    const copy: Record<string, unknown> = {};
    for (const name in content) copy[name] = this.#member(name, content[name]);
    return copy;
  }

  #member(name: string, value: unknown): unknown {
    if (name === "limit" && this.#views === 0 && hasRowCounts(value)) {
      return Object.fromEntries(Object.keys(value).map((bound) => [bound, this.#parameter()]));
    }
    if (name !== OF_VIEW) return this.of(value);
    this.#views++;
    const copy = this.of(value);
    this.#views--;
    return copy;
  }

  #item(list: readonly unknown[], index: number): unknown {
    if (this.#views > 0) return this.of(list[index]);
    if (isParameter(list, index)) return this.#parameter();
    if (isParameterList(list, index)) return { list: list[index].list.map(() => this.#parameter()) };
    return this.of(list[index]);
  }

  #parameter(): Expression {
    return { ref: [`${this.#prefix}${this.#count++}`], param: true };
  }
}

/** The members of a node; of a builder those of its query. */
function contentOf(node: object): Record<string, unknown> | undefined {
  const prototype = Object.getPrototypeOf(node);
  if (prototype === Object.prototype || prototype === null) return node as Record<string, unknown>;
  if (isSelect(node)) return { SELECT: node.SELECT };
  return isSet(node) ? { SET: node.SET } : undefined;
}

/** A value that an element is compared with, and nothing else: what is calculated with a value depends on it. */
function isParameter(
  tokens: readonly unknown[],
  index: number,
): tokens is readonly { readonly val: unknown }[] {
  if (!isPlainValue(tokens[index])) return false;
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (before === "between") return after === "and" && isElement(tokens[index - 2]);
  if (before === "and" && tokens[index - 3] === "between") {
    return isEnd(after) && isElement(tokens[index - 4]);
  }
  if (COMPARISONS.has(before)) return before !== "in" && isEnd(after) && isElement(tokens[index - 2]);
  return COMPARISONS.has(after) && after !== "in" && isEnd(before) && isElement(tokens[index + 2]);
}

/** A list of such values. */
function isParameterList(
  tokens: readonly unknown[],
  index: number,
): tokens is readonly { readonly list: readonly { readonly val: unknown }[] }[] {
  const given = tokens[index];
  if (tokens[index - 1] !== "in" || typeof given !== "object" || given === null || !("list" in given)) {
    return false;
  }
  const element = tokens[tokens[index - 2] === "not" ? index - 3 : index - 2];
  return isEnd(tokens[index + 1]) && isElement(element) && Array.isArray(given.list) &&
    given.list.every(isPlainValue);
}

function isPlainValue(token: unknown): boolean {
  if (typeof token !== "object" || token === null || !("val" in token)) return false;
  for (const name in token) if (name !== "val") return false;
  const { val } = token;
  return typeof val === "string" || typeof val === "bigint" ||
    (typeof val === "number" && Number.isFinite(val)) ||
    val instanceof Date || val instanceof Uint8Array;
}

function isElement(token: unknown): boolean {
  if (
    typeof token !== "object" || token === null || !("ref" in token) || "param" in token || "cast" in token
  ) {
    return false;
  }
  const [first] = token.ref as readonly Xo[];
  return typeof first !== "string" || first[0] !== "$";
}

/** What stands around a comparison. */
function isEnd(token: unknown): boolean {
  return token === undefined || token === "and" || token === "or";
}

function hasRowCounts(limit: unknown): limit is Record<string, { readonly val: unknown }> {
  if (typeof limit !== "object" || limit === null) return false;
  for (const name in limit) {
    const bound: unknown = limit[name as keyof typeof limit];
    if (!isPlainValue(bound)) return false;
    const { val } = bound as { val: unknown }; // a plain value has one
    if (!Number.isSafeInteger(val) || val as number < 0) return false;
  }
  return true;
}

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

/** Bounds of what is kept: templates, those with one hash, characters, entries of a list and levels of a query. */
const [MOST_TEMPLATES, MOST_ALIKE, MOST_CHARACTERS, LONGEST_LIST, MOST_LEVELS] = [500, 8, 4_000, 32, 40];

/** The member of a step with the query that is read in place of a view. */
const OF_VIEW = "query";
/** Members of a query that are compared with each other, where rows are grouped or made distinct. */
const COMPARED: ReadonlySet<string> = new Set(["columns", "groupBy", "having", "orderBy"]);

/** A query, or a part of one, and the values of its parameters. */
export interface ReadStatement<Q extends object = SelectQuery | SetQuery> {
  readonly query: Q;
  readonly params: QueryParams;
}

/** Templates by what queries, or parts of queries, are alike in. */
export class QueryTemplates<T extends object = SelectQuery | SetQuery> {
  /** By the hash of what queries are alike in, or one of the numbers behind it. */
  readonly #templates: BoundedCache<number, T> = new BoundedCache(MOST_TEMPLATES);
  readonly #prefix: string;
  /** Names of parameters by their numbers, made once. */
  readonly #names: string[] = [];
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
    const hash = hashOf(query, 1, 0);
    if (hash === NOT_KEPT) return { query, params };
    const match = new Match();
    let free: number | undefined;
    for (let key = hash; key < hash + MOST_ALIKE; key++) {
      const template = this.#templates.get(key);
      if (template === undefined) free ??= key;
      else if (match.of(query, template)) {
        this.counts.hits++;
        // what matches a template is a query of the same kind
        return { query: template as Q, params: this.#withValues(params, match.values) };
      } else match.reset();
    }
    return this.#new(query, params, free ?? hash);
  }

  #new<Q extends T>(query: Q, params: QueryParams, key: number): ReadStatement<Q> {
    const copy = new Copy(this.#prefix);
    const template = copy.of(query) as Q;
    if (!copy.isWhole) return { query, params };
    this.counts.misses++;
    this.#templates.set(key, deepFreeze(template));
    const match = new Match();
    match.of(query, template);
    return { query: template, params: this.#withValues(params, match.values) };
  }

  #withValues(given: QueryParams, values: readonly unknown[]): QueryParams {
    if (values.length === 0) return given;
    const names = this.#names;
    while (names.length < values.length) names.push(`${this.#prefix}${names.length}`);
    const params: Record<string, unknown> = { ...given };
    for (let i = 0; i < values.length; i++) params[names[i]!] = values[i];
    return params;
  }
}

/** The hash of what cannot be told apart from others, or is too large to be kept. */
const NOT_KEPT = -1;
/** Stands for a value of whatever kind, which may become a parameter. */
const VALUE = 3;

/** A number that queries have in common which are alike but for their values: it makes no text, as a key would. */
function hashOf(part: unknown, hash: number, level: number): number {
  switch (typeof part) {
    case "string":
      return hashOfText(part, hash);
    case "object":
      break;
    case "function":
    case "symbol":
      return NOT_KEPT;
    default:
      return mixed(hash, part ? 1 : 2);
  }
  if (part === null) return mixed(hash, 4);
  if (level > MOST_LEVELS) return NOT_KEPT;
  return Array.isArray(part) ? hashOfList(part, hash, level) : hashOfNode(part, hash, level);
}

function hashOfList(list: readonly unknown[], given: number, level: number): number {
  if (list.length > LONGEST_LIST) return NOT_KEPT;
  let hash = mixed(given, list.length);
  for (let i = 0; i < list.length && hash !== NOT_KEPT; i++) hash = hashOf(list[i], hash, level + 1);
  return hash;
}

function hashOfNode(node: object, given: number, level: number): number {
  const content = contentOf(node);
  if (content === undefined) return NOT_KEPT;
  let hash = mixed(given, 5);
  for (const name in content) {
    hash = hashOfText(name, hash);
    hash = name === "val" ? mixed(hash, VALUE) : hashOf(content[name], hash, level + 1);
    if (hash === NOT_KEPT) return hash;
  }
  return hash;
}

function hashOfText(text: string, given: number): number {
  const { length } = text;
  const hash = mixed(given, length);
  if (length === 0) return hash;
  const ends = text.charCodeAt(0) << 8 ^ text.charCodeAt(length - 1);
  return mixed(mixed(hash, ends), text.charCodeAt(length >> 1));
}

/** Stays small and positive. */
function mixed(hash: number, more: number): number {
  return (Math.imul(hash, 31) + more) & 0x1fffffff;
}

/** The parameters that templates have in place of values. */
const PLACEHOLDERS: WeakSet<object> = new WeakSet();

function isPlaceholder(node: unknown): boolean {
  return typeof node === "object" && node !== null && "param" in node && PLACEHOLDERS.has(node);
}

/** Compares a query with a template, and collects the values of its parameters. */
class Match {
  values: unknown[] = [];
  /** Levels of what keeps its values. */
  #kept = 0;

  /** Begins anew. */
  reset(): void {
    this.#kept = 0;
    if (this.values.length > 0) this.values = [];
  }

  /** Whether a part of a query is what a part of a template stands for. */
  of(part: unknown, template: unknown): boolean {
    if (typeof part !== "object" || part === null || typeof template !== "object" || template === null) {
      return Object.is(part, template);
    }
    if (Array.isArray(part)) return Array.isArray(template) && this.#list(part, template);
    return !Array.isArray(template) && this.#node(part, template as Record<string, unknown>);
  }

  #list(list: readonly unknown[], template: readonly unknown[]): boolean {
    if (list.length !== template.length) return false;
    for (let i = 0; i < list.length; i++) {
      const expected = template[i];
      if (this.#kept > 0) {
        if (!this.of(list[i], expected)) return false;
      } else if (isParameter(list, i)) {
        if (!this.#parameter(list[i].val, expected)) return false;
      } else if (isParameterList(list, i)) {
        if (!this.#entries(list[i].list, expected)) return false;
      } else if (isPlaceholder(expected) || !this.of(list[i], expected)) return false;
    }
    return true;
  }

  #entries(entries: readonly { readonly val: unknown }[], template: unknown): boolean {
    const others = typeof template === "object" && template !== null && "list" in template && template.list;
    if (!Array.isArray(others) || others.length !== entries.length) return false;
    return entries.every(({ val }, at) => this.#parameter(val, others[at]));
  }

  /** The values come in the order of the template, whatever that of the query is. */
  #node(node: object, template: Readonly<Record<string, unknown>>): boolean {
    const content = contentOf(node);
    if (content === undefined) return false;
    let more = 0;
    for (const _name in content) more++;
    for (const name in template) {
      more--;
      if (!(name in content)) return false;
      const [value, expected] = [content[name], template[name]];
      if (name === "limit" && this.#kept === 0 && hasRowCounts(value)) {
        if (!this.#counts(value, expected as Readonly<Record<string, unknown>>)) return false;
        continue;
      }
      const keeps = keepsValues(name, content);
      if (keeps) this.#kept++;
      if (!this.of(value, expected)) return false;
      if (keeps) this.#kept--;
    }
    return more === 0;
  }

  #counts(
    limit: Readonly<Record<string, { readonly val: unknown }>>,
    template: Readonly<Record<string, unknown>>,
  ): boolean {
    let more = 0;
    for (const _name in limit) more++;
    for (const bound in template) {
      more--;
      const given = limit[bound];
      if (given === undefined || !this.#parameter(given.val, template[bound])) return false;
    }
    return more === 0;
  }

  #parameter(value: unknown, template: unknown): boolean {
    this.values.push(value);
    return isPlaceholder(template);
  }
}

/** Copies a query, with parameters in the order in which `Match` finds their values. */
class Copy {
  readonly #prefix: string;
  #count = 0;
  #kept = 0;
  #characters = 0;
  #isPlain = true;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Whether all could be copied, and is small enough to be kept. */
  get isWhole(): boolean {
    return this.#isPlain && this.#characters <= MOST_CHARACTERS;
  }

  of(part: unknown): unknown {
    if (typeof part === "string") this.#characters += part.length;
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((_item, index) => this.#item(part, index));
    const content = contentOf(part);
    if (content === undefined) {
      this.#isPlain = false;
      return part;
    }
    const copy: Record<string, unknown> = {};
    for (const name in content) {
      this.#characters += name.length;
      copy[name] = this.#member(name, content);
    }
    return copy;
  }

  #member(name: string, content: Readonly<Record<string, unknown>>): unknown {
    const value = content[name];
    if (name === "limit" && this.#kept === 0 && hasRowCounts(value)) {
      return Object.fromEntries(Object.keys(value).map((bound) => [bound, this.#parameter()]));
    }
    if (!keepsValues(name, content)) return this.of(value);
    this.#kept++;
    const copy = this.of(value);
    this.#kept--;
    return copy;
  }

  #item(list: readonly unknown[], index: number): unknown {
    if (this.#kept > 0) return this.of(list[index]);
    if (isParameter(list, index)) return this.#parameter();
    if (isParameterList(list, index)) return { list: list[index].list.map(() => this.#parameter()) };
    return this.of(list[index]);
  }

  #parameter(): Expression {
    const placeholder: Expression = { ref: [`${this.#prefix}${this.#count++}`], param: true };
    PLACEHOLDERS.add(placeholder);
    return placeholder;
  }
}

/**
 * Whether a member keeps its values: the parameters of a query in place of a view are those of the view, and what groups are
 * made by must be found again in what they show, to which two parameters are never the same.
 */
function keepsValues(name: string, { groupBy, distinct }: Readonly<Record<string, unknown>>): boolean {
  return name === OF_VIEW || ((groupBy !== undefined || distinct === true) && COMPARED.has(name));
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

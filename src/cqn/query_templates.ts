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

/** A template, and what a query has to read like to be alike. */
interface KnownTemplate<T> {
  readonly template: T;
  readonly tokens: readonly unknown[];
}

/** Templates by what queries, or parts of queries, are alike in. */
export class QueryTemplates<T extends object = SelectQuery | SetQuery> {
  /** By the hash of what queries are alike in, or one of the numbers behind it. */
  readonly #templates: BoundedCache<number, KnownTemplate<T>> = new BoundedCache(MOST_TEMPLATES);
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
    const outline = new Outline();
    if (!outline.add(query, 0)) return { query, params };
    const { hash, values } = outline;
    let free: number | undefined;
    for (let key = hash; key < hash + MOST_ALIKE; key++) {
      const known = this.#templates.get(key);
      if (known === undefined) free ??= key;
      else if (outline.isOf(known.tokens)) {
        this.counts.hits++;
        // what reads like a template is a query of the same kind
        return { query: known.template as Q, params: this.#withValues(params, values) };
      }
    }
    this.counts.misses++;
    const template = deepFreeze(new Copy(this.#prefix).of(query) as Q);
    this.#templates.set(free ?? hash, { template, tokens: outline.tokens });
    return { query: template, params: this.#withValues(params, values) };
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

/** Begin a list and a node among the tokens of a query, */
const [LIST, NODE] = [Symbol("list"), Symbol("node")];
/** end a node, */
const END = Symbol("end");
/** and stand for a parameter and a list of them. */
const [PARAMETER, PARAMETERS] = [Symbol("parameter"), Symbol("parameters")];
/** What is mixed into the hash: of values that are true or not, of null, of a node, and of values of whatever kind. */
const [TRUE, FALSE, VALUE, NULL, NODE_HASH] = [1, 2, 3, 4, 5];

/**
 * A query read once from its beginning to its end: the tokens that all queries have in common which are alike but for the
 * values of their parameters, a number made of them, and these values in their order.
 */
class Outline {
  readonly tokens: unknown[] = [];
  readonly values: unknown[] = [];
  hash = 1;
  /** Levels of what keeps its values. */
  #kept = 0;
  #characters = 0;

  /** Whether other tokens are the same. */
  isOf(others: readonly unknown[]): boolean {
    const { tokens } = this;
    if (tokens.length !== others.length) return false;
    for (let i = 0; i < tokens.length; i++) if (!Object.is(tokens[i], others[i])) return false;
    return true;
  }

  /** Reads on with a part; whether it can be told apart from others, and is small enough to be kept. */
  add(part: unknown, level: number): boolean {
    switch (typeof part) {
      case "string":
        return this.#text(part);
      case "object":
        break;
      case "function":
      case "symbol":
        return false;
      default:
        this.#token(part, part ? TRUE : FALSE);
        return true;
    }
    if (part === null) {
      this.#token(part, NULL);
      return true;
    }
    if (level > MOST_LEVELS) return false;
    return Array.isArray(part) ? this.#list(part, level) : this.#node(part, level);
  }

  #token(token: unknown, hash: number): void {
    this.tokens.push(token);
    this.hash = mixed(this.hash, hash);
  }

  #text(text: string): boolean {
    this.tokens.push(text);
    this.hash = hashOfText(text, this.hash);
    return (this.#characters += text.length) <= MOST_CHARACTERS;
  }

  #list(list: readonly unknown[], level: number): boolean {
    const { length } = list;
    if (length > LONGEST_LIST) return false;
    this.tokens.push(LIST);
    this.#token(length, length);
    for (let i = 0; i < length; i++) {
      if (this.#kept === 0 && isParameter(list, i)) this.#parameter(list[i].val);
      else if (this.#kept === 0 && isParameterList(list, i)) {
        if (!this.#parameters(list[i].list)) return false;
      } else if (!this.add(list[i], level + 1)) return false;
    }
    return true;
  }

  #parameters(entries: readonly { readonly val: unknown }[]): boolean {
    if (entries.length > LONGEST_LIST) return false;
    this.tokens.push(PARAMETERS);
    this.#token(entries.length, VALUE);
    for (const { val } of entries) this.#parameter(val);
    return true;
  }

  #parameter(value: unknown): void {
    this.#token(PARAMETER, VALUE);
    this.values.push(value);
  }

  #node(node: object, level: number): boolean {
    const content = contentOf(node);
    if (content === undefined) return false;
    this.#token(NODE, NODE_HASH);
    for (const name in content) {
      if (!this.#text(name) || !this.#member(name, content, level + 1)) return false;
    }
    this.tokens.push(END);
    return true;
  }

  #member(name: string, content: Readonly<Record<string, unknown>>, level: number): boolean {
    const value = content[name];
    if (name === "val") return this.#value(value, level);
    if (name === "limit" && this.#kept === 0 && hasRowCounts(value)) {
      this.#token(NODE, NODE_HASH);
      for (const bound in value) {
        this.#text(bound);
        this.#parameter(value[bound]!.val);
      }
      this.tokens.push(END);
      return true;
    }
    if (!keepsValues(name, content)) return this.add(value, level);
    this.#kept++;
    const isAdded = this.add(value, level);
    this.#kept--;
    return isAdded;
  }

  /** Queries that differ in such values alone share their hash, so that few of them are kept. */
  #value(value: unknown, level: number): boolean {
    const { hash } = this;
    if (!this.add(value, level)) return false;
    this.hash = mixed(hash, VALUE);
    return true;
  }
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

/** Copies a query that was read, with parameters in the order of their values. */
class Copy {
  readonly #prefix: string;
  #count = 0;
  #kept = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(part: unknown): unknown {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((_item, index) => this.#item(part, index));
    const content = contentOf(part)!; // else it was not read
    const copy: Record<string, unknown> = {};
    for (const name in content) copy[name] = this.#member(name, content);
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
    return { ref: [`${this.#prefix}${this.#count++}`], param: true };
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

/**
 * What queries are compiled to.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { ValueType } from "../render/dialect.ts";
import { valueType } from "../render/render_query.ts";
import { countQuery } from "./compile_select.ts";

/** In which way a query is compiled. */
export interface QueryVariant {
  readonly localized: boolean;
  /** JSON text in payload form instead of rows. */
  readonly payload?: boolean;
  /** The values of that JSON as columns, where none of them is JSON itself. */
  readonly values?: boolean;
  /** The number of rows instead of the rows. */
  readonly counting?: boolean;
  /** What is known of the values of parameters; only for databases that want to know it. */
  readonly types?: Readonly<Record<string, ValueType>>;
}

/** Compiles queries; frozen ones are templates and are compiled once in each way. */
export class CompiledQueries<T> {
  readonly #compile: (query: SelectQuery | SetQuery, variant: QueryVariant) => T;
  readonly #known: WeakMap<object, Map<string, T>> = new WeakMap();

  /** @param compile compiles a query */
  constructor(compile: (query: SelectQuery | SetQuery, variant: QueryVariant) => T) {
    this.#compile = compile;
  }

  /**
   * What a query is compiled to.
   *
   * @param query the query
   * @param variant in which way
   */
  get(query: SelectQuery | SetQuery, variant: QueryVariant): T {
    if (!Object.isFrozen(query)) return this.#new(query, variant);
    const name = nameOf(variant);
    let variants = this.#known.get(query);
    if (!variants) this.#known.set(query, variants = new Map());
    let compiled = variants.get(name);
    if (!compiled) variants.set(name, compiled = this.#new(query, variant));
    return compiled;
  }

  #new(query: SelectQuery | SetQuery, variant: QueryVariant): T {
    return this.#compile(variant.counting ? countQuery(query as SelectQuery) : query, variant);
  }
}

function nameOf({ localized, payload, values, counting, types }: QueryVariant): string {
  const flags = `${localized ? "l" : ""}${payload ? "j" : ""}${values ? "v" : ""}${counting ? "c" : ""}`;
  return types ? `${flags} ${Object.values(types).join(" ")}` : flags;
}

/**
 * Whether localized elements are read in the locale of a context.
 *
 * @param query asks for it
 * @param context has a locale
 */
export function isLocalized(query: SelectQuery | SetQuery, context: EventContext): boolean {
  return "SELECT" in query && query.SELECT.localized === true && context.locale !== undefined;
}

/**
 * What is known of the values of parameters before the text is written.
 *
 * @param params the values
 */
export function typesOf(params: QueryParams): QueryVariant["types"] {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, valueType(value)]));
}

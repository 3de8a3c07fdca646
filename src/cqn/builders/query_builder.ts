/**
 * What all query builders have in common: they are queries, and they can be awaited.
 *
 * @module
 */

import type { ConditionOf } from "../checked_names.ts";
import type { Query, Row, Xo } from "../cqn.ts";
import { isExpression } from "../is_query.ts";
import { type QueryBinding, runAwaited } from "../query_runner.ts";
import { withCallerFrames } from "../../util/caller_frames.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { printQuery, sqlBegin } from "../print_query.ts";
import { assertDefined } from "./entity_argument.ts";
import { type ConditionObject, conditionTokens, joinConditions, withPatterns } from "./expressions.ts";
import { fromFluent, fromTemplate, isTemplate, parseTokens } from "./parse_text.ts";

/** Takes the marker `readonly` off the members of a query body while it is being built. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** What a condition can be given as; text alternates with values, which always become parameters. */
export type ConditionArguments<T = Row> =
  | readonly [ConditionOf<T>]
  | readonly [TemplateStringsArray, ...(readonly unknown[])]
  | readonly [string, ...(readonly unknown[])]
  | readonly [readonly Xo[]];

/**
 * A query under construction. The builder is the query: its one enumerable property is the body (`SELECT`, …).
 * Awaiting it runs it.
 *
 * @typeParam R what awaiting gives
 */
export abstract class QueryBuilder<R> implements PromiseLike<R> {
  #binding: QueryBinding | undefined;

  /**
   * Begins a query.
   *
   * @param binding where the query runs and looks up names; default: the primary database
   */
  constructor(binding?: QueryBinding) {
    this.#binding = binding;
  }

  /** Where the query runs. */
  protected get binding(): QueryBinding | undefined {
    return this.#binding;
  }

  /** Runs the query. */
  then<A = R, B = never>(
    onfulfilled?: ((value: R) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // The builder has the body of its kind as own property, so it is a query; the runner gives what that kind gives.
    const query = this as unknown as Query;
    const waiting = this.prepare?.();
    const result = waiting ? runLater(query, waiting, this.#binding) : runAwaited(query, this.#binding);
    return result.then(onfulfilled as (value: unknown) => A | PromiseLike<A>, onrejected);
  }

  /** Runs the query, and handles what that fails with. */
  catch<B>(onrejected: (reason: unknown) => B | PromiseLike<B>): Promise<R | B> {
    return this.then(undefined, onrejected);
  }

  /** Runs the query, and acts afterwards in any case. */
  finally(act: () => void): Promise<R> {
    return this.then().finally(act);
  }

  /** What is to be waited for before the query runs. */
  protected prepare?(): Promise<void> | undefined;

  /** Which query it is: `SELECT`, `INSERT`, `UPSERT`, `UPDATE` or `DELETE`. */
  get kind(): string {
    return Object.keys(this)[0]!;
  }

  /** Lets a service run the query when it is awaited. */
  bind(service: { run(query: Query): Promise<unknown> }): this {
    this.#binding = { run: (query) => service.run(query) };
    return this;
  }

  /** A query of its own with the same clauses, which may go on differently. */
  clone(): this {
    const Class = this.constructor as new (binding?: QueryBinding) => this;
    const copy = new Class(this.#binding) as this & Record<string, object>;
    for (const [kind, body] of Object.entries(this)) Object.assign(copy[kind], body);
    return copy;
  }

  /** The query as CQL text. */
  toString(): string {
    return printQuery(this as unknown as Query);
  }

  /** How SQL on the table of the entity begins: `SELECT.from(Books) + "WHERE …"`. */
  valueOf(): string {
    return sqlBegin(this as unknown as Query);
  }
}

/** Runs a query that waits for its entries; who awaits it finds itself in the stack of what it fails with. */
async function runLater(
  query: Query,
  waiting: Promise<void>,
  binding: QueryBinding | undefined,
): Promise<unknown> {
  try {
    await waiting;
  } catch (error) {
    throw withCallerFrames(error);
  }
  return runAwaited(query, binding);
}

/**
 * A query with a condition.
 *
 * @typeParam R what awaiting gives
 * @typeParam T rows of the entity
 */
export abstract class FilteredQueryBuilder<R, T extends object = Row> extends QueryBuilder<R> {
  /** The body that holds `where`. */
  protected abstract get filtered(): { where?: readonly Xo[]; having?: readonly Xo[] };

  #last: "where" | "having" = "where";

  /**
   * Adds a condition: an object, a tagged template, or alternating text and values. Several are joined by `and`.
   *
   * @param args the condition
   * @throws TypeError for values that are undefined: rows without a value are found by `null`
   */
  where(...args: ConditionArguments<T>): this {
    return this.#add("where", args);
  }

  /** Adds a condition to the last one with `and`. */
  and(...args: ConditionArguments<T>): this {
    return this.#add("and", args);
  }

  /** Adds a condition to the last one with `or`. */
  or(...args: ConditionArguments<T>): this {
    return this.#add("or", args);
  }

  /** Adds a condition on groups. */
  protected addHaving(args: readonly unknown[]): this {
    return this.#add("having", args);
  }

  /** Adds a condition given as tokens. */
  protected addWhere(tokens: readonly Xo[]): this {
    this.filtered.where = joinConditions(this.filtered.where, "and", tokens);
    return this;
  }

  #add(method: "where" | "having" | "and" | "or", args: readonly unknown[]): this {
    const clause = this.#last = method === "where" || method === "having" ? method : this.#last;
    const tokens = conditionOf(() => `${Object.keys(this)[0]}.${method}(…)`, args);
    const operator = method === "or" ? "or" : "and";
    if (tokens.length > 0) this.filtered[clause] = joinConditions(this.filtered[clause], operator, tokens);
    return this;
  }
}

/**
 * A condition as flat expression array.
 *
 * @param call how the call reads; asked for where something is wrong with it
 * @param args an object, a tagged template, text and values, or tokens
 */
export function conditionOf(call: () => string, args: readonly unknown[]): readonly Xo[] {
  if (args.length === 0) return [];
  const [first] = args;
  if (isTemplate(args) || typeof first === "string") {
    assertDefined(call, args.slice(1));
    const tokens = parseTokens(isTemplate(args) ? fromTemplate(args[0], args.slice(1)) : fromFluent(args));
    return args.some((arg) => arg instanceof RegExp) ? withPatterns(tokens) : tokens;
  }
  // entries of req.params are no plain objects
  const given = isObject(first) && !isPlainObject(first) ? { ...first } : first;
  assertDefined(call, given);
  if (args.length > 1) return args.map((one) => tokenOf(call, one));
  if (Array.isArray(given)) return given as readonly Xo[];
  if (isObject(given)) return conditionTokens(given as ConditionObject);
  throw new TypeError(`Expected a condition in ${call()}, found ${first === null ? "null" : typeof first}`);
}

/** Of a condition given as expressions with operators between them: `{ref: ["stock"]}, ">", {val: 1}`. */
function tokenOf(call: () => string, given: unknown): Xo {
  if (isExpression(given)) return given;
  if (typeof given === "string") return given.trim().toLowerCase();
  throw new TypeError(`Expected expressions and operators in ${call()}, found ${typeof given}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

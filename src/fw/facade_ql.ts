/**
 * `fw.ql`: the query builders, and CQL as tag (api 8).
 *
 * @module
 */

import { DELETE, type Delete } from "../cqn/builders/delete.ts";
import { INSERT, type Insert } from "../cqn/builders/insert.ts";
import { fromTemplate, isTemplate, parseQueryText } from "../cqn/builders/parse_text.ts";
import { noteMade } from "../cqn/builders/made_expressions.ts";
import { QueryBuilder } from "../cqn/builders/query_builder.ts";
import { SELECT, type Select } from "../cqn/builders/select.ts";
import { UPDATE, type Update } from "../cqn/builders/update.ts";
import { UPSERT, type Upsert } from "../cqn/builders/upsert.ts";
import type { Query } from "../cqn/cqn.ts";
import { isQuery } from "../cqn/is_query.ts";
import { expr, func, list, ref, val, xpr } from "../cqn/ql.ts";
import { fluentQuery } from "../service/requests/fluent_query.ts";

/** The query builders; as tag or function, what makes a query of CQL or CQN that can be awaited and goes on. */
export interface QueryLanguage {
  /**
   * A query from CQL text, whose values stay values, or from CQN.
   *
   * @throws ConfigurationError with the position of a mistake
   */
  (query: string | TemplateStringsArray | Query, ...values: readonly unknown[]): Query & PromiseLike<unknown>;
  /** Starts a SELECT. */
  readonly SELECT: Select;
  /** Starts an INSERT. */
  readonly INSERT: Insert;
  /** Starts an UPSERT. */
  readonly UPSERT: Upsert;
  /** Starts an UPDATE. */
  readonly UPDATE: Update;
  /** Starts a DELETE. */
  readonly DELETE: Delete;
  /** Class of queries that the builders make. */
  readonly Query: typeof QueryBuilder;
  /** An expression in text. */
  readonly expr: typeof expr;
  /** A function call. */
  readonly func: typeof func;
  /** A tuple. */
  readonly list: typeof list;
  /** A path. */
  readonly ref: typeof ref;
  /** A literal. */
  readonly val: typeof val;
  /** Operands and operators in parentheses. */
  readonly xpr: typeof xpr;
}

/** `fw.ql`. */
export const queryLanguage: QueryLanguage = Object.assign(toQuery, {
  SELECT,
  INSERT,
  UPSERT,
  UPDATE,
  DELETE,
  Query: QueryBuilder,
  expr: made(expr),
  func: made(func),
  list: made(list),
  ref: made(ref),
  val: made(val),
  xpr: made(xpr),
});

/** What builds expressions that may stand in texts. */
function made<A extends readonly unknown[], R>(build: (...given: A) => R): (...given: A) => R {
  return (...given) => noteMade(build(...given));
}

function toQuery(...given: readonly unknown[]): Query & PromiseLike<unknown> {
  const [query] = given;
  const text = isTemplate(given)
    ? fromTemplate(given[0], given.slice(1))
    : typeof query === "string"
    ? { text: query, values: given.slice(1) }
    : undefined;
  if (!text && !isQuery(query)) throw new TypeError("Expected CQL text or a query");
  // builders can be awaited; so can set operations, which have no builder, by `fw.run` only
  return fluentQuery(text ? parseQueryText(text) : query as Query) as Query & PromiseLike<unknown>;
}

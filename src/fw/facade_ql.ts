/**
 * `fw.ql`: the query builders, and CQL as tag (api 8).
 *
 * @module
 */

import { DELETE, type Delete } from "../cqn/builders/delete.ts";
import { INSERT, type Insert, UPSERT, type Upsert } from "../cqn/builders/insert.ts";
import { fromTemplate, isTemplate, noteMade, parseQueryText } from "../cqn/builders/parse_text.ts";
import { QueryBuilder } from "../cqn/builders/query_builder.ts";
import { SELECT, type Select } from "../cqn/builders/select.ts";
import { UPDATE, type Update } from "../cqn/builders/update.ts";
import type { Query } from "../cqn/cqn.ts";
import { isQuery } from "../cqn/is_query.ts";
import * as builders from "../cqn/ql.ts";
import { xpr } from "../cqn/ql.ts";
import { fluentQuery } from "../service/requests/materialize_query.ts";

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
  /** An expression: operands and operators one by one, as a list, or in a text. */
  readonly expr: typeof builders.expr;
  /** A function call. */
  readonly func: typeof builders.func;
  /** A tuple. */
  readonly list: typeof builders.list;
  /** A path. */
  readonly ref: typeof builders.ref;
  /** A literal. */
  readonly val: typeof builders.val;
  /** Operands and operators in parentheses. */
  readonly xpr: typeof builders.xpr;
  /** A condition. */
  readonly predicate: typeof builders.predicate;
  /** Columns. */
  readonly columns: typeof builders.columns;
  /** Terms of an order. */
  readonly orders: typeof builders.orders;
  /** The condition of a nested result. */
  readonly where: typeof builders.where;
  /** The order of a nested result. */
  readonly orderBy: typeof builders.orderBy;
  /** A nested result. */
  readonly expand: typeof builders.expand;
  /** Columns behind a path that stand in the rows themselves. */
  readonly inline: typeof builders.inline;
}

/** `fw.ql`. */
export const queryLanguage: QueryLanguage = Object.assign(toQuery, {
  SELECT,
  INSERT,
  UPSERT,
  UPDATE,
  DELETE,
  Query: QueryBuilder,
  expr: made(builders.expr),
  func: made(builders.func),
  list: made(builders.list),
  ref: made(builders.ref),
  val: made(builders.val),
  xpr: made(xpr),
  predicate: made(builders.predicate),
  columns: made(builders.columns),
  orders: made(builders.orders),
  where: made(builders.where),
  orderBy: made(builders.orderBy),
  expand: made(builders.expand),
  inline: made(builders.inline),
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

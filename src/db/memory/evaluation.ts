/**
 * How queries run in memory: they are compiled to functions of the rows at hand.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Expr, TreeQuery } from "../../algebra/tree.ts";
import type { QueryParams, Row } from "../../cqn/cqn.ts";
import type { StatementClock } from "../function_values.ts";

/** The rows of tables and views in one state. */
export interface RowSource {
  /**
   * The rows of a table or view.
   *
   * @param name of the table or view
   * @param run the statement
   * @param only a column whose other values are not wanted
   */
  rows(name: string, run: Run, only?: Restriction): readonly Row[];
}

/** The rows at hand by alias of their source (null where a left join finds none), and `$group`, `$item`. */
export type Env = Readonly<Record<string, unknown>>;

/** What stays the same while a statement runs. */
export interface Run {
  readonly params: QueryParams;
  readonly clock: StatementClock;
  readonly context: EventContext;
  readonly data: RowSource;
  /** Results of queries that do not depend on the rows around them. */
  readonly memo: Map<object, readonly Row[]>;
  /** Values of parameters that hold JSON. */
  readonly parsed: Map<Expr, unknown>;
  /** Counts the texts that are joined for rows. */
  readonly joined: { take(characters: number): void };
}

/** Computes a value from the rows at hand. */
export type Evaluate = (env: Env, run: Run) => unknown;

/** A column of which only rows with this value are wanted; others may come as well. */
export interface Restriction {
  readonly column: string;
  readonly value: unknown;
}

/** A query as function. */
export interface CompiledQuery {
  /** Names of its columns. */
  readonly columns: readonly string[];
  rows(env: Env, run: Run, only?: Restriction): Row[];
  /** The rows one by one, made as they are asked for. */
  each(env: Env, run: Run): Iterable<Row>;
  /** Whether rows with a value in this column can be found without reading all. */
  canRestrict(column: string): boolean;
}

/** Aliases of sources that an expression can refer to. */
export type Aliases = ReadonlySet<string>;

/** Compiles what stands at one place; its steps call each other, and `compile_query.ts` puts them together. */
export interface Compiler {
  /** The sources in reach. */
  readonly aliases: Aliases;
  readonly query: (query: TreeQuery) => CompiledQuery;
  readonly expression: (expression: Expr) => Evaluate;
  /** Compiles what stands where more sources are in reach. */
  readonly within: (aliases: readonly string[]) => Compiler;
}

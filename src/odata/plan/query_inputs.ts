/**
 * What has to be found out before a query runs: nodes of hierarchies and results of functions, which it has as parameters.
 *
 * @module
 */

import type { Row, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedOperation } from "../../model/linked.ts";

/** What has to be found out before a query runs. */
export interface QueryInputs {
  /** Functions in expressions, called first, in this order. */
  readonly calls: readonly FunctionStep[];
  /** Nodes of hierarchies, in this order. */
  readonly hierarchies: readonly HierarchyStep[];
}

/** Nodes below which other levels are shown than below all. */
export interface LevelChanges {
  /** How many levels are shown below a node: null for all, 0 for none. */
  readonly levels: readonly { readonly node: string; readonly below: number | null }[];
  /** Nodes that are shown with all above them. */
  readonly shown: readonly string[];
}

/** Nodes of a hierarchy that queries have as parameter; `Q` is the form of its queries. */
export interface HierarchyStep<Q = SelectQuery> {
  /** With `pairs` the parameter has JSON text: each node beside each one below it. */
  readonly name: "ancestors" | "descendants" | "traverse" | "topLevels" | "pairs";
  /** The parameter with the keys; with `_order` behind it the parameter with all of them as text, in order. */
  readonly param: string;
  /** Gives the columns `node` and `parent`, siblings in order. */
  readonly nodes: Q;
  /** Gives the column `node`: where `ancestors` and `descendants` start. */
  readonly start?: Q;
  /** Steps from the start at most. */
  readonly distance?: number;
  /** The start is kept, too. */
  readonly keepStart?: boolean;
  readonly order?: "preorder" | "postorder";
  /** How many levels `topLevels` shows; undefined for all. */
  readonly levels?: number | undefined;
  /** Where `topLevels` shows more or less. */
  readonly changes?: LevelChanges;
  /** Gives the nodes before, as `nodes` does: the query has what is so of each node as text, with `_facts` behind the name. */
  readonly members?: Q;
  /** Stands around each node in the text. */
  readonly separator: string;
  /** Stands between nodes, in hierarchies whose nodes the query has beside each other. */
  readonly beside?: string;
}

/** The call of a function whose result a query has as parameter: a value, or JSON text. */
export interface FunctionStep {
  readonly param: string;
  readonly definition: LinkedOperation;
  readonly args: Readonly<Row>;
  /** The rows that the function is called for, where it is called for several: the parameter has the results in JSON. */
  readonly rows?: RowCall;
}

/** The rows that a function is called for; `Q` is the form of the query. */
export interface RowCall<Q = SelectQuery> {
  /**
   * Gives the columns `key_…` and `arg_…` with what the function gets, and `name_0`, `name_1`, …: the names that lead to
   * the result in JSON.
   */
  readonly query: Q;
  /** What the function is bound to; undefined for unbound ones. */
  readonly entity?: LinkedEntity;
  /** Names of its keys. */
  readonly keys: readonly string[];
  /** Names of parameters that rows have values for. */
  readonly args: readonly string[];
}

import { DEFAULT_LIMITS, type Limits } from "../../../config/limits.ts";
import type { LinkedOperation } from "../../../model/linked.ts";
import { holdsUnstorable } from "../../../util/unstorable_text.ts";
import type { AstNode, PrimitiveLiteral } from "../../url/ast.ts";
import type { HierarchyStep, RowCall } from "../query_inputs.ts";
import { badRequest } from "../plan_error.ts";
import {
  type Conversion,
  conversionTo,
  type LiteralScalar,
  type ValueType,
} from "../expressions/literal_values.ts";
import { allOf, conjuncts } from "../../../algebra/build.ts";
import type { Expr, Reference, TreeBody, TreeSelect } from "../../../algebra/tree.ts";
import { walkTree } from "../../../algebra/walk_tree.ts";
import { assertSize } from "../options/query_size.ts";

/** A parameter and how its value comes from a literal. */
export interface Binding {
  readonly name: string;
  /** Its position among all values of the template. */
  readonly index: number;
  readonly literal: PrimitiveLiteral;
  readonly convert: Conversion;
}

/** Gives the value of a binding for the request at hand. */
export type ValueOf = (binding: Binding) => LiteralScalar;

/** Bounds of what is planned. */
export type PlanLimits = Pick<
  Limits,
  | "transformations"
  | "groupingSets"
  | "queryNodes"
  | "functionCalls"
  | "lambdaDepth"
  | "joinedCollections"
>;

/** A value of an argument, computed from the values of its literals. */
export type ArgumentTemplate = (valueOf: ValueOf) => unknown;

/** What the rows of a query give to a function that is called for each of them. */
export interface RowValues {
  /** Identifies the rows. */
  readonly row: object;
  /** The names that lead to the result for a row in JSON. */
  entry(): readonly Expr[];
  /** The calls; `reached`: the rows of the URL, if they are about them. */
  planned(reached?: ReachedRows): RowCall<TreeSelect>;
}

/** The call of a function whose result the query has as parameter. */
export interface CallTemplate<Rows = RowValues> {
  readonly param: string;
  /** The call in the URL. */
  readonly node: AstNode;
  readonly definition: LinkedOperation;
  readonly args: Readonly<Record<string, ArgumentTemplate>>;
  /** What each row gives to it, where it is not called once for all. */
  readonly rows?: Rows;
}

/** Collects the parameters of a template. */
export class Bindings {
  /** Parameters of the query. */
  readonly list: Binding[] = [];
  /** Values beside the query: arguments and paging. */
  readonly apart: Binding[] = [];
  /** Sets of nodes that are found before the query runs. */
  readonly hierarchies: HierarchyStep<TreeSelect>[] = [];
  /** Functions that are called before the query runs. */
  readonly calls: CallTemplate[] = [];
  /** Bounds of what is planned. */
  readonly limits: PlanLimits;
  #count = 0;
  #transformations = 0;
  #rows = 0;
  #items = 0;
  #nodes = 0;

  /** @param limits bounds of what is planned */
  constructor(limits: PlanLimits = DEFAULT_LIMITS) {
    this.limits = limits;
  }

  /**
   * Counts a transformation of `$apply`.
   *
   * @param offset where it stands
   * @throws {ServiceError} 400 if there are too many
   */
  countTransformation(offset: number): void {
    const { transformations } = this.limits;
    if (++this.#transformations <= transformations) return;
    throw badRequest(`$apply is limited to ${transformations} transformations`, offset);
  }

  /**
   * Adds the call of a function; one that has been planned before for the same rows stays the same.
   *
   * @param node the call
   * @param row the row that it is about, if it takes values of one
   * @param create gives the function and its arguments
   * @returns the call with the name of the parameter for its result
   * @throws {ServiceError} 400 if there are too many
   */
  callOf(node: AstNode, row: object, create: () => Omit<CallTemplate, "param" | "node">): CallTemplate {
    const known = this.calls.find((call) => call.node === node && (call.rows?.row ?? row) === row);
    if (known) return known;
    const { functionCalls } = this.limits;
    if (this.calls.length >= functionCalls) {
      throw badRequest(`Expressions are limited to ${functionCalls} calls of functions`, node.offset);
    }
    const call = { ...create(), node, param: `call${this.calls.length + 1}` };
    this.calls.push(call);
    return call;
  }

  /** A name for a row of the query that no element has. */
  rowName(): string {
    return `$row${++this.#rows}`;
  }

  /** A name for the parameter with the nodes of a hierarchy, or with pairs of them. */
  nodesName(): string {
    return `nodes${++this.#nodes}`;
  }

  /** A name for the members of an array in the query. */
  itemName(): string {
    return `$item${++this.#items}`;
  }

  /**
   * Makes a parameter of a literal.
   *
   * @param literal the literal
   * @param type the type its value must have
   * @returns the binding
   */
  bind(literal: PrimitiveLiteral, type: ValueType | undefined): Binding {
    return this.bindWith(literal, conversionTo(type));
  }

  /**
   * Makes a parameter of a literal with its own conversion. Texts that databases cannot keep are refused by it.
   *
   * @param literal the literal
   * @param convert value of a literal of the same form
   * @returns the binding
   */
  bindWith(literal: PrimitiveLiteral, convert: Binding["convert"]): Binding {
    const storable = (actual: PrimitiveLiteral) => assertStorable(convert(actual), actual.offset);
    const name = `p${this.list.length + 1}`;
    const binding = { name, index: this.#count++, literal, convert: storable };
    this.list.push(binding);
    return binding;
  }

  /**
   * Takes the value of a literal that is no parameter of the query.
   *
   * @param literal the literal
   * @param convert value of a literal of the same form
   * @returns the binding
   */
  bindApart(literal: PrimitiveLiteral, convert: Binding["convert"]): Binding {
    const binding = { name: "", index: this.#count++, literal, convert };
    this.apart.push(binding);
    return binding;
  }
}

function assertStorable(value: LiteralScalar, offset: number): LiteralScalar {
  if (holdsUnstorable(value)) {
    throw badRequest("Text to look for must not contain U+0000 or a lone surrogate", offset);
  }
  return value;
}

/** The part of a query that says which rows it reads. */
export interface ReachedRows extends Pick<TreeBody, "where" | "search" | "orderBy" | "limit" | "history"> {
  readonly from: Reference;
}

/**
 * What the rows of a query are as far as they do not depend on calls for them: parts of its condition, and its page if it
 * does not depend on any.
 *
 * @param query the query
 * @param params parameters with the results of the calls
 */
function reachedRows(
  { SELECT: { from, where, search, orderBy, limit, history } }: TreeSelect,
  params: ReadonlySet<string>,
): ReachedRows {
  const narrow = where && withoutParams(where, params);
  const isWhole = narrow === where && !orderBy?.some((term) => holdsParam(term, params));
  return {
    from: from as Reference, // resources are read by their path
    ...(history && { history }),
    ...(narrow && { where: narrow }),
    ...(search && { search }),
    ...(isWhole && limit && { limit, ...(orderBy && { orderBy }) }),
  };
}

/** The parts of a conjunction without parameters. */
function withoutParams(where: Expr, params: ReadonlySet<string>): Expr | undefined {
  const parts = conjuncts(where);
  const kept = parts.filter((part) => !holdsParam(part, params));
  return kept.length === parts.length ? where : allOf(kept);
}

function holdsParam(expression: Expr, params: ReadonlySet<string>): boolean {
  let found = false;
  walkTree(expression, (one) => {
    if (one.kind === "parameter" && params.has(one.name)) found = true;
    return !found;
  });
  return found;
}

/** The rows that the query of a URL reads. */
export interface QueriedRows {
  readonly query: TreeSelect | undefined;
  /** Identifies the rows. */
  readonly row: object;
  /** Whether they are the rows of `$apply`. */
  readonly isApplied: boolean;
}

/**
 * The calls in their order: first those that are the same for all rows.
 *
 * @param bindings has all calls
 * @param reads the rows of the URL
 * @throws {ServiceError} 400 if the query for the rows is too large
 */
export function plannedCalls(
  bindings: Bindings,
  reads: QueriedRows,
): readonly CallTemplate<RowCall<TreeSelect>>[] {
  const params = new Set(bindings.calls.filter(({ rows }) => rows).map(({ param }) => param));
  const reached = reads.query && !reads.isApplied ? reachedRows(reads.query, params) : undefined;
  const calls = bindings.calls.map(({ rows: values, ...call }): CallTemplate<RowCall<TreeSelect>> => {
    if (!values) return call;
    const rows = values.planned(values.row === reads.row ? reached : undefined);
    assertSize([rows.query], bindings.limits.queryNodes);
    return { ...call, rows };
  });
  return [...calls.filter(({ rows }) => !rows), ...calls.filter(({ rows }) => rows)];
}

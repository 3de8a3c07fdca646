/**
 * A plan without its values. One template serves all URLs of the same shape.
 *
 * @module
 */

import { templateOf } from "../../../algebra/template.ts";
import type { TreeSelect } from "../../../algebra/tree.ts";
import type { Row, SelectQuery } from "../../../cqn/cqn.ts";
import { type AddressTemplate, BoundAddress, type ReferenceBinder } from "../paths/resource.ts";
import type { ArgumentTemplate, Binding, CallTemplate, ValueOf } from "./bindings.ts";
import type { AppliedParts, NavigationStep, OperationCall, Paging, Plan, ResultPlan } from "../plan.ts";
import type { FunctionStep, HierarchyStep, QueryInputs, RowCall } from "../query_inputs.ts";

/** Members of plans that differ between URLs of a shape. */
type Own = "addressed" | "navigation" | "operation" | "before" | "queryParams" | "rows" | "paging";

/** What the plans of all URLs of a shape have in common. */
export type FixedPlan<P = Plan> = P extends unknown ? Omit<P, Own> : never;

/** What is the same for all URLs of a shape. */
export interface PlanTemplate {
  readonly fixed: FixedPlan;
  readonly bindings: readonly Binding[];
  /** Values beside the query. */
  readonly apart: readonly Binding[];
  /** What is addressed, for paths to entities. */
  readonly address?: AddressTemplate;
  readonly navigation?: Omit<NavigationStep, "subject"> & { readonly subject: ReferenceBinder };
  readonly operation?: Omit<OperationCall, "args" | "result"> & {
    readonly args: Readonly<Record<string, ArgumentTemplate>>;
    readonly result?: Omit<ResultPlan, "paging">;
  };
  readonly before?: Pick<QueryInputs, "hierarchies"> & { readonly calls: readonly CallTemplate<RowCall>[] };
  /** The page of the query, or of what an operation returns. */
  readonly paging?: PagingTemplate;
}

/** Sizes of pages, and the literals of the URL that change them. */
export interface PagingTemplate {
  readonly top?: Binding;
  readonly skip?: Binding;
  readonly skiptoken?: Binding;
  /** The token names the row that the page lies behind. */
  readonly behind?: { readonly total?: Binding };
  readonly defaultRows: number;
  readonly maxRows: number;
  /** There are no pages: only `$top` and `$skip` cut the rows. */
  readonly isWhole: boolean;
  /** The query leaves out rows. */
  readonly isMoved: boolean;
  readonly keyset?: Paging["keyset"];
  readonly numeric?: Paging["numeric"];
}

/** Names of the parameters of `limit`. */
export const LIMIT_PARAMS = { rows: "rows", offset: "offset" } as const;

/**
 * Makes the plan of a request.
 *
 * @param template the template of its shape
 * @param valueOf gives the values
 * @param pageSize page size that the client prefers
 * @returns the plan
 */
export function instantiate(template: PlanTemplate, valueOf: ValueOf, pageSize?: number): Plan {
  const { fixed, bindings, address, navigation, operation, before } = template;
  const queryParams: Record<string, unknown> = {};
  for (let i = 0; i < bindings.length; i++) queryParams[bindings[i].name] = valueOf(bindings[i]);
  const paging = template.paging && pageOf(template.paging, valueOf, pageSize);
  if (paging) {
    queryParams[LIMIT_PARAMS.rows] = paging.rows;
    if (template.paging!.isMoved) queryParams[LIMIT_PARAMS.offset] = paging.offset;
  }
  // all members, so that all plans of a kind look the same to the engine that runs the code
  const plan = {
    ...fixed,
    queryParams,
    addressed: address && new BoundAddress(address, queryParams),
    rows: undefined,
    navigation: navigation && { ...navigation, subject: navigation.subject(queryParams) },
    before: before && { ...before, calls: before.calls.map((call) => calledWith(call, valueOf)) },
    operation: operation && {
      ...operation,
      args: valuesOf(operation.args, valueOf),
      result: operation.result && { ...operation.result, paging },
    },
    paging: operation ? undefined : paging,
  };
  return plan as Plan; // a template has what plans of its kind have
}

function calledWith(
  { param, definition, args, rows }: CallTemplate<RowCall>,
  valueOf: ValueOf,
): FunctionStep {
  return { param, definition, args: valuesOf(args, valueOf), rows };
}

function valuesOf(given: Readonly<Record<string, ArgumentTemplate>>, valueOf: ValueOf): Row {
  const args: Row = {};
  for (const name in given) args[name] = given[name](valueOf);
  return args;
}

function pageOf(template: PagingTemplate, valueOf: ValueOf, pageSize: number | undefined): Paging {
  const token = numberOf(template.skiptoken, valueOf) ?? 0;
  const top = numberOf(template.top, valueOf);
  const wanted = top === undefined ? undefined : Math.max(top - token, 0);
  const preferred = template.isWhole ? undefined : pageSize;
  const page = Math.min(preferred ?? template.maxRows, template.maxRows);
  const size = wanted === undefined
    ? Math.min(page, preferred ?? template.defaultRows)
    : Math.min(page, wanted);
  const skip = numberOf(template.skip, valueOf) ?? 0;
  return {
    offset: template.behind ? 0 : skip + token,
    rows: size,
    wanted,
    token,
    skip,
    behind: template.behind && { total: numberOf(template.behind.total, valueOf) },
    keyset: template.keyset,
    numeric: template.numeric,
  };
}

function numberOf(binding: Binding | undefined, valueOf: ValueOf): number | undefined {
  return binding === undefined ? undefined : Number(valueOf(binding));
}

/** What has a query, with the template of it. */
export function frozen<T extends { readonly query: TreeSelect }>(
  one: T,
): Omit<T, "query"> & { query: SelectQuery } {
  return { ...one, query: templateOf(one.query) };
}

/** What `$apply` asks for beside the rows, with templates. */
export function frozenParts({ parts, groups }: AppliedParts<TreeSelect>): AppliedParts {
  return { ...(parts && { parts: parts.map(frozen) }), ...(groups && { groups: groups.map(frozen) }) };
}

/** A step in a hierarchy, with templates. */
export function frozenStep({ nodes, start, members, ...step }: HierarchyStep<TreeSelect>): HierarchyStep {
  return {
    ...step,
    nodes: templateOf(nodes),
    ...(start && { start: templateOf(start) }),
    ...(members && { members: templateOf(members) }),
  };
}

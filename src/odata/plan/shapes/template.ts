/**
 * A plan without its values. One template serves all URLs of the same shape.
 *
 * @module
 */

import type { Row } from "../../../cqn/cqn.ts";
import { deepFreeze } from "../../../util/deep_freeze.ts";
import {
  type AddressTemplate,
  bindReference,
  BoundAddress,
  type ReferenceBinder,
} from "../paths/resource.ts";
import type { ArgumentTemplate, Binding, CallTemplate, ValueOf } from "./bindings.ts";
import type { NavigationStep, OperationCall, Paging, Plan, RowCall } from "../plan.ts";

/** Members of plans that differ between URLs of a shape. */
type Own =
  | "addressed"
  | "navigation"
  | "operation"
  | "calls"
  | "queryParams"
  | "rows"
  | "paging";

/** All members, so that all plans look the same to the engine that runs the code. */
type Complete<T> = { readonly [K in keyof Required<T>]: T[K] };

/** What is the same for all URLs of a shape. */
export interface PlanTemplate extends AddressTemplate {
  readonly fixed: Omit<Plan, Own>;
  readonly bindings: readonly Binding[];
  /** Values beside the query. */
  readonly apart: readonly Binding[];
  readonly navigation?: Omit<NavigationStep, "subject"> & { readonly subject: ReferenceBinder };
  readonly operation?: Omit<OperationCall, "args"> & {
    readonly args: Readonly<Record<string, ArgumentTemplate>>;
  };
  /** Functions in expressions. */
  readonly calls?: readonly CallTemplate<RowCall>[];
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
  readonly isWhole?: boolean;
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
  const { fixed, bindings, navigation, operation } = template;
  const queryParams: Record<string, unknown> = {};
  for (let i = 0; i < bindings.length; i++) queryParams[bindings[i].name] = valueOf(bindings[i]);
  const paging = template.paging && pageOf(template.paging, valueOf, pageSize);
  if (paging) {
    queryParams[LIMIT_PARAMS.rows] = paging.rows;
    const { skip, skiptoken, behind } = template.paging!;
    const isMoved = fixed.sets || (!behind && (skip || skiptoken));
    if (isMoved) queryParams[LIMIT_PARAMS.offset] = paging.offset;
  }
  const plan: Complete<Plan> = {
    kind: fixed.kind,
    collection: fixed.collection,
    target: fixed.target,
    rows: undefined,
    media: fixed.media,
    cast: fixed.cast,
    singleton: fixed.singleton,
    path: fixed.path,
    addressed: new BoundAddress(template, queryParams),
    from: fixed.from,
    navigation: navigation && { ...navigation, subject: navigation.subject(queryParams) },
    property: fixed.property,
    index: fixed.index,
    operation: operation && { ...operation, args: valuesOf(operation.args, valueOf) },
    calls: template.calls?.map(({ param, definition, args, rows }) => ({
      param,
      definition,
      args: valuesOf(args, valueOf),
      ...(rows && { rows }),
    })),
    groups: fixed.groups,
    source: fixed.source,
    query: fixed.query,
    parts: fixed.parts,
    hierarchies: fixed.hierarchies,
    sets: fixed.sets,
    queryParams,
    shape: fixed.shape,
    count: fixed.count,
    paging,
    keyset: fixed.keyset,
    format: fixed.format,
    schemaversion: fixed.schemaversion,
    deltatoken: fixed.deltatoken,
    custom: fixed.custom,
  };
  return plan;
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
  };
}

function numberOf(binding: Binding | undefined, valueOf: ValueOf): number | undefined {
  return binding === undefined ? undefined : Number(valueOf(binding));
}

/**
 * Freezes a template's data, so that requests can share it.
 *
 * @param template a new template
 * @returns the same template
 */
export function freezeTemplate(template: Omit<PlanTemplate, "subject">): PlanTemplate {
  const { from } = template.fixed;
  deepFreeze(template.fixed.query);
  deepFreeze(from);
  for (const { query } of template.fixed.parts ?? []) deepFreeze(query);
  for (const { query } of template.fixed.groups ?? []) deepFreeze(query);
  for (const { rows } of template.calls ?? []) deepFreeze(rows?.query);
  for (const step of template.fixed.hierarchies ?? []) deepFreeze(step);
  for (const { query } of template.fixed.sets ?? []) deepFreeze(query);
  deepFreeze(template.operation?.result?.query);
  return { ...template, fixed: complete(template.fixed), ...(from && { subject: bindReference(from) }) };
}

/** The members of plans that URLs of a shape share. */
const FIXED: Readonly<Record<keyof Omit<Plan, Own>, true>> = {
  kind: true,
  collection: true,
  target: true,
  media: true,
  cast: true,
  singleton: true,
  path: true,
  from: true,
  property: true,
  index: true,
  source: true,
  query: true,
  parts: true,
  hierarchies: true,
  groups: true,
  sets: true,
  shape: true,
  count: true,
  keyset: true,
  format: true,
  schemaversion: true,
  deltatoken: true,
  custom: true,
};

/** All members in the same order, whichever there are. */
function complete(fixed: PlanTemplate["fixed"]): PlanTemplate["fixed"] {
  const whole: Record<string, unknown> = {};
  for (const name in FIXED) whole[name] = fixed[name as keyof typeof FIXED];
  return whole as unknown as PlanTemplate["fixed"]; // it has all the names
}

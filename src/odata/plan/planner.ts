/**
 * URLs of a service → plans.
 *
 * @module
 */

import { assertCost, assertSize, expandBounds, pageSizes, type QueryLimit } from "./options/query_size.ts";
import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { reference } from "../../algebra/build.ts";
import { templateOf } from "../../algebra/template.ts";
import { toSteps } from "../../algebra/to_cqn.ts";
import type { Reference, TreeSelect } from "../../algebra/tree.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import type { AstNode, ODataRelativeUri, QueryOptions } from "../url/ast.ts";
import { checkUrl } from "../url/check_url.ts";
import { checkLength, parseUrl } from "../url/parse_url.ts";
import { type Binding, Bindings, plannedCalls } from "./shapes/bindings.ts";
import { type CallArguments, functionOverload, planArguments, usedOptions } from "./paths/plan_operation.ts";
import { assertOptions, type Returned } from "./options/allowed_options.ts";
import type { EntityPlan, PartPlan, Plan, PlanKind, PlanOptions, ServicePlan, UnboundPlan } from "./plan.ts";
import { notImplemented } from "./plan_error.ts";
import type { ServiceError } from "../../errors/service_error.ts";
import type { LiteralScalar } from "./expressions/literal_values.ts";
import { EXPRESSIONS, planCondition } from "./expressions/plan_expression.ts";
import { planPath } from "./paths/plan_path.ts";
import type { PlannedQuery } from "./options/entity_query.ts";
import { planCut, planPage } from "./options/plan_page.ts";
import { planQuery } from "./options/plan_query.ts";
import { type PlannedResult, planResult } from "./options/plan_result.ts";
import { planAll, planCrossjoin, type SetsContext } from "./paths/plan_sets.ts";
import { bindReference, type Resource } from "./paths/resource.ts";
import { aliasMap, namedRows, resolveAlias, type RowName, type Scope } from "./scope.ts";
import { createServiceIndex, returnedEntity, type ServiceIndex } from "./service_index.ts";
import { ShapeCache } from "./shapes/shape_cache.ts";
import {
  type FixedPlan,
  frozen,
  frozenParts,
  frozenStep,
  instantiate,
  type PagingTemplate,
  type PlanTemplate,
} from "./shapes/template.ts";

/** Plans the URLs of one service. */
export interface Planner {
  /**
   * Plans a URL.
   *
   * @param raw path and query below the service root, not decoded, without leading slash
   * @param method method of the request; GET by default
   * @param options `pageSize`: rows of a page that the client prefers; `inBody`: the query came in the body of a
   *   request (`/$query`), which may be longer than a URL
   * @returns the plan
   * @throws {ServiceError} 400 for syntax and meaning, 404 for what does not exist, 501 for what is not run
   */
  planUrl(raw: string, method?: string, options?: UrlOptions): Plan;
  /** Whether the plan of a URL that is read is kept: that of another one of its shape, or its own. */
  isPlanned(raw: string): boolean;
}

/** How a URL came. */
export interface UrlOptions {
  /** Rows of a page that the client prefers. */
  readonly pageSize?: number;
  /** The query came in the body of a request. */
  readonly inBody?: boolean;
}

/** Settings of a planner. */
export interface PlannerOptions extends Partial<Limits> {
  /** `fw.query.limit`: rows of a page without and with `$top`. */
  readonly queryLimit?: QueryLimit;
}

/**
 * Creates the planner of a service. It caches plans by the shape of URLs.
 *
 * @param service the service
 * @param options bounds and sizes of pages
 * @returns the planner
 */
export function createPlanner(service: LinkedService, options: PlannerOptions = {}): Planner {
  const { queryLimit, ...given } = options;
  const limits: Limits = { ...DEFAULT_LIMITS, ...given };
  const context: PlannerContext = {
    index: createServiceIndex(service),
    limits,
    queryLimit: queryLimit ?? {},
  };
  const bodyLimits = { ...limits, urlLength: limits.queryLength };
  const cache = new ShapeCache(limits.planCache);
  return {
    isPlanned: (raw) => cache.find(raw, true) !== undefined,
    planUrl(raw, method = "GET", options): Plan {
      const bounds = options?.inBody ? bodyLimits : limits;
      checkLength(raw.length, bounds);
      // OPTIONS asks about the resource that GET reads
      const reads = method === "GET" || method === "HEAD" || method === "OPTIONS";
      const known = cache.find(raw, reads);
      const template = known?.template ?? planTemplate(raw, reads, { ...context, limits: bounds });
      if (known === undefined) cache.keep(raw, reads, template);
      const plan = instantiate(template, known?.valueOf ?? ownValue, options?.pageSize);
      if (reads && limits.queryCost > 0) assertCost(plan, limits.queryCost);
      return plan;
    },
  };
}

/** The value of a binding for the URL that was planned. */
function ownValue(binding: Binding): LiteralScalar {
  return binding.convert(binding.literal);
}

interface PlannerContext {
  readonly index: ServiceIndex;
  readonly limits: Limits;
  readonly queryLimit: NonNullable<PlannerOptions["queryLimit"]>;
}

function planTemplate(raw: string, reads: boolean, context: PlannerContext): PlanTemplate {
  const url = parseUrl(raw, context.limits);
  checkUrl(url, context.limits);
  return new UrlPlanner(url, reads, context).plan();
}

/** Resources whose queries may have parameters that are found out before. */
const READS: ReadonlySet<PlanKind> = new Set(["entity", "entitySet", "count"]);

function callHere({ node }: { readonly node: AstNode }): ServiceError {
  return notImplemented("A function in an expression here", node.offset);
}

/** What plans of a shape have in common, where they lead, and the page. */
interface Meant extends Pick<PlanTemplate, "fixed" | "address" | "paging"> {
  /** How entities are read. */
  readonly read?: { readonly from: Reference; readonly query: TreeSelect };
}

/** A resource of an entity. */
type OfEntity = Resource & { readonly entity: LinkedEntity };

/** The state of planning one URL. */
class UrlPlanner {
  readonly #url: ODataRelativeUri;
  readonly #reads: boolean;
  readonly #context: PlannerContext;
  readonly #bindings: Bindings;
  readonly #aliases: Scope["aliases"];

  constructor(url: ODataRelativeUri, reads: boolean, context: PlannerContext) {
    this.#url = url;
    this.#reads = reads;
    this.#context = context;
    this.#aliases = aliasMap(url.options.aliases);
    this.#bindings = new Bindings(context.limits);
  }

  plan(): PlanTemplate {
    const resource = this.#path();
    const call = this.#call(resource);
    const options = usedOptions(this.#url.options, call);
    const returned = this.#returned(resource);
    assertOptions(resource, options, { reads: this.#reads, returned });
    const row: RowName = {};
    const { read, ...meant } = this.#meant(resource, options, row);
    const result = returned && this.#result(returned, options);
    const { navigation, operation } = resource;
    return {
      ...meant,
      before: this.#before({ ...meant, read }, row, options),
      navigation: navigation &&
        { ...without(navigation, "ref"), subject: bindReference({ ref: toSteps(navigation.ref) }) },
      operation: operation && {
        ...without(operation, "segment"),
        args: call?.args ?? {},
        result: result && { ...result, query: result.query && templateOf(result.query) },
      },
      paging: result ? planCut(options, this.#bindings) : meant.paging,
      bindings: this.#bindings.list,
      apart: this.#bindings.apart,
    };
  }

  /** What the plans of the shape have in common, and their pages. */
  #meant(resource: Resource, options: QueryOptions, row: RowName): Meant {
    const { kind, collection, property, source } = resource;
    if (resource.entity) return this.#ofEntity({ ...resource, entity: resource.entity }, options, row);
    const shared = { collection, options: planOptions(options) };
    if (property && source !== undefined) {
      refuseOptions(options);
      const form = kind as PartPlan["form"]; // nothing else follows values
      return { fixed: { kind: "part", ...shared, form, property, source } };
    }
    switch (kind) {
      case "all": {
        const sets = planAll(this.#setsContext(options));
        this.#assertSize(sets.map(({ query }) => query));
        return { fixed: { kind, ...shared, sets: sets.map(frozen) }, paging: this.#page(options) };
      }
      case "crossjoin": {
        const planned = planCrossjoin(resource.crossjoin!, this.#setsContext(options)); // the kind has one
        this.#assertSize([planned.query]);
        return { fixed: { kind, ...shared, ...frozen(planned) }, paging: this.#page(options) };
      }
      default:
        return { fixed: { kind, ...shared } as FixedPlan<ServicePlan | UnboundPlan> }; // others have an entity
    }
  }

  #ofEntity(resource: OfEntity, options: QueryOptions, row: RowName): Meant {
    const { kind, collection, entity, cast, singleton, path, keys, url, source, property, media } = resource;
    const from = reference(resource.ref);
    const place = deepFreeze({ ref: toSteps(resource.ref) });
    const planned = planQuery(resource, from, {
      options,
      scope: { ...this.#scope(entity, row), type: cast?.name },
      bounds: expandBounds(this.#context.limits, collection),
      reads: this.#reads,
    });
    const { applied, shape, paged, cut } = planned;
    this.#assertSize([planned.query, applied?.parts, applied?.groups, this.#bindings.hierarchies]);
    const named = withName(planned, from, row);
    const fixed = {
      kind,
      collection,
      options: planOptions(options),
      target: entity,
      cast,
      singleton,
      path,
      from: place,
      source,
      query: templateOf(named.query),
      shape,
      applied: named.applied && frozenParts(named.applied),
      property,
      media,
    };
    return {
      fixed: fixed as FixedPlan<EntityPlan>, // kinds of properties have one
      address: { subject: bindReference(place), keys, url },
      read: { from, query: named.query },
      paging: paged ? this.#page({ ...options, ...cut }, entity, planned) : undefined,
    };
  }

  #assertSize(nodes: readonly unknown[]): void {
    assertSize(nodes, this.#context.limits.queryNodes);
  }

  #path(): Resource {
    const resource = planPath(this.#url.path, {
      index: this.#context.index,
      bindings: this.#bindings,
      resolveAlias: (expr) => resolveAlias(expr, { aliases: this.#aliases }),
      planFilter: (filter, entity) => {
        const row: RowName = {};
        return { where: planCondition(filter, this.#scope(entity, row)), row };
      },
    });
    const [call] = this.#bindings.calls;
    if (call) throw callHere(call); // requests have the path with its values
    return resource;
  }

  /** Functions are called, and nodes are found, before entities are read by the service, and nowhere else. */
  #before({ fixed, read }: Meant, row: RowName, { apply }: QueryOptions): PlanTemplate["before"] {
    const { calls, hierarchies } = this.#bindings;
    const [call] = calls;
    if (!call && hierarchies.length === 0) return undefined;
    if (!this.#reads || !read || !READS.has(fixed.kind)) {
      throw hierarchies.length > 0 ? notImplemented("A hierarchy here") : callHere(call!);
    }
    const { from, query } = read;
    if (call && "source" in fixed && fixed.source !== undefined) throw callHere(call);
    const planned = plannedCalls(this.#bindings, { query, row, isApplied: apply !== undefined });
    return {
      calls: planned.map(({ rows, ...one }) => ({ ...one, ...(rows && { rows: frozen(rows) }) })),
      hierarchies: hierarchies.map((step) => frozenStep(namedRows(step, from, row))),
    };
  }

  #scope(entity: LinkedEntity, row: RowName = {}): Scope {
    const { index } = this.#context;
    const [bindings, aliases] = [this.#bindings, this.#aliases];
    return { plan: EXPRESSIONS, entity, row, index, bindings, aliases, computed: new Map() };
  }

  #call({ operation }: Resource): CallArguments | undefined {
    if (operation === undefined) return undefined;
    operation.definition = functionOverload(operation.definition, operation.segment, this.#url.options);
    return planArguments(operation.definition, operation.segment, {
      bindings: this.#bindings,
      resolveAlias: (expr) => resolveAlias(expr, { aliases: this.#aliases }),
      options: this.#url.options,
    });
  }

  /** What an operation returns; undefined for nothing. */
  #returned({ operation }: Resource): Returned | undefined {
    const returns = operation?.definition.returns;
    if (!operation || !returns) return undefined;
    const { entity, many } = returnedEntity(operation.definition, this.#context.index.service);
    const isEach = operation.binding === "each";
    const element = returns.$type.items ?? returns;
    return { element, entity, many: many || isEach, nested: many && isEach };
  }

  /** The options of what an operation returns. */
  #result(returned: Returned, options: QueryOptions): PlannedResult | undefined {
    const { limits } = this.#context;
    const row: RowName = {};
    const scopeOf = (of: LinkedEntity) => this.#scope(of, row);
    const planned = planResult(
      returned,
      options,
      (of) => ({ options, scope: scopeOf(of), bounds: expandBounds(limits, returned.many), reads: true }),
    );
    if (!planned?.query) return planned;
    if (this.#bindings.hierarchies.length > 0) {
      throw notImplemented("A hierarchy in what an operation returns", options.offsets.apply);
    }
    this.#assertSize([planned.query]);
    const query = namedRows(planned.query, planned.query.SELECT.from as Reference, row);
    return { ...planned, query };
  }

  #setsContext(options: QueryOptions): SetsContext {
    const { index, limits } = this.#context;
    return {
      index,
      options,
      bounds: expandBounds(limits, true),
      scope: (entity, row) => this.#scope(entity, row),
      named: (planned, row) => withName(planned, planned.query.SELECT.from as Reference, row),
    };
  }

  #page(options: QueryOptions, entity?: LinkedEntity, planned?: PlannedQuery): PagingTemplate {
    const { queryLimit, limits } = this.#context;
    const sizes = pageSizes(entity, queryLimit, limits.pageSize);
    return planPage(options, this.#bindings, { ...sizes, planned });
  }
}

function planOptions({ count, format, schemaversion, index, custom = [] }: QueryOptions): PlanOptions {
  return {
    count: count === true,
    format,
    schemaversion,
    index,
    custom: Object.fromEntries(custom.map(({ name, value }) => [name, value])),
  };
}

/** Parts of values that a function returns are what they are. */
function refuseOptions(options: QueryOptions): void {
  const names = [
    "filter",
    "search",
    "orderby",
    "apply",
    "compute",
    "expand",
    "select",
    "top",
    "skip",
    "count",
  ];
  const used = names.find((name) => options.offsets[name] !== undefined);
  if (used) {
    throw notImplemented(`$${used} for parts of values that a function returns`, options.offsets[used]);
  }
}

/** Conditions inside of other rows refer to the rows of the query by name. */
function withName(planned: PlannedQuery, from: Reference, row: RowName): PlannedQuery {
  if (row.name === undefined) return planned;
  const { applied } = planned;
  const parts = applied?.parts?.map((part) => ({ ...part, query: namedRows(part.query, from, row) }));
  return {
    ...planned,
    query: namedRows(planned.query, from, row),
    applied: applied && { ...applied, parts },
  };
}

function without<T extends object, K extends keyof T>(source: T, name: K): Omit<T, K> {
  const { [name]: _left, ...others } = source;
  return others;
}

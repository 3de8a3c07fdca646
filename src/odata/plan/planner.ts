/**
 * URLs of a service → plans.
 *
 * @module
 */

import {
  assertCost,
  assertSize,
  expandBounds,
  pageSizes,
  type QueryLimit,
  rowCount,
  rowCountLiteral,
} from "./options/query_size.ts";
import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import type { RefExpression } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import type { ODataRelativeUri, PrimitiveLiteral, QueryOptions } from "../url/ast.ts";
import { checkUrl } from "../url/check_url.ts";
import { wholeNumber } from "../url/literals.ts";
import { checkLength, parseUrl } from "../url/parse_url.ts";
import {
  type Binding,
  Bindings,
  type CallTemplate,
  plannedCalls,
  type QueriedRows,
} from "./shapes/bindings.ts";
import { type CallArguments, functionOverload, planArguments, usedOptions } from "./paths/plan_operation.ts";
import { assertOptions, type Returned } from "./options/allowed_options.ts";
import type { KeysetPage } from "./options/keyset.ts";
import type { HierarchyStep, Plan, PlanKind, RowCall } from "./plan.ts";
import { badRequest, notImplemented } from "./plan_error.ts";
import type { LiteralScalar } from "./expressions/literal_values.ts";
import { EXPRESSIONS, planCondition } from "./expressions/plan_expression.ts";
import { planPath } from "./paths/plan_path.ts";
import type { PlannedQuery } from "./options/entity_query.ts";
import { planQuery } from "./options/plan_query.ts";
import { type PlannedResult, planResult } from "./options/plan_result.ts";
import { planAll, planCrossjoin, type PlannedSets, type SetsContext } from "./paths/plan_sets.ts";
import { bindReference, type Resource } from "./paths/resource.ts";
import { aliasMap, namedRows, resolveAlias, type RowName, type Scope } from "./scope.ts";
import { createServiceIndex, returnedEntity, type ServiceIndex } from "./service_index.ts";
import { ShapeCache } from "./shapes/shape_cache.ts";
import { freezeTemplate, instantiate, type PagingTemplate, type PlanTemplate } from "./shapes/template.ts";

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
    const from: RefExpression | undefined = resource.entity === undefined ? undefined : { ref: resource.ref };
    const row: RowName = {};
    const planned = from && this.#named(
      planQuery(resource, from, {
        options,
        scope: { ...this.#scope(resource.entity!, row), ...(resource.cast && { type: resource.cast.name }) },
        bounds: expandBounds(this.#context.limits, resource.collection),
        reads: this.#reads,
      }),
      from,
      row,
    );
    if (!from && resource.source !== undefined) refuseOptions(options);
    const sets = this.#sets(resource, options);
    const query = planned?.query ?? sets?.query;
    const result = returned && this.#result(returned, options);
    const shape = planned?.shape ?? result?.shape;
    const { navigation, operation, property } = resource;
    return freezeTemplate({
      fixed: {
        kind: resource.kind,
        collection: resource.collection,
        singleton: resource.singleton,
        path: resource.path,
        count: options.count === true,
        custom: Object.fromEntries(options.custom?.map(({ name, value }) => [name, value]) ?? []),
        ...(resource.entity && { target: resource.entity }),
        ...(resource.cast && { cast: resource.cast }),
        ...(resource.media && { media: true }),
        ...(from && { from }),
        ...(property && { property }),
        ...(resource.source !== undefined && { source: resource.source }),
        ...(query && { query }),
        ...(sets && { sets: sets.sets }),
        ...(planned && pick(planned, ["parts", "groups", "keyset"])),
        ...(this.#bindings.hierarchies.length > 0 && {
          hierarchies: this.#hierarchies(resource.kind, from, row),
        }),
        ...(shape && { shape }),
        ...pick(options, ["format", "schemaversion", "deltatoken", "index"]),
      },
      bindings: this.#bindings.list,
      apart: this.#bindings.apart,
      keys: resource.keys,
      url: resource.url,
      ...(this.#bindings.calls.length > 0 &&
        { calls: this.#calls(resource, { query, row, isApplied: options.apply !== undefined }) }),
      ...(navigation &&
        { navigation: { ...without(navigation, "ref"), subject: bindReference({ ref: navigation.ref }) } }),
      ...(operation && {
        operation: {
          ...without(operation, "segment"),
          args: call?.args ?? {},
          ...(result && { result: without(result, "shape") }),
        },
      }),
      ...(result && { paging: this.#cut(options) }),
      ...((planned?.paged || sets) &&
        { paging: this.#paging({ ...options, ...planned?.cut }, resource.entity, planned?.page) }),
    });
  }

  /** The query with the names of its rows; one that cannot be written down is refused before. */
  #named(planned: PlannedQuery, from: RefExpression, row: RowName): PlannedQuery {
    const { queryNodes } = this.#context.limits;
    assertSize([planned.query, planned.parts, planned.groups, this.#bindings.hierarchies], queryNodes);
    return withName(planned, from, row);
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
    this.#refuseCalls(); // requests have the path with its values
    return resource;
  }

  /** Functions are called before entities are read by the service, and nowhere else; first those for all rows. */
  #calls({ kind, entity, source }: Resource, reads: QueriedRows): readonly CallTemplate<RowCall>[] {
    const isRead = this.#reads && source === undefined && READS.has(kind);
    if (!isRead || entity === undefined) this.#refuseCalls();
    return plannedCalls(this.#bindings, reads);
  }

  #refuseCalls(): void {
    const [call] = this.#bindings.calls;
    if (call) throw notImplemented("A function in an expression here", call.node.offset);
  }

  /** Their nodes are found before entities are read, and nowhere else. */
  #hierarchies(kind: PlanKind, from: RefExpression | undefined, row: RowName): readonly HierarchyStep[] {
    if (!this.#reads || from === undefined || !READS.has(kind)) throw notImplemented("A hierarchy here");
    return this.#bindings.hierarchies.map((step) => namedRows(step, from, row));
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
    assertSize([planned.query], limits.queryNodes);
    const query = namedRows(planned.query, planned.query.SELECT.from as RefExpression, row);
    return { ...planned, query };
  }

  /** `$top` and `$skip` of what an operation returns. */
  #cut(options: QueryOptions): PagingTemplate {
    const [top, skip] = [this.#bindCount(options, "top"), this.#bindCount(options, "skip")];
    const most = 2 ** 31 - 1;
    return { defaultRows: most, maxRows: most, isWhole: true, ...(top && { top }), ...(skip && { skip }) };
  }

  /** What `$all` and `$crossjoin` span. */
  #sets({ kind, crossjoin }: Resource, options: QueryOptions): PlannedSets | undefined {
    if (kind !== "all" && kind !== "crossjoin") return undefined;
    const { index, limits } = this.#context;
    const context: SetsContext = {
      index,
      options,
      bounds: expandBounds(limits, true),
      scope: (entity, row) => this.#scope(entity, row),
      named: (planned, row) => withName(planned, planned.query.SELECT.from as RefExpression, row),
    };
    const planned = crossjoin ? planCrossjoin(crossjoin, context) : planAll(context);
    assertSize([planned.query, planned.sets.map(({ query }) => query)], limits.queryNodes);
    return planned;
  }

  #paging(options: QueryOptions, entity: LinkedEntity | undefined, page?: KeysetPage): PagingTemplate {
    const { queryLimit, limits } = this.#context;
    const { maxRows, defaultRows } = pageSizes(entity, queryLimit, limits.pageSize);
    const [top, skip] = [this.#bindCount(options, "top"), this.#bindCount(options, "skip")];
    const skiptoken = page?.former ?? this.#bindToken(options);
    return {
      defaultRows,
      maxRows,
      ...(top && { top }),
      ...(skip && { skip }),
      ...(skiptoken && { skiptoken }),
      ...(page && { behind: { ...(page.total && { total: page.total }) } }),
    };
  }

  #bindCount(options: QueryOptions, name: "top" | "skip"): Binding | undefined {
    const literal = rowCountLiteral(options, name);
    return literal && this.#bindings.bindApart(literal, rowCount);
  }

  /** Rows of former pages. */
  #bindToken({ skiptoken, valueOffsets }: QueryOptions): Binding | undefined {
    if (skiptoken === undefined) return undefined;
    const literal: PrimitiveLiteral = {
      kind: "primitiveLiteral",
      offset: valueOffsets?.skiptoken ?? -1,
      type: "Edm.Int64",
      value: Number(skiptoken),
      text: skiptoken,
    };
    const binding = this.#bindings.bindApart(literal, ({ text, offset }) => {
      const number = wholeNumber(text);
      if (number === undefined) throw badRequest(`"${text}" is no valid $skiptoken`, offset);
      return number;
    });
    binding.convert(literal);
    return binding;
  }
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
function withName(planned: PlannedQuery, from: RefExpression, row: RowName): PlannedQuery {
  if (row.name === undefined) return planned;
  const parts = planned.parts?.map((part) => ({ ...part, query: namedRows(part.query, from, row) }));
  return { ...planned, query: namedRows(planned.query, from, row), ...(parts && { parts }) };
}

function pick<T extends object, K extends keyof T>(source: T, names: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const name of names) if (source[name] !== undefined) picked[name] = source[name];
  return picked;
}

function without<T extends object, K extends keyof T>(source: T, name: K): Omit<T, K> {
  const { [name]: _left, ...others } = source;
  return others;
}

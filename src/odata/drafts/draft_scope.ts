/**
 * Services with drafts: what their URLs mean in rows, and who answers them.
 *
 * @module
 */

import type { QueryParams, RefExpression, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { currentContext } from "../../context/store.ts";
import { draftApi } from "../../model/drafts/draft_api.ts";
import { DRAFT_ADMINISTRATIVE_DATA, draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity, LinkedModel, LinkedService } from "../../model/linked.ts";
import { definitionIn } from "../../service/definition_in.ts";
import { type DraftSettings, draftSettings } from "../../service/drafts/draft_settings.ts";
import type { ServiceHost } from "../../service/host.ts";
import type { Service } from "../../service/service.ts";
import type { DraftAnswers } from "../exchange.ts";
import { bindReference, type ReferenceBinder } from "../plan/paths/resource.ts";
import type { EntityPlan, RowsAsked } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { CALLER, hasDrafts, keyKind, LOCKED_SINCE, type RowKind, type Rows } from "./row_kinds.ts";
import { type DraftScope, type InRows, rowPath, rowQuery, type RowScope } from "./draft_rows.ts";
import { applyQuery, isApplied } from "./draft_applies.ts";
import { draftAnswers } from "./draft_answers.ts";
import { stepName } from "../../cqn/steps.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";

/** A service with drafts as clients see it. */
export interface ServedDrafts {
  readonly definition: LinkedService;
  readonly model: LinkedModel;
  readonly answers: DraftAnswers;
  /** Refuses paths of what belongs to drafts and is no resource. */
  readonly assertResource: (rawUrl: string) => void;
}

/**
 * What a service with drafts needs beside others.
 *
 * @param model the model of rows
 * @param service the service
 * @param host the runtime
 * @returns undefined for services without drafts
 */
export function createDraftScope(
  model: LinkedModel,
  service: Service,
  host: ServiceHost,
): ServedDrafts | undefined {
  const rows = definitionIn(model, service);
  if (!rows || ![...rows.entities].some((entity) => model.entity(draftsOf(entity.name)))) return undefined;
  const settings = draftSettings(host.env);
  const api = draftApi(model, settings);
  const scope: DraftScope = {
    model,
    settings,
    kindOf,
    appliedKinds: (plan) =>
      appliedRows(plan, { entity: (name) => model.entity(name), params: plan.queryParams }).kinds,
    rowPlan: (plan, kind, hides) =>
      planRows(plan, { model, settings, kind: kind ?? kindOf(plan) ?? "active", hides }),
  };
  return { definition: api.service(service.name)!, model: api, answers: draftAnswers(scope), assertResource };
}

/** Administrative data is reached from drafts only. */
function assertResource(rawUrl: string): void {
  if (!/^\/?DraftAdministrativeData\b/.test(rawUrl)) return;
  throw new ServiceError({
    status: 400,
    message: '"DraftAdministrativeData" is reached by the path of a draft or of an active instance only',
  });
}

function kindOf({ from, queryParams }: EntityPlan): RowKind | undefined {
  const [first] = from.ref;
  return typeof first === "object" ? keyKind(first.where, queryParams) : undefined;
}

/** Queries on rows by the queries on what clients see, so that statements are compiled once. */
const QUERIES: WeakMap<object, Map<string, SelectQuery>> = new WeakMap();
/** Paths in rows by the paths that clients see. */
const PATHS: WeakMap<object, Map<string, RowsOfPath>> = new WeakMap();

interface Planning {
  readonly model: LinkedModel;
  readonly settings: DraftSettings;
  readonly kind: RowKind;
  readonly hides?: readonly string[];
}

/** Where the paths of a shape lead in rows. */
interface RowsOfPath {
  readonly start: Rows;
  readonly from: RefExpression;
  readonly rows: RowsAsked;
  /** Makes the instances. */
  readonly subject: ReferenceBinder;
}

function planRows<P extends EntityPlan>(
  plan: P,
  { model, settings, kind, hides = [] }: Planning,
): P & InRows {
  const { from, query, addressed, navigation, shape } = plan;
  const params: QueryParams = {
    ...plan.queryParams,
    [CALLER]: currentContext()?.user.id ?? "",
    [LOCKED_SINCE]: new Date(Date.now() - settings.lockMs).toISOString(),
  };
  const scope: RowScope = { entity: (name) => model.entity(name), params };
  const key = kind + flagsIn(plan.queryParams);
  const path = kept(PATHS, from, [key, () => rowsOfPath(plan, { scope, model, kind })]);
  const { start } = path;
  const rowsQuery = () =>
    deepFreeze(
      isApplied(plan)
        ? appliedRows(plan, scope).query
        : rowQuery(query, start, { ...scope, isCount: plan.kind === "count", shape, hides }),
    );
  const asked = kept(QUERIES, query, [`${key} ${hides}`, rowsQuery]);
  const inRows = {
    shape: shape && shapeOfRows(shape, hides, () => appliedRows(plan, scope).kinds),
    query: asked,
    paging: pageOfRows(plan, asked),
    from: path.from,
    queryParams: params,
    rows: path.rows,
    addressed: {
      params: addressed.params.map(({ IsActiveEntity: _kind, ...keys }) => keys),
      subject: path.subject(params),
      url: addressed.url,
    },
    navigation: navigation && {
      ...navigation,
      source: rowEntity(model, rowPath(navigation.subject, start, scope).rows),
      subject: { ref: rowPath(navigation.subject, start, { ...scope, anyOwner: true }).ref },
    },
  };
  return { ...plan, ...inRows };
}

/** What rows hold: groups of one kind of rows tell of which; what is hidden is shown only where it is selected. */
function shapeOfRows(
  shape: ResultShape,
  hides: readonly string[],
  kinds: () => ReadonlySet<RowKind>,
): ResultShape {
  const { aggregated, hidden = [] } = shape;
  if (aggregated) {
    const isTold = aggregated.some(({ name }) => name === "IsActiveEntity") || kinds().size !== 1;
    if (isTold) return shape;
    return { ...shape, aggregated: [...aggregated, { name: "IsActiveEntity", path: ["IsActiveEntity"] }] };
  }
  return shape.select || hides.length === 0 ? shape : { ...shape, hidden: new Set([...hidden, ...hides]) };
}

/** Pages go on behind the values of a row where its kind, as the last of its keys, is all that the order of rows does not have. */
function pageOfRows(
  { paging, query }: EntityPlan,
  { SELECT: { orderBy = [] } }: SelectQuery,
): EntityPlan["paging"] {
  if (!paging?.keyset) return paging;
  const terms = query.SELECT.orderBy ?? [];
  const last = terms.at(-1);
  const isKind = last !== undefined && "ref" in last && last.ref.length === 1 &&
    last.ref[0] === "IsActiveEntity";
  const isKnown = orderBy.length === terms.length - (isKind ? 1 : 0);
  return isKnown ? paging : { ...paging, keyset: undefined };
}

/** What was made for a key before, or is made now. */
function kept<T>(
  known: WeakMap<object, Map<string, T>>,
  template: object,
  [key, make]: readonly [string, () => T],
): T {
  let forms = known.get(template);
  if (forms === undefined) known.set(template, forms = new Map());
  let form = forms.get(key);
  if (form === undefined) forms.set(key, form = make());
  return form;
}

/** Flags among values: they decide which rows the keys of a path mean. */
function flagsIn(params: QueryParams): string {
  let text = "";
  for (const name in params) if (typeof params[name] === "boolean") text += params[name] ? " 1" : " 0";
  return text;
}

function rowsOfPath(
  plan: EntityPlan,
  { scope, model, kind }: { readonly scope: RowScope; readonly model: LinkedModel; readonly kind: RowKind },
): RowsOfPath {
  const { from } = plan;
  const [first] = from.ref;
  const entity = startOf(plan, stepName(first!));
  const start: Rows = { entity, kind: hasDrafts(entity) ? kind : "active" };
  const path = rowPath(from, start, scope);
  const place = deepFreeze({ ref: rowPath(from, start, { ...scope, anyOwner: true }).ref });
  return {
    start,
    from: { ...from, ref: path.ref },
    rows: { target: rowEntity(model, path.rows), path: pathOf(plan, start), place },
    subject: bindReference(place),
  };
}

/** The query of an `$apply` on rows, and the kinds of these. */
function appliedRows(
  plan: EntityPlan,
  scope: RowScope,
): { readonly query: SelectQuery; readonly kinds: ReadonlySet<RowKind> } {
  const kinds = new Set<RowKind>();
  const seen = (name: string) => startOf(plan, name);
  const isGroup = plan.shape?.aggregated !== undefined;
  const query = applyQuery(plan.query, { ...scope, seen, kinds }, isGroup);
  return { query, kinds };
}

function pathOf(plan: EntityPlan, { entity, kind }: Rows): string {
  return kind === "draft" ? plan.path.replace(entity.name, draftsOf(entity.name)) : plan.path;
}

/** The entity that a path starts with. */
function startOf(plan: EntityPlan, name: string): LinkedEntity {
  return plan.target.$entityNamed(name) ?? plan.target;
}

/** The entity of rows. */
function rowEntity(model: LinkedModel, { entity, kind }: Rows): LinkedEntity {
  if (entity.name.endsWith(".DraftAdministrativeData")) return model.entity(DRAFT_ADMINISTRATIVE_DATA)!;
  const name = kind === "draft" && hasDrafts(entity) ? draftsOf(entity.name) : entity.name;
  return model.entity(name)!; // both models have the same entities
}

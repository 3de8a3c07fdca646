import { runWithContext } from "../../context/store.ts";
import { ServiceError, unsupported } from "../../errors/service_error.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import {
  type Answer,
  type DraftAnswers,
  type Exchange,
  finishAnswer,
  inTransaction,
  rawPathOf,
} from "../exchange.ts";
import { isApplied } from "./draft_applies.ts";
import { choosesRows, hasDrafts, isNode, possibleKinds } from "./row_kinds.ts";
import type { DraftScope } from "./draft_rows.ts";
import { withPathFilter } from "./path_filter.ts";
import { callBound } from "./draft_actions.ts";
import { compareRows, orderColumns, withoutOrder } from "./row_order.ts";
import { rootDraft, writeRows, type Writing } from "./draft_writes.ts";
import type { Row, SelectQuery } from "../../cqn/cqn.ts";
import { dispatchTo } from "../../service/service.ts";
import { formatFor } from "../headers/accept.ts";
import type { EntityPlan, Plan } from "../plan/plan.ts";
import { pageAnswer } from "../resources/read_entities.ts";
import { readRequest, toRows } from "../resources/read_request.ts";

/**
 * Creates what answers.
 *
 * @param scope the service
 */
export function draftAnswers(scope: DraftScope): DraftAnswers {
  return (exchange, plan, answer) => {
    if (!plan.target) {
      assertWithoutDrafts(plan);
      return answer(exchange, plan);
    }
    const { method } = exchange;
    if (plan.kind === "operation") {
      const calling = { exchange, plan, scope, answer };
      return runWithContext(exchange.context, () => callBound(calling));
    }
    const writing = { exchange, plan, scope, answer };
    if (method === "GET" || method === "HEAD") return readRows(writing);
    return runWithContext(exchange.context, () => writeRows(writing));
  };
}

function assertWithoutDrafts(plan: Plan): void {
  const sets = "sets" in plan ? plan.sets : [];
  for (const { entity, name } of sets) {
    if (isNode(entity)) throw unsupported(`$${plan.kind} with "${name}", which has drafts`);
  }
}

function readRows(reading: Writing): MaybePromise<Answer> {
  const { exchange, scope, answer } = reading;
  const plan = withPathFilter(reading.plan);
  if (plan.applied || plan.before?.hierarchies.length) {
    throw unsupported("This form of $apply on entities with drafts");
  }
  const kind = scope.kindOf(plan);
  const isStart = kind === undefined && plan.from.ref.length === 1 && hasDrafts(plan.target);
  if (!isStart) {
    const rows = scope.rowPlan(plan, kind);
    if (kind !== "draft" || plan.from.ref.length === 1) return answer(exchange, rows);
    return inTransaction(exchange, async () => {
      await runWithContext(exchange.context, () => assertOwnRoot(reading));
      return await answer({ ...exchange, grouped: true }, rows);
    });
  }
  if (isApplied(plan)) {
    const kinds = scope.appliedKinds(plan);
    return answer(exchange, scope.rowPlan(plan, kinds.has("active") ? "active" : "draft"));
  }
  const kinds = possibleKinds(plan.query.SELECT.where, plan.queryParams);
  // a page behind a row is one of active instances, unless its other conditions say something else: only the row tells its kind
  if (kinds.size > 1 && !plan.paging?.behind) return readBoth(exchange, plan, scope);
  return answer(exchange, scope.rowPlan(plan, kinds.has("active") ? "active" : "draft"));
}

/** Nothing is reached from drafts of others. */
async function assertOwnRoot(reading: Writing): Promise<void> {
  const held = await rootDraft(reading);
  if (held?.owner !== reading.exchange.context.user.id) throw new ServiceError({ status: 404 });
}

/**
 * Answers GET of active instances and own drafts, which are sorted, counted and cut together.
 *
 * @param exchange the request
 * @param plan what its URL means to clients
 * @param scope the service
 */
function readBoth(exchange: Exchange, plan: EntityPlan, scope: DraftScope): MaybePromise<Answer> {
  const isCount = plan.kind === "count";
  if (
    (!isCount && plan.kind !== "entitySet" && plan.kind !== "ref") || plan.shape?.aggregated ||
    choosesRows(plan.query.SELECT.where)
  ) {
    throw unsupported("Active instances and drafts together");
  }
  return inTransaction(exchange, () =>
    runWithContext(exchange.context, async () => {
      const hides = ["DraftMessages"];
      const both = [
        scope.rowPlan(ordered(plan), "active", hides),
        scope.rowPlan(ordered(plan), "draft", hides),
      ];
      return isCount ? await countAnswer(exchange, both) : await listAnswer(exchange, plan, both);
    }));
}

async function countAnswer(exchange: Exchange, plans: readonly EntityPlan[]): Promise<Answer> {
  let count = 0;
  for (const plan of plans) {
    const result = await dispatchTo(exchange.scope.service, readRequest(exchange, plan));
    count += Number(toRows(result)[0]?.$count ?? 0);
  }
  return finishAnswer(exchange, { status: 200, contentType: "text/plain", body: String(count) });
}

async function listAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  plans: readonly EntityPlan[],
): Promise<Answer> {
  const format = formatFor(exchange, plan);
  const { offset = 0, rows: size = 0 } = plan.paging ?? {};
  const found: Row[] = [];
  let total = 0;
  for (const one of plans) {
    // one row more tells whether a page follows: counting all of them takes longer than reading the page
    const queryParams = { ...one.queryParams, rows: offset + size + 1, offset: 0 };
    const rows = toRows(
      await dispatchTo(exchange.scope.service, readRequest(exchange, one, { queryParams })),
    );
    found.push(...rows);
    total += rows.$count ?? rows.length;
  }
  const order = { orderBy: plan.query.SELECT.orderBy ?? [], numeric: plan.paging?.numeric };
  found.sort((a, b) => compareRows(a, b, order));
  const rows = found.slice(offset, offset + size).map(withoutOrder);
  const isMore = total > offset + size && (plan.paging?.wanted ?? Infinity) > size;
  const nextLink = isMore ? linkBehind(exchange, plan, offset + size) : undefined;
  return pageAnswer(exchange, plan, {
    page: { rows, count: plan.options.count ? total : undefined, nextLink },
    format,
  });
}

/** The query with the values of its order in the rows. */
function ordered(plan: EntityPlan): EntityPlan {
  const { query } = plan;
  if (plan.kind === "count") return plan;
  const known = ORDERED.get(query);
  if (known) return { ...plan, query: known };
  const { columns = ["*"], orderBy = [] } = query.SELECT;
  const whole: SelectQuery = {
    SELECT: { ...query.SELECT, columns: [...columns, ...orderColumns(orderBy)] },
  };
  ORDERED.set(query, whole);
  return { ...plan, query: whole };
}

const ORDERED: WeakMap<SelectQuery, SelectQuery> = new WeakMap();

/** The same list behind the rows of this page. */
function linkBehind(exchange: Exchange, { paging }: EntityPlan, skip: number): string {
  const path = rawPathOf(exchange);
  const options = exchange.rawUrl.slice(path.length + 1).split("&").filter((option) =>
    option !== "" && !/^(\$|%24)?(skip|top)=/i.test(option)
  );
  const left = paging?.wanted === undefined ? [] : [`$top=${paging.wanted - paging.rows}`];
  return `${path}?${[...options, `$skip=${skip}`, ...left].join("&")}`;
}

/**
 * Who answers requests to services with drafts.
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import type { DraftAnswers, Exchange } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";
import { readBoth } from "./draft_lists.ts";
import { hasDrafts } from "./draft_rows.ts";
import type { DraftScope } from "./scope.ts";
import { callBound } from "./draft_actions.ts";
import { writeRows } from "./draft_writes.ts";
import { possibleKinds } from "./possible_kinds.ts";

type Answering = Parameters<DraftAnswers>[2];

/**
 * Creates what answers.
 *
 * @param scope the service
 */
export function draftAnswers(scope: DraftScope): DraftAnswers {
  return (exchange, plan, answer) => {
    if (plan.from === undefined) return answer(exchange, plan);
    const { method } = exchange;
    if (method === "GET" || method === "HEAD") return readRows(exchange, plan, { scope, answer });
    const writing = { exchange, plan, scope, answer };
    return runWithContext(
      exchange.context,
      () => plan.kind === "operation" ? callBound(writing) : writeRows(writing),
    );
  };
}

interface Reading {
  readonly scope: DraftScope;
  readonly answer: Answering;
}

function readRows(exchange: Exchange, plan: Plan, { scope, answer }: Reading): MaybePromise<Answer> {
  // rows of other forms than those of an entity
  const isOther = plan.query !== undefined && !("ref" in plan.query.SELECT.from);
  if (
    isOther || plan.shape?.aggregated || plan.parts || plan.groups ||
    plan.hierarchies
  ) {
    throw new ServiceError({ status: 501, message: "This form of $apply on entities with drafts" });
  }
  const kind = scope.kindOf(plan);
  const isStart = kind === undefined && plan.from!.ref.length === 1 && hasDrafts(plan.target!);
  if (!isStart) return answer(exchange, scope.rowPlan(plan, kind));
  const kinds = possibleKinds(plan.query?.SELECT.where, plan.queryParams);
  if (kinds.size > 1) return readBoth(exchange, plan, scope);
  return answer(exchange, scope.rowPlan(plan, kinds.has("draft") ? "draft" : "active"));
}

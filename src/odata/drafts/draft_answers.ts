/**
 * Who answers requests to services with drafts.
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Answer, type DraftAnswers, inTransaction } from "../exchange.ts";
import { isApplied } from "./draft_applies.ts";
import { readBoth } from "./draft_lists.ts";
import { hasDrafts, isNode } from "./row_kinds.ts";
import type { DraftScope } from "./scope.ts";
import { callBound } from "./draft_actions.ts";
import { rootDraft, writeRows, type Writing } from "./draft_writes.ts";
import { possibleKinds } from "./possible_kinds.ts";

/**
 * Creates what answers.
 *
 * @param scope the service
 */
export function draftAnswers(scope: DraftScope): DraftAnswers {
  return (exchange, plan, answer) => {
    const mixed = plan.sets?.find(({ entity }) => isNode(entity));
    if (mixed) throw notRun(`$${plan.kind} with "${mixed.name}", which has drafts`);
    if (plan.from === undefined) return answer(exchange, plan);
    const { method } = exchange;
    const writing = { exchange, plan, scope, answer };
    if (plan.kind === "operation") return runWithContext(exchange.context, () => callBound(writing));
    if (method === "GET" || method === "HEAD") return readRows(writing);
    return runWithContext(exchange.context, () => writeRows(writing));
  };
}

function readRows(reading: Writing): MaybePromise<Answer> {
  const { exchange, plan, scope, answer } = reading;
  if (plan.parts || plan.groups || plan.hierarchies) {
    throw notRun("This form of $apply on entities with drafts");
  }
  const kind = scope.kindOf(plan);
  const isStart = kind === undefined && plan.from!.ref.length === 1 && hasDrafts(plan.target!);
  if (!isStart) {
    const rows = scope.rowPlan(plan, kind);
    if (kind !== "draft" || plan.from!.ref.length === 1) return answer(exchange, rows);
    return inTransaction(exchange, async () => {
      await runWithContext(exchange.context, () => assertOwnRoot(reading));
      return await answer({ ...exchange, grouped: true }, rows);
    });
  }
  if (isApplied(plan)) {
    const kinds = scope.appliedKinds(plan);
    return answer(exchange, scope.rowPlan(plan, kinds.has("active") ? "active" : "draft"));
  }
  const kinds = possibleKinds(plan.query?.SELECT.where, plan.queryParams);
  if (kinds.size > 1) return readBoth(exchange, plan, scope);
  return answer(exchange, scope.rowPlan(plan, kinds.has("draft") ? "draft" : "active"));
}

function notRun(message: string): ServiceError {
  return new ServiceError({ status: 501, message, $sanitize: false });
}

/** Nothing is reached from drafts of others. */
async function assertOwnRoot(reading: Writing): Promise<void> {
  const held = await rootDraft(reading);
  if (held?.owner !== reading.exchange.context.user.id) throw new ServiceError({ status: 404 });
}

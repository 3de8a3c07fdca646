/**
 * Locks of drafts for protocols that serve active instances only.
 *
 * @module
 */

import type { RefExpression } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { ApplicationService } from "../../service/application_service.ts";
import { definitionIn } from "../../service/definition_in.ts";
import { type HeldDraft, heldDraftOf, isRoot, keyWhere } from "../../service/drafts/administration.ts";
import { onlyViaRoot, wholeOfRow } from "../../service/drafts/draft_wholes.ts";
import type { DraftSettings } from "../../service/drafts/draft_settings.ts";
import type { Service } from "../../service/service.ts";
import type { DraftAnswers, Exchange } from "../exchange.ts";
import { inTransaction } from "../exchange.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { assertOneTree } from "./addressed_row.ts";
import { bypassed, serviceOf } from "./draft_writes.ts";

/**
 * Creates what answers writes of active instances: it undoes those of instances that have a draft. The write comes first,
 * so that who may not write is told nothing of drafts.
 *
 * @param model the model of rows
 * @param service the service
 * @param settings whether active instances may be changed without drafts
 * @returns undefined for services without drafts
 */
export function createDraftLocks(
  model: LinkedModel,
  service: Service,
  { bypass }: DraftSettings,
): DraftAnswers | undefined {
  const rows = definitionIn(model, service);
  if (!rows || ![...rows.entities].some((entity) => model.entity(draftsOf(entity.name)))) return undefined;
  return (exchange, plan, answer) =>
    inTransaction(exchange, async () => {
      if (plan.target && plan.kind !== "operation") assertOneTree(plan);
      const made = await answer({ ...exchange, grouped: true }, plan);
      if (plan.target) await assertUnlocked(exchange, plan, { model, bypass });
      return made;
    });
}

interface Locks extends Pick<DraftSettings, "bypass"> {
  readonly model: LinkedModel;
}

async function assertUnlocked(exchange: Exchange, plan: EntityPlan, { model, bypass }: Locks): Promise<void> {
  const [first, ...path] = plan.from.ref;
  const [keys] = plan.addressed.params;
  const name = stepName(first!); // paths have steps
  const drafts = model.entity(draftsOf(name));
  if (!drafts) return;
  const isPart = path.length === 0 && !isRoot(model.entity(name)!);
  if (isPart && exchange.method === "POST" && plan.kind !== "operation") throw onlyViaRoot();
  if (keys === undefined) return;
  const service = serviceOf(exchange);
  const held = await heldDraftOf(service, drafts.name, keys) ??
    (isPart
      ? await draftOfWhole(service, drafts, { ref: [{ id: name, where: keyWhere(keys) }] })
      : undefined);
  const isWhole = exchange.method === "DELETE" && plan.addressed.params.length === 1;
  if (!held) {
    if (bypass || isWhole) return;
    throw bypassed();
  }
  throw isWhole
    ? new ServiceError({ status: 403, code: "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS" })
    : new ServiceError({ status: 409, code: "DRAFT_ALREADY_EXISTS" });
}

/** The draft of what an active part belongs to. */
async function draftOfWhole(
  service: ApplicationService,
  drafts: LinkedEntity,
  from: RefExpression,
): Promise<HeldDraft | undefined> {
  const found = await wholeOfRow(service, drafts, from);
  return found && await heldDraftOf(service, found.whole.name, found.keys);
}

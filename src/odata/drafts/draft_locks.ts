/**
 * Locks of drafts for protocols that serve active instances only.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/with_drafts.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { definitionIn } from "../../service/definition_in.ts";
import { heldDraft, keyWhere } from "../../service/drafts/administration.ts";
import type { DraftSettings } from "../../service/drafts/draft_settings.ts";
import type { Service } from "../../service/service.ts";
import type { DraftAnswers, Exchange } from "../exchange.ts";
import { inTransaction } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";
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
      const made = await answer({ ...exchange, grouped: true }, plan);
      await assertUnlocked(exchange, plan, { model, bypass });
      return made;
    });
}

interface Locks extends Pick<DraftSettings, "bypass"> {
  readonly model: LinkedModel;
}

async function assertUnlocked(exchange: Exchange, plan: Plan, { model, bypass }: Locks): Promise<void> {
  const [first] = plan.from?.ref ?? [];
  const [keys] = plan.addressed.params;
  if (first === undefined || keys === undefined) return;
  const drafts = draftsOf(typeof first === "string" ? first : first.id);
  if (!model.entity(drafts)) return;
  const held = await heldDraft(serviceOf(exchange), { ref: [{ id: drafts, where: keyWhere(keys) }] });
  const isWhole = exchange.method === "DELETE" && plan.addressed.params.length === 1;
  if (!held) {
    if (bypass || isWhole) return;
    throw bypassed();
  }
  throw isWhole
    ? new ServiceError({ status: 403, code: "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS" })
    : new ServiceError({ status: 409, code: "DRAFT_ALREADY_EXISTS" });
}

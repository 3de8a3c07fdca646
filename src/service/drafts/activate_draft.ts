/**
 * Activation: a draft becomes the active instance.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { dispatchTo } from "../service.ts";
import { activeName, asActivation, databaseOf, heldDraft, keyWhere, removeDraft } from "./draft_requests.ts";
import type { DraftService } from "./draft_settings.ts";
import { draftColumns } from "./draft_tree.ts";

/** A draft to be activated. */
export interface Activation {
  /** The root of the request. */
  readonly context: ConstructorParameters<typeof ServiceRequest>[0]["context"];
  readonly part?: ConstructorParameters<typeof ServiceRequest>[0]["part"];
  readonly drafts: LinkedEntity;
  /** The keys of the draft. */
  readonly keys: Row;
  /** Takes each request that is sent, so that its messages are seen. */
  readonly sent?: (req: ServiceRequest) => ServiceRequest;
}

/** What an activation did. */
export interface Activated {
  /** Whether there was no active instance before. */
  readonly isNew: boolean;
  readonly data: Row;
}

/**
 * Makes a draft the active instance, with all checks.
 *
 * @param service the service
 * @param activation the draft
 */
export async function activateDraft(service: DraftService, activation: Activation): Promise<Activated> {
  const { drafts, keys } = activation;
  const db = databaseOf(service);
  const where = keyWhere(keys);
  const active = service.model.entity(activeName(drafts)!)!;
  const from = { ref: [{ id: drafts.name, where }] };
  const held = await heldDraft(service, from);
  if (!held) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
  const columns = draftColumns(drafts, drafts);
  const row = await db.run({ SELECT: { from, columns, one: true } }) as Row;
  const exists = await db.run({
    SELECT: { from: { ref: [active.name] }, columns: [{ val: 1, as: "one" }], where, one: true },
  });
  const isNew = exists === null;
  const data = withoutManaged(row, active);
  const subject = { ref: [{ id: active.name, where }] };
  const { context, part } = activation;
  const common = { context, part, target: active, data, params: [keys] };
  const req = new ServiceRequest(
    isNew
      ? { ...common, event: "CREATE", query: { INSERT: { into: active.name, entries: [data] } } }
      : { ...common, event: "UPDATE", subject, query: { UPDATE: { entity: subject, data } } },
  );
  asActivation(req);
  await dispatchTo(service, activation.sent?.(req) ?? req);
  await removeDraft(service, drafts, { where, uuid: held.uuid });
  return { isNew, data: row };
}

/** Who created and changed a row is found out again, but for the version that clients know. */
function withoutManaged(row: Row, entity: LinkedEntity): Row {
  const copy: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const element = entity.$flat.get(name)?.annotated;
    const isManaged = element?.["@cds.on.insert"] !== undefined || element?.["@cds.on.update"] !== undefined;
    if (isManaged && element?.["@odata.etag"] !== true && element?.["@readonly"] === true) continue;
    const part = entity.elements[name]?.isComposition ? entity.elements[name].$target : undefined;
    copy[name] = part && Array.isArray(value)
      ? value.map((item) => withoutManaged(item as Row, part))
      : value;
  }
  return copy;
}

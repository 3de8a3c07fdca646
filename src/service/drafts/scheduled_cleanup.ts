/**
 * Drafts that nobody changes any more go by a task of the queue, too, and not only when others are made.
 *
 * @module
 */

import type { ServiceRequest } from "../requests/service_request.ts";
import { type DraftService, draftSettings } from "./draft_settings.ts";

/** The event of the task; it has no target. */
export const DRAFT_CLEANUP = "draftCleanup";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Tenants whose task this process has seen stored, by the runtime. */
const SCHEDULED: WeakMap<object, Set<string | undefined>> = new WeakMap();

/**
 * Schedules the cleanup, the first time that a process makes a draft of a tenant: there is one task, whoever stores it.
 *
 * @param req the request that makes a draft
 * @param service its service
 */
export async function scheduleCleanup(req: ServiceRequest, service: DraftService): Promise<void> {
  const { queue, env } = service.host;
  const { tenant } = req;
  if (!queue?.isFor(tenant)) return;
  const tenants = SCHEDULED.get(service.host) ?? new Set();
  SCHEDULED.set(service.host, tenants);
  if (tenants.has(tenant)) return;
  tenants.add(tenant);
  req.on("failed", () => void tenants.delete(tenant));
  const every = Math.min(Math.max(draftSettings(env).deletionMs, MINUTE_MS), DAY_MS);
  await queue.enqueue(
    { service: service.name, kind: "send", event: DRAFT_CLEANUP, every },
    { after: every, task: DRAFT_CLEANUP },
  );
}

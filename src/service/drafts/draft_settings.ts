import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { ServiceHost } from "../host.ts";
import type { Service } from "../service.ts";
import { toMilliseconds } from "../../util/time.ts";
import type { ServiceRequest } from "../requests/service_request.ts";

/** A service that may have drafts. */
export type DraftService = Service & { readonly host: ServiceHost };

/** The configuration of drafts (`fw.fiori`). */
export interface DraftSettings {
  /** Drafts keep messages. */
  readonly messages: boolean;
  /** Drafts are made by an action of their own. */
  readonly newAction: boolean;
  /** Active instances may be changed without a draft. */
  readonly bypass: boolean;
  /** How long a draft locks its active instance after its last change, in ms. */
  readonly lockMs: number;
  /** After how long without change drafts are deleted, in ms. */
  readonly deletionMs: number;
}

/** What was read of configurations. */
const SETTINGS: WeakMap<object, DraftSettings> = new WeakMap();

/**
 * The configuration of drafts, as it is when it is asked for first.
 *
 * @param env effective configuration below `fw`
 * @throws ConfigurationError for a timeout that is none
 */
export function draftSettings(env: Readonly<Record<string, unknown>>): DraftSettings {
  let settings = SETTINGS.get(env);
  if (settings === undefined) SETTINGS.set(env, settings = readSettings(env));
  return settings;
}

function readSettings(env: Readonly<Record<string, unknown>>): DraftSettings {
  const given = (env.fiori ?? {}) as Readonly<Record<string, unknown>>;
  return {
    messages: given.draft_messages !== false,
    newAction: given.draft_new_action === true,
    bypass: given.bypass_draft !== false,
    lockMs: timeout(given, "draft_lock_timeout", "15 min"),
    deletionMs: given.draft_deletion_timeout === false
      ? 100 * 365 * DAY_MS // never by themselves
      : timeout(given, "draft_deletion_timeout", "30 days"),
  };
}

function timeout(given: Readonly<Record<string, unknown>>, name: string, otherwise: string): number {
  try {
    return toMilliseconds((given[name] ?? otherwise) as string);
  } catch (cause) {
    throw new ConfigurationError(`"fw.fiori.${name}": ${(cause as Error).message}`, {}, { cause });
  }
}

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

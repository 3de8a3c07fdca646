/**
 * The configuration of drafts.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { ServiceHost } from "../host.ts";
import type { Service } from "../service.ts";
import { toMilliseconds } from "../../util/duration.ts";

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

/** A hundred years: drafts that are never deleted by themselves. */
const NEVER_MS = 100 * 365 * 24 * 3_600_000;

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
      ? NEVER_MS
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

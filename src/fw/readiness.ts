/**
 * Whether a runtime should get requests: `/ready`, for Kubernetes and load balancers. `/health` only says that it lives.
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import { User } from "../context/user.ts";
import type { Readiness, ReadinessState } from "../http/readiness.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import { runInTransaction } from "../service/transactions/transaction.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { isMultitenant } from "./tenant_databases.ts";

/** How long a part may take to answer. */
const PATIENCE_MS = 2_000;
/** How long an answer counts: everybody may ask, and nobody's asking may cost more than this. */
const FRESH_MS = 1_000;
/** Age of the oldest message in the outbox from which on the runtime is not ready. */
const DEFAULT_OUTBOX_AGE_MS = 15 * 60_000;

/** Looks at the parts of a runtime. */
export class RuntimeReadiness implements Readiness {
  readonly #runtime: RuntimeParts;
  #isDraining = false;
  #asked: { readonly at: number; readonly state: Promise<ReadinessState> } | undefined;
  #told = "";

  /** @param runtime whose parts they are */
  constructor(runtime: RuntimeParts) {
    this.#runtime = runtime;
  }

  drain(): void {
    this.#isDraining = true;
    this.#asked = undefined;
    this.#runtime.live?.streams.end();
  }

  state(): Promise<ReadinessState> {
    const now = performance.now();
    if (this.#asked === undefined || now - this.#asked.at > FRESH_MS) {
      this.#asked = { at: now, state: this.#look() };
    }
    return this.#asked.state;
  }

  async #look(): Promise<ReadinessState> {
    if (this.#isDraining) return { status: "DOWN", checks: { process: "DOWN" } };
    const checks = checksOf(this.#runtime);
    const found = await Promise.all(checks.map(async ([name, check]) => {
      const reason = await outcomeOf(check);
      return { name, reason };
    }));
    this.#tell(found);
    const checked = [
      ...found.map(({ name, reason }) => ({ name, isUp: reason === undefined })),
      ...await replicasOf(this.#runtime),
    ];
    return {
      status: found.every(({ reason }) => reason === undefined) ? "UP" : "DOWN",
      checks: Object.fromEntries(checked.map(({ name, isUp }) => [name, isUp ? "UP" : "DOWN"])),
    };
  }

  /** The reasons are for the log, once each. */
  #tell(found: readonly { readonly name: string; readonly reason?: string }[]): void {
    const text = found.flatMap(({ name, reason }) => reason === undefined ? [] : [`${name}: ${reason}`]).join(
      "; ",
    );
    if (text === this.#told) return;
    this.#told = text;
    const log = this.#runtime.log("server");
    if (text === "") log.info("ready again");
    else log.warn(`not ready: ${text}`);
  }
}

type Check = () => Promise<unknown> | string | undefined;

/** What is looked at; a check rejects or returns a reason where something is wrong. */
function checksOf(runtime: RuntimeParts): [name: string, check: Check][] {
  const { db, queue, services, env } = runtime;
  const checks: [string, Check][] = [];
  // databases of tenants are opened by their requests
  if (db && !isMultitenant(env)) checks.push(["database", () => touch(runtime)]);
  for (const service of Object.values(services)) {
    if (!(service instanceof MessagingService) || service.channel.isAway === undefined) continue;
    const { channel, name } = service;
    checks.push([name, () => channel.isAway!() ? `${channel.kind} cannot be reached` : undefined]);
  }
  if (queue) {
    const { outbox_age_ms: limit = DEFAULT_OUTBOX_AGE_MS } = readySettings(runtime);
    checks.push(["outbox", async () => {
      const oldest = Math.max(0, ...(await queue.states()).map(({ oldestAgeMs }) => oldestAgeMs));
      if (oldest > limit) throw new Error(`the oldest message waits for ${Math.round(oldest / 1000)} s`);
    }]);
  }
  return checks;
}

/** Nothing depends on replicas: the primary stands in for them. */
async function replicasOf({ db }: RuntimeParts): Promise<readonly { name: string; isUp: boolean }[]> {
  const state = await db?.opened(undefined)?.state?.();
  return (state?.replicas ?? []).map(({ isUsed }, index) => ({ name: `replica ${index + 1}`, isUp: isUsed }));
}

function readySettings({ env }: RuntimeParts): { readonly outbox_age_ms?: number } {
  return (env.server as { readonly ready?: { readonly outbox_age_ms?: number } } | undefined)?.ready ?? {};
}

/** Asks the database for nothing: a connection is all that is needed. */
async function touch({ db }: RuntimeParts): Promise<void> {
  const context = new EventContext({ user: User.privileged });
  await runInTransaction(
    context,
    () => db!.withEngine((engine) => engine.sql?.("SELECT 1")),
    db!.rootOptions,
  );
}

/** Why a check fails; undefined where it does not. */
async function outcomeOf(check: Check): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
  });
  try {
    const outcome = await Promise.race([Promise.resolve().then(check), late]);
    return typeof outcome === "string" ? outcome : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The read replicas of a database, and who may read from them: whoever has not written a moment ago, from those that are
 * not too far behind.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { ReplicaState } from "../../service/database.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { PoolOptions } from "./connection_options.ts";
import { Pool } from "./pool.ts";
import { type LogPosition, logPosition, Replica } from "./replica.ts";

/** How old rows of a replica may be, unless the configuration says so. */
const MAX_LAG_MS = 1_000;
/** All servers are looked at so often within the delay that is allowed, and at least as often as this, in milliseconds. */
const LOOKS = 4;
const LOOK_MS = 1_000;
/** How long after the last read servers are still looked at. */
const WATCHED_MS = 10_000;

/** What the configuration says. */
export interface ReplicasOptions {
  /** The primary, whose credentials replicas have as well where theirs say nothing else. */
  readonly primary: PoolOptions;
  /** A URL or credentials for each. */
  readonly replicas: readonly unknown[];
  readonly maxLagMs?: number;
  /** Is told when a replica is not used any more, and when it is used again. */
  readonly tell?: (text: string) => void;
}

/**
 * Looks a few times in `maxLagMs` how far the log of the primary has got, and how far each replica has repeated it. A replica
 * that has reached what the primary had written at some time shows all that was committed until then: neither clocks of
 * servers nor the time of the last transaction matter, and one whose connection to the primary has broken is noticed.
 */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #maxLagMs: number;
  readonly #primary: Pool;
  /** Of the primary, the latest last. */
  #positions: LogPosition[] = [];
  /** When users had something committed, the latest last, as `performance.now()`. */
  readonly #written: Map<string, number> = new Map();
  #next = 0;
  #usedAt = -Infinity;
  #isWatching = false;
  #isClosed = false;
  /** End pauses between looks. */
  readonly #pauses: Map<ReturnType<typeof setTimeout>, () => void> = new Map();

  /**
   * @param options which servers
   * @throws ConfigurationError for a replica that is neither a URL nor credentials
   */
  constructor({ primary, replicas, maxLagMs = MAX_LAG_MS, tell = () => {} }: ReplicasOptions) {
    this.#maxLagMs = maxLagMs;
    const key = "fw.requires.db.replicas";
    this.#replicas = replicas.map((given) =>
      new Replica({ ...primary, key, credentials: credentialsOf(given, primary.credentials) }, {
        maxLagMs,
        tell,
      })
    );
    this.#primary = new Pool({ ...primary, pool: { ...primary.pool, max: 1 } });
  }

  /**
   * The server for the reads of a transaction.
   *
   * @param context of the transaction
   * @returns undefined where only the primary will do
   */
  choose(context: EventContext): Replica | undefined {
    if (!context.mayLag) return undefined;
    const now = performance.now();
    this.#usedAt = now;
    if (!this.#isWatching) this.#watch();
    const since = Math.max(now - this.#maxLagMs, this.#writtenAt(context));
    for (let i = 0; i < this.#replicas.length; i++) {
      const index = (this.#next + i) % this.#replicas.length;
      const replica = this.#replicas[index]!;
      if (replica.freshAt < since) continue;
      this.#next = index + 1;
      return replica;
    }
    return undefined;
  }

  /**
   * A transaction was committed: whoever is behind it reads it from now on.
   *
   * @param context of the transaction
   */
  wrote(context: EventContext): void {
    const now = performance.now();
    for (const user of usersOf(context)) {
      this.#written.delete(user);
      this.#written.set(user, now);
    }
    for (const [user, at] of this.#written) {
      if (at >= now - this.#maxLagMs) break;
      this.#written.delete(user);
    }
  }

  /** What is known of the servers, which are looked at first where nobody has read for a while. */
  async states(): Promise<readonly ReplicaState[]> {
    if (!this.#isWatching) {
      await this.#lookAtPrimary();
      await Promise.all(this.#replicas.map((replica) => replica.look(this.#positions)));
    }
    const now = performance.now();
    return this.#replicas.map(({ name, isUsed, freshAt }) => ({
      ...{ server: name, isUsed },
      lagMs: Number.isFinite(freshAt) ? Math.round(now - freshAt) : undefined,
    }));
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [timer, end] of this.#pauses) {
      clearTimeout(timer);
      end();
    }
    await Promise.all([this.#primary.end(), ...this.#replicas.map((replica) => replica.close())]);
  }

  #writtenAt(context: EventContext): number {
    if (this.#written.size === 0) return -Infinity;
    return Math.max(...usersOf(context).map((user) => this.#written.get(user) ?? -Infinity));
  }

  /** Each server by itself: one that does not answer keeps nobody from looking at the others. */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    await Promise.all([
      this.#repeat(() => this.#lookAtPrimary()),
      ...this.#replicas.map((replica) => this.#repeat(() => replica.look(this.#positions))),
    ]);
    this.#isWatching = false;
  }

  async #repeat(look: () => Promise<void>): Promise<void> {
    while (!this.#isClosed && performance.now() - this.#usedAt < WATCHED_MS) {
      await look();
      if (!this.#isClosed) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pauses.delete(timer);
        resolve();
      }, Math.min(this.#maxLagMs / LOOKS, LOOK_MS));
      this.#pauses.set(timer, resolve);
    });
  }

  /** While it does not answer, what is known of replicas gets too old, and statements tell what is wrong. */
  async #lookAtPrimary(): Promise<void> {
    const position = await logPosition(this.#primary, this.#maxLagMs).catch(() => undefined);
    if (position === undefined) return;
    const oldest = position.at - 2 * this.#maxLagMs;
    this.#positions = [...this.#positions.filter(({ at }) => at >= oldest), position];
  }
}

/** The user of a transaction, and the one whose request it belongs to: code may do something as somebody else. */
function usersOf(context: EventContext): readonly string[] {
  let root = context;
  while (root.parent) root = root.parent;
  const own = context.user.id;
  const asking = root.user.id;
  return own === asking ? [own] : [own, asking];
}

/** What stands in the URL of the primary, or beside it, where the entry says nothing else. */
function credentialsOf(
  given: unknown,
  primary: PoolOptions["credentials"],
): PoolOptions["credentials"] {
  const own = typeof given === "string" ? { url: given } : given;
  if (!isPlainObject(own)) {
    throw new ConfigurationError(
      '"fw.requires.db.replicas" must be a list of URLs and of credentials like "fw.requires.db.credentials"',
    );
  }
  if (!["url", "uri", "connectionString"].some((name) => own[name] !== undefined)) {
    return { ...primary, ...own };
  }
  const { host: _host, hostname: _hostname, port: _port, ...rest } = primary;
  return { ...rest, url: undefined, uri: undefined, connectionString: undefined, ...own };
}

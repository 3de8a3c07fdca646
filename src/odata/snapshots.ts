/**
 * What clients have read of collections whose changes they want to follow (OData Protocol 11.3). Snapshots live in the
 * process that answered, as long as it lives: a token that it does not know is answered by 410.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import type { Row } from "../cqn/cqn.ts";

/** A row that a client has. */
export interface KnownRow {
  readonly keys: Row;
  /** Changes with the row as it is written. */
  readonly tag: string;
}

/** The rows of a collection that a client has, by key. */
export type KnownRows = ReadonlyMap<string, KnownRow>;

interface Snapshot {
  readonly user: string;
  readonly tenant: string | undefined;
  /** URL of the collection. */
  readonly url: string;
  readonly takenAt: number;
  readonly rows: KnownRows;
}

/** The snapshots of a service. */
export class Snapshots {
  readonly #snapshots: Map<string, Snapshot> = new Map();
  readonly #limits: Limits;

  /** @param limits how many, and how long */
  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Keeps what a client has; beyond the limits the oldest goes, first that of the same user.
   *
   * @param context says who the client is
   * @param url URL of the collection
   * @param rows its rows
   * @returns the token; nobody can guess it
   */
  add({ user, tenant }: EventContext, url: string, rows: KnownRows): string {
    this.#forgetOld();
    const own = [...this.#snapshots].filter(([, one]) => one.user === user.id && one.tenant === tenant);
    const { deltaSnapshots, deltaSnapshotsOfUser } = this.#limits;
    if (own.length >= deltaSnapshotsOfUser) this.#snapshots.delete(own[0]![0]);
    const [oldest] = this.#snapshots.keys();
    if (oldest !== undefined && this.#snapshots.size >= deltaSnapshots) this.#snapshots.delete(oldest);
    const token = crypto.randomUUID();
    this.#snapshots.set(token, { user: user.id, tenant, url, takenAt: Date.now(), rows });
    return token;
  }

  /**
   * What a client has.
   *
   * @param token its token
   * @param context says who the client is
   * @param url URL of the collection
   * @returns undefined when there is no such snapshot, or it is one of somebody else or of another URL
   */
  find(token: string, { user, tenant }: EventContext, url: string): KnownRows | undefined {
    this.#forgetOld();
    const found = this.#snapshots.get(token);
    const isOwn = found?.user === user.id && found.tenant === tenant && found.url === url;
    return isOwn ? found.rows : undefined;
  }

  /**
   * Keeps what a client has longer: nothing has changed since.
   *
   * @param token its token
   */
  renew(token: string): void {
    const known = this.#snapshots.get(token);
    if (!known) return;
    this.#snapshots.delete(token);
    this.#snapshots.set(token, { ...known, takenAt: Date.now() });
  }

  /** Forgets all snapshots. */
  clear(): void {
    this.#snapshots.clear();
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#limits.deltaMs;
    for (const [token, { takenAt }] of this.#snapshots) {
      if (takenAt <= oldest) this.#snapshots.delete(token);
    }
  }
}

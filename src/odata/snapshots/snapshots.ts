/**
 * What clients have read of collections whose changes they want to follow (OData Protocol 11.3). A token that is not known
 * is answered by 410.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { keyNames } from "../../model/keys.ts";
import type { ServiceHost } from "../../service/host.ts";
import { type EngineRunner, inOwnTransaction } from "../../service/own_work.ts";
import { contentTag } from "../../util/content_tag.ts";
import { clientOf, keepingDatabase, LaterCleanup } from "../kept_for_clients.ts";
import { type KnownRows, readDifference, readRows, writeDifference, writeRows } from "./known_rows.ts";
import { MemorySnapshots, type SeriesSize, type SnapshotRow, type SnapshotStore } from "./snapshot_store.ts";

/** A collection as a client follows it. */
export interface FollowedCollection {
  /** Says who the client is. */
  readonly context: EventContext;
  /** URL of the collection. */
  readonly url: string;
  /** What its rows are. */
  readonly target: LinkedEntity;
  /** Whether all that is done belongs to the transaction of the current context, which may hold the lock of writers. */
  readonly grouped: boolean;
}

/** A state of a collection that a client has. */
export interface Snapshot {
  /** Its token. */
  readonly token: string;
  /** Its rows. */
  readonly rows: KnownRows;
  /** The rows that the state is based on, and the length of their text. */
  readonly base: KnownRows;
  readonly baseLength: number;
  readonly row: SnapshotRow;
  readonly ageMs: number;
}

/** States that are kept of a series, at least: a client that was cut off may not have got the last ones. */
const KEPT_STATES = 16;
/** How often old states of a series are looked for. */
const TRIMMED_STATES = 8;
/** A state is renewed when it has this part of its time behind it. */
const RENEWED = 0.1;

/** The snapshots of a service. */
export class Snapshots {
  readonly #host: ServiceHost;
  readonly #service: string;
  readonly #memory: MemorySnapshots = new MemorySnapshots();
  readonly #cleanup: LaterCleanup;

  /**
   * Nothing is kept yet.
   *
   * @param host the runtime
   * @param service name of the service
   */
  constructor(host: ServiceHost, service: string) {
    this.#host = host;
    this.#service = service;
    this.#cleanup = new LaterCleanup((id) => host.log(id));
  }

  /**
   * Keeps what a client has that begins to follow a collection. Beyond the limits the one that was not followed for longest
   * goes, first that of the same user.
   *
   * @param followed the collection
   * @param rows its rows
   * @returns the token; nobody can guess it
   */
  async begin(followed: FollowedCollection, rows: KnownRows): Promise<string> {
    const { url, target } = followed;
    const data = writeRows(rows, keyNames(target));
    const ID = crypto.randomUUID();
    const store = await this.#store(followed);
    const owner = clientOf(followed.context);
    await store.add({
      ...{ ID, series: ID, number: 0, base: null, owner, place: contentTag(url) },
      ...{ length: data.length, sinceBase: 0, data },
    });
    this.#removeLater(store, followed);
    if (!followed.grouped) await this.#makeRoom(store, { series: ID, owner });
    return ID;
  }

  /**
   * What a client has.
   *
   * @param token its token
   * @param followed the collection
   * @returns undefined when there is no such snapshot, or it is one of somebody else, of another URL, or of rows with other keys
   */
  async find(token: string, followed: FollowedCollection): Promise<Snapshot | undefined> {
    const { context, url, target } = followed;
    if (!TOKEN.test(token)) return undefined;
    const found = await (await this.#store(followed)).find(token);
    if (!found || found.ageMs >= this.#host.limits.deltaMs) return undefined;
    const { row, ageMs, base: baseText } = found;
    if (row.owner !== clientOf(context) || row.place !== contentTag(url)) return undefined;
    const keys = keyNames(target);
    const text = row.base === null ? row.data : baseText;
    const base = text === undefined ? undefined : readRows(text, keys);
    if (text === undefined || base === undefined) return undefined;
    const rows = row.base === null ? base : readDifference(base, row.data, keys);
    return { token, rows, base, baseLength: text.length, row, ageMs };
  }

  /**
   * Keeps what a client has that was told of changes. What it had before stays for a while: the answer may get lost.
   *
   * @param before what it had
   * @param followed the collection
   * @param rows what it has now
   * @returns the token
   */
  async advance(before: Snapshot, followed: FollowedCollection, rows: KnownRows): Promise<string> {
    const store = await this.#store(followed);
    const keys = keyNames(followed.target);
    const { row: { series, owner, place, sinceBase, base, ID: last, number: past } } = before;
    const [ID, number] = [crypto.randomUUID(), past + 1];
    const difference = writeDifference(before.base, rows, keys);
    // differences that together are longer than all rows cost more than all rows
    const all = sinceBase + difference.length;
    const isNewBase = all > before.baseLength;
    const data = isNewBase ? writeRows(rows, keys) : difference;
    await store.add({
      ...{ ID, series, number, owner, place, data, length: data.length },
      ...isNewBase ? { base: null, sinceBase: 0 } : { base: base ?? last, sinceBase: all },
    });
    if (followed.grouped) return ID;
    if (number % TRIMMED_STATES === 0) {
      await this.#quietly(() => store.forgetUpTo(series, number - KEPT_STATES));
    }
    if (isNewBase) await this.#makeRoom(store, { series, owner });
    return ID;
  }

  /**
   * Keeps what a client has longer: nothing has changed since.
   *
   * @param snapshot what it has
   * @param followed the collection
   */
  async renew({ token, ageMs }: Snapshot, followed: FollowedCollection): Promise<void> {
    if (ageMs >= this.#host.limits.deltaMs * RENEWED) await (await this.#store(followed)).renew(token);
  }

  /** Forgets all that is kept in this process. */
  clear(): void {
    this.#memory.clear();
  }

  /** The process is about to end. */
  async close(): Promise<void> {
    await this.#cleanup.close();
  }

  async #store(
    { context: { tenant }, grouped }: Pick<FollowedCollection, "context" | "grouped">,
  ): Promise<SnapshotStore> {
    const db = await keepingDatabase(this.#host, tenant);
    if (db === undefined) return this.#memory;
    const { StoredSnapshots } = await import("./stored_snapshots.ts");
    const { name: application = "" } = this.#host;
    const run: EngineRunner = grouped
      ? async (work) => await db.withEngine(work)
      : (work) => inOwnTransaction(db, tenant, work);
    return new StoredSnapshots({ run, application, service: this.#service });
  }

  /** What this process keeps leaves with it at the latest. */
  #removeLater(store: SnapshotStore, { context: { tenant } }: FollowedCollection): void {
    const { db, limits: { deltaMs } } = this.#host;
    if (store === this.#memory || db === undefined) return;
    const run = async () => {
      // that of the request may have belonged to its transaction
      const own = await this.#store({ context: new EventContext({ tenant }), grouped: false });
      const sizes = await own.sizes();
      const old = sizes.filter(({ ageMs }) => ageMs >= deltaMs).map(({ series }) => series);
      if (old.length > 0) await own.forget(old);
      return old.length < sizes.length;
    };
    this.#cleanup.after(tenant, deltaMs, { root: db.rootOptions, run });
  }

  /** Forgets what is too old, and what is more than is to be kept; not the series that was added to. */
  #makeRoom(store: SnapshotStore, { series, owner }: Pick<SeriesSize, "series" | "owner">): Promise<void> {
    return this.#quietly(async () => {
      const { deltaMs, deltaSnapshots, deltaSnapshotsOfUser, deltaLength } = this.#host.limits;
      let [all, own, length] = [0, 0, 0];
      const left = (await store.sizes()).filter((one) => {
        const isOwn = one.owner === owner;
        const isLeft = one.series !== series && (one.ageMs >= deltaMs || all >= deltaSnapshots ||
          (isOwn && own >= deltaSnapshotsOfUser) || length + one.length > deltaLength);
        if (isLeft) return true;
        all++;
        length += one.length;
        if (isOwn) own++;
        return false;
      });
      if (left.length > 0) await store.forget(left.map((one) => one.series));
    });
  }

  /** Another process may do the same at that moment; what stays too long goes the next time. */
  async #quietly(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#host.log("odata").info("Cannot remove old states of collections:", error);
    }
  }
}

const TOKEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Events that clients may still ask for, as rows beside the outbox: they are stored with the transaction of their emitter.
 *
 * Numbers that rows get when they are inserted say nothing about the order of commits: a reader that has seen number 6 would
 * never look for number 5, which is committed later. So committed rows get their positions afterwards, by whoever wants to
 * read, one process at a time.
 *
 * @module
 */

import type { Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { DatabaseTransaction } from "../../service/database.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import type { FeedBounds, FeedEntry } from "../../service/live/live_data.ts";
import { inOwnTransaction } from "../../service/own_work.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { FEED_EVENTS, FEEDS } from "../outbox/queue_model.ts";
import { type EmittedEvent, type FeedLimits, type FeedLog, positionOfNow } from "./feed_log.ts";

/** Where rows are. */
export interface StoredLogOptions {
  /** The database. */
  readonly db: DatabaseService;
  /** Whose database, with multitenancy. */
  readonly tenant: string | undefined;
  /** Name of the application: others may share the tables. */
  readonly application: string;
  /** How much is kept. */
  readonly limits: FeedLimits;
}

/** The events of one tenant in its database. */
export class StoredLog implements FeedLog {
  readonly #options: StoredLogOptions;

  /** @param options database, tenant, application */
  constructor(options: StoredLogOptions) {
    this.#options = options;
  }

  get isShared(): boolean {
    const { db, tenant } = this.#options;
    return db.opened(tenant)?.isVolatile !== true;
  }

  record({ event, data }: EmittedEvent): MaybePromise<void> {
    const { db, application } = this.#options;
    const row = {
      ...{ ID: crypto.randomUUID(), appid: application, event, data },
      at: new Date().toISOString(),
    };
    return db.withEngine((engine) => engine.enqueue!(FEED_EVENTS, row));
  }

  async place(): Promise<void> {
    const { application } = this.#options;
    const found = await this.#own((engine) => engine.run(UNPLACED, { application }));
    if (found !== null) await this.#placing(() => Promise.resolve());
  }

  async read(after: number, limit: number): Promise<readonly FeedEntry[]> {
    const { application } = this.#options;
    const query = {
      SELECT: { ...BEHIND.SELECT, limit: { rows: { val: limit } } },
    };
    const rows = await this.#own((engine) => engine.run(query, { application, after })) as Row[];
    return rows.map(({ position, event, data }) => ({
      ...{ position: Number(position), event: String(event), data: String(data) },
    }));
  }

  async bounds(): Promise<FeedBounds> {
    const { application } = this.#options;
    const known = await this.#own((engine) => engine.run(OWN_FEED, { application })) as Row | null;
    return known ? toBounds(known) : this.#placing((_, bounds) => Promise.resolve(bounds));
  }

  async trim(): Promise<void> {
    const { application, limits: { liveEvents, liveEventMs } } = this.#options;
    const before = new Date(Date.now() - liveEventMs).toISOString();
    await this.#placing(async (engine, { removed }) => {
      const old = await engine.run(LAST_BEFORE, { application, before }) as Row | null;
      const many = await engine.run(beyond(liveEvents), { application }) as Row | null;
      const upTo = Math.max(Number(old?.position ?? 0), Number(many?.position ?? 0));
      if (upTo <= removed) return;
      await engine.run({ DELETE: { from: FEED_EVENTS, where: UP_TO } }, { application, upTo });
      await engine.run({ UPDATE: { entity: FEEDS, data: { removed: upTo }, where: IS_OWN } }, {
        application,
      });
    });
  }

  /** Gives positions, and does something more, while no other process does. */
  async #placing<T>(then: (engine: DatabaseTransaction, bounds: FeedBounds) => Promise<T>): Promise<T> {
    try {
      return await this.#own((engine) => this.#place(engine, then));
    } catch (error) {
      // another process made the row of the feed
      if (!isServiceError(error) || error.code !== "ENTITY_ALREADY_EXISTS") throw error;
      return await this.#own((engine) => this.#place(engine, then));
    }
  }

  async #place<T>(
    engine: DatabaseTransaction,
    then: (engine: DatabaseTransaction, bounds: FeedBounds) => Promise<T>,
  ): Promise<T> {
    const own = { application: this.#options.application };
    const feed = await this.#lock(engine);
    const { least, most } = await engine.run(NUMBERS, own) as Row;
    if (most === null) return await then(engine, feed);
    const shift = Math.max(feed.last, positionOfNow()) + 1 - Number(least);
    const position = { xpr: [{ ref: ["seq"] }, "+", { val: shift }] as const };
    const numbers = { ...own, least: Number(least), most: Number(most) };
    await engine.run({ UPDATE: { entity: FEED_EVENTS, with: { position }, where: NUMBERED } }, numbers);
    const last = Number(most) + shift;
    await engine.run({ UPDATE: { entity: FEEDS, data: { last }, where: IS_OWN } }, own);
    return await then(engine, { ...feed, last });
  }

  /** Locks the row of the feed, which is made with its first event. */
  async #lock(engine: DatabaseTransaction): Promise<FeedBounds> {
    const { application } = this.#options;
    const at = new Date().toISOString();
    const locked = await engine.run({ UPDATE: { entity: FEEDS, data: { at }, where: IS_OWN } }, {
      application,
    });
    if (locked === 1) return toBounds(await engine.run(OWN_FEED, { application }) as Row);
    const now = positionOfNow();
    const entries = [{ appid: application, last: now, removed: now, at }];
    await engine.run({ INSERT: { into: FEEDS, entries } });
    return { removed: now, last: now };
  }

  #own<T>(run: (engine: DatabaseTransaction) => MaybePromise<T>): Promise<T> {
    const { db, tenant } = this.#options;
    return inOwnTransaction(db, tenant, run);
  }
}

function toBounds({ removed, last }: Row): FeedBounds {
  return { removed: Number(removed), last: Number(last) };
}

/** Templates: engines compile frozen queries once. */
const IS_OWN: readonly Xo[] = Object.freeze([{ ref: ["appid"] }, "=", { ref: ["application"], param: true }]);
const IS_UNPLACED: readonly Xo[] = [...IS_OWN, "and", { ref: ["position"] }, "is", "null"];
const NUMBERED: readonly Xo[] = Object.freeze([
  ...IS_UNPLACED,
  ...["and", { ref: ["seq"] }, ">=", { ref: ["least"], param: true }] as const,
  ...["and", { ref: ["seq"] }, "<=", { ref: ["most"], param: true }] as const,
]);
const UP_TO: readonly Xo[] = Object.freeze([
  ...IS_OWN,
  ...["and", { ref: ["position"] }, "<=", { ref: ["upTo"], param: true }] as const,
]);

function events(select: Omit<SelectQuery["SELECT"], "from">): SelectQuery {
  return Object.freeze({ SELECT: { from: { ref: [FEED_EVENTS] }, ...select } });
}

const UNPLACED: SelectQuery = events({ one: true, columns: [{ ref: ["ID"] }], where: IS_UNPLACED });
const NUMBERS: SelectQuery = events({
  one: true,
  columns: [
    { func: "min", args: [{ ref: ["seq"] }], as: "least" },
    { func: "max", args: [{ ref: ["seq"] }], as: "most" },
  ],
  where: IS_UNPLACED,
});
const BEHIND: SelectQuery = events({
  columns: [{ ref: ["position"] }, { ref: ["event"] }, { ref: ["data"] }],
  where: [...IS_OWN, "and", { ref: ["position"] }, ">", { ref: ["after"], param: true }],
  orderBy: [{ ref: ["position"] }],
});
const LAST_BEFORE: SelectQuery = events({
  one: true,
  columns: [{ func: "max", args: [{ ref: ["position"] }], as: "position" }],
  where: [...IS_OWN, "and", { ref: ["at"] }, "<", { ref: ["before"], param: true }],
});
const OWN_FEED: SelectQuery = Object.freeze({
  SELECT: { one: true as const, from: { ref: [FEEDS] }, where: IS_OWN },
});

/** The last entry of those that are more than a number. */
function beyond(most: number): SelectQuery {
  return events({
    columns: [{ ref: ["position"] }],
    one: true,
    where: [...IS_OWN, "and", { ref: ["position"] }, "is", "not", "null"],
    orderBy: [{ ref: ["position"], sort: "desc" }],
    limit: { rows: { val: 1 }, offset: { val: most } },
  });
}

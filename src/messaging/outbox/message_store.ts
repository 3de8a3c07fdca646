import type { DeleteQuery, Query, QueryParams, Row, SelectQuery, UpdateQuery, Xo } from "../../cqn/cqn.ts";
import type { DatabaseTransaction } from "../../service/database.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import { inOwnTransaction } from "../../service/own_work.ts";
import { OUTBOX_MESSAGES } from "./queue_model.ts";
import { fromRow, isSameTask, type OutboxMessage } from "./stored_work.ts";

const STATUS_DEAD = "dead";

/** Where rows are. */
export interface MessageStoreOptions {
  /** The database. */
  readonly db: DatabaseService;
  /** Whose database, with multitenancy. */
  readonly tenant: string | undefined;
  /** Name of the application: others may share the table. */
  readonly application: string;
  /** The worker. */
  readonly owner: string;
  /** How long it may be silent before its rows are free for others. */
  readonly leaseMs: number;
}

/** Reads and changes rows, each call in a transaction of its own where nothing else is said. */
export class MessageStore {
  readonly #options: MessageStoreOptions;

  /**
   * Reads nothing yet.
   *
   * @param options database, tenant, worker
   */
  constructor(options: MessageStoreOptions) {
    this.#options = options;
  }

  /** How long a worker may be silent before its rows are free for others, in milliseconds. */
  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** The services that have work, due or not; each is found by one step in the index of claims. */
  async pendingTargets(): Promise<readonly string[]> {
    const { db, tenant, application } = this.#options;
    return await inOwnTransaction(db, tenant, async (engine) => {
      const targets: string[] = [];
      for (let last = "";;) {
        const row = await engine.run(NEXT_TARGET, { application, last }) as Row | null;
        if (typeof row?.target !== "string") return targets;
        targets.push(last = row.target);
      }
    });
  }

  /** How much is waiting and since when, and how much was given up, by service. */
  async states(): Promise<readonly QueueState[]> {
    const rows = await this.#own(COUNT_BY_TARGET, { application: this.#options.application }) as Row[];
    const states = new Map<string, QueueState>();
    for (const { target, status, number, oldest } of rows) {
      const known = states.get(String(target)) ??
        { target: String(target), waiting: 0, oldestAgeMs: 0, dead: 0 };
      const oldestAgeMs = Math.max(0, Date.now() - Date.parse(String(oldest)));
      states.set(
        known.target,
        status === null
          ? { ...known, waiting: Number(number), oldestAgeMs }
          : { ...known, dead: Number(number) },
      );
    }
    return [...states.values()];
  }

  /**
   * Leases work to this worker, and removes what it has done.
   *
   * @param target name of the service
   * @param limit rows at most
   * @param done rows that are done
   * @returns the rows, and how many characters they had as they were stored
   */
  async claim(
    target: string,
    limit: number,
    done: readonly string[] = [],
  ): Promise<{ readonly messages: readonly OutboxMessage[]; readonly characters: number }> {
    const { db, tenant, application, owner } = this.#options;
    const database = await db.database(tenant);
    const now = Date.now();
    const rows = await database.claim!({
      ...{ entity: OUTBOX_MESSAGES, target, application, owner, limit, done },
      now: new Date(now).toISOString(),
      lockedUntil: new Date(now + this.leaseMs).toISOString(),
    });
    const characters = rows.reduce((sum, { msg }) => sum + String(msg).length, 0);
    return { messages: rows.map(fromRow), characters };
  }

  /** Extends the lease of rows that are still this worker's. */
  async renew(ids: readonly string[]): Promise<void> {
    const lockedUntil = new Date(Date.now() + this.leaseMs).toISOString();
    await this.#own(change({ lockedUntil }), this.#mine(ids));
  }

  /** Removes rows that are done. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.#own(REMOVE, this.#mine(ids));
  }

  /** Gives rows back, with changes. */
  async giveBack(ids: readonly string[], changes: Row = {}): Promise<void> {
    if (ids.length === 0) return;
    await this.#own(change({ lockedBy: null, lockedUntil: null, ...changes }), this.#mine(ids));
  }

  /**
   * Removes a row that is done, or gives it back for its next run, in the current transaction.
   *
   * @param id key of the row
   * @param changes for the next run
   * @returns whether the row was still this worker's, or a task was scheduled anew meanwhile
   */
  async settleHere(id: string, changes?: Row): Promise<boolean> {
    const query = changes ? change({ lockedBy: null, lockedUntil: null, ...changes }) : REMOVE;
    const run = (query: Query, params?: QueryParams) =>
      this.#options.db.withEngine((engine) => engine.run(query, params));
    if (Number(await run(query, this.#mine([id]))) === 1) return true;
    const where: Xo[] = [
      ...[{ ref: ["ID"] }, "=", { val: id }, "and", { ref: ["task"] }, "is", "not", "null"] as const,
      ...["and", { ref: ["lockedBy"] }, "is", "null"] as const,
    ];
    return await run({ SELECT: { from: { ref: [OUTBOX_MESSAGES] }, where, one: true } }) !== null;
  }

  /**
   * Dead letters, oldest first.
   *
   * @param limit rows at most
   * @param id key of one, or its beginning; default: all
   */
  async deadLetters(limit: number, id?: string): Promise<readonly OutboxMessage[]> {
    const named: Xo[] = id === undefined
      ? []
      : ["and", { func: "startswith", args: [{ ref: ["ID"] }, { val: id }] }];
    const SELECT = {
      from: { ref: [OUTBOX_MESSAGES] },
      where: [...this.#dead(), ...named],
      orderBy: [{ ref: ["seq"] }],
      limit: { rows: { val: limit } },
    };
    return (await this.#own({ SELECT }) as Row[]).map(fromRow);
  }

  /**
   * Makes dead letters live again: no attempts, due now.
   *
   * @param id key of one; default: all
   * @returns how many
   */
  async revive(id?: string): Promise<number> {
    const data = { attempts: 0, status: null, due: new Date().toISOString() };
    return Number(await this.#own({ UPDATE: { entity: OUTBOX_MESSAGES, data, where: this.#dead(id) } }));
  }

  /**
   * Removes a dead letter.
   *
   * @param id its key
   * @returns whether it was there
   */
  async discard(id: string): Promise<boolean> {
    return await this.#own({ DELETE: { from: { ref: [OUTBOX_MESSAGES] }, where: this.#dead(id) } }) === 1;
  }

  /** What `IS_MINE` is compared with. */
  #mine(ids: readonly string[]): QueryParams {
    return { ids, owner: this.#options.owner };
  }

  #dead(id?: string): Xo[] {
    const key: Xo[] = id === undefined ? [] : ["and", { ref: ["ID"] }, "=", { val: id }];
    return [
      ...[{ ref: ["status"] }, "=", { val: STATUS_DEAD }] as const,
      ...["and", { ref: ["appid"] }, "=", { val: this.#options.application }, ...key] as const,
    ];
  }

  #own(query: Query, params?: QueryParams): Promise<unknown> {
    const { db, tenant } = this.#options;
    return inOwnTransaction(db, tenant, (engine) => engine.run(query, params));
  }
}

/** What waits for a service. */
export interface QueueState {
  /** Name of the service. */
  readonly target: string;
  /** Messages that wait, due or not. */
  readonly waiting: number;
  /** How long the oldest of them has been due. */
  readonly oldestAgeMs: number;
  /** Messages that were given up. */
  readonly dead: number;
}

const COUNT_BY_TARGET: SelectQuery = Object.freeze({
  SELECT: {
    from: { ref: [OUTBOX_MESSAGES] },
    columns: [
      ...[{ ref: ["target"] }, { ref: ["status"] }],
      { func: "count", args: ["*"], as: "number" },
      { func: "min", args: [{ ref: ["due"] }], as: "oldest" },
    ],
    where: [{ ref: ["appid"] }, "=", { ref: ["application"], param: true }],
    groupBy: [{ ref: ["target"] }, { ref: ["status"] }],
  },
});

/** What a row of a dead letter is changed to. */
export const DEAD: Row = { status: STATUS_DEAD };

/** Rows that this worker has leased. It is a template, as the query below: engines compile frozen conditions once. */
const IS_MINE: readonly Xo[] = Object.freeze([
  ...[{ ref: ["ID"] }, "in", { ref: ["ids"], param: true }] as const,
  ...["and", { ref: ["lockedBy"] }, "=", { ref: ["owner"], param: true }] as const,
]);
const REMOVE: DeleteQuery = { DELETE: { from: OUTBOX_MESSAGES, where: IS_MINE } };

function change(data: Row): UpdateQuery {
  return { UPDATE: { entity: OUTBOX_MESSAGES, data, where: IS_MINE } };
}

const NEXT_TARGET: SelectQuery = Object.freeze({
  SELECT: {
    one: true as const,
    from: { ref: [OUTBOX_MESSAGES] },
    columns: [{ func: "min", args: [{ ref: ["target"] }], as: "target" }],
    where: [
      ...[{ ref: ["appid"] }, "=", { ref: ["application"], param: true }] as const,
      ...["and", { ref: ["status"] }, "is", "null"] as const,
      ...["and", { ref: ["target"] }, ">", { ref: ["last"], param: true }] as const,
    ],
  },
});

/**
 * Makes room for a task. A repeated one that is there just as it is keeps its rhythm: several processes that schedule it at
 * their start have it done once.
 *
 * @param row the row that is to be stored
 * @param engine where
 * @returns whether it is there
 */
export async function replaceTask({ ID, msg }: Row, engine: DatabaseTransaction): Promise<boolean> {
  await engine.turn!(`task ${ID}`);
  const where: Xo[] = [{ ref: ["ID"] }, "=", { val: String(ID) }];
  const SELECT = { one: true, from: { ref: [OUTBOX_MESSAGES] }, columns: [{ ref: ["msg"] }], where } as const;
  const known = await engine.run({ SELECT }) as Row | null;
  if (known !== null && isSameTask(known.msg, msg)) return true;
  await engine.run({ DELETE: { from: { ref: [OUTBOX_MESSAGES] }, where } });
  return false;
}

/** Room between the last moment of work and the end of the lease, as a part of it. */
const MARGIN = 1 / 6;

/** Renews the lease on rows until each of them is settled. */
export class Lease {
  readonly #store: MessageStore;
  readonly #open: Set<string>;
  readonly #timer: ReturnType<typeof setInterval>;
  #until: number;

  /**
   * Begins to renew.
   *
   * @param store the rows
   * @param messages those that were claimed just now
   */
  constructor(store: MessageStore, messages: readonly OutboxMessage[]) {
    this.#store = store;
    this.#open = new Set(messages.map(({ ID }) => ID));
    this.#until = Date.now() + store.leaseMs;
    this.#timer = setInterval(() => void this.#renew(), store.leaseMs / 3);
  }

  /** Whether the rows are this worker's for sure: a process that was stopped for long may have lost them. */
  get isValid(): boolean {
    return Date.now() < this.#until - this.#store.leaseMs * MARGIN;
  }

  /** The rows that are not settled. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** Takes rows out that are removed or given back. */
  settle(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** Ends renewing. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    if (this.#open.size === 0) return;
    const until = Date.now() + this.#store.leaseMs;
    try {
      await this.#store.renew(this.open);
      this.#until = until;
    } catch {
      // the database is busy: the lease ends in time, and with it the work
    }
  }
}

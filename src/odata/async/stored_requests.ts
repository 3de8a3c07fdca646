/**
 * Asynchronous requests as rows beside the outbox: the monitor of each is answered by any process. The process that does a
 * request says again and again that it is there; one that is silent for too long has ended, and what it was about to commit
 * is not committed any more. Times are those of the database.
 *
 * @module
 */

import type { Expression, Query, QueryParams, Row, SelectBody, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { Logger } from "../../log/logger.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import { inOwnTransaction, runDetached } from "../../service/own_work.ts";
import { ASYNC_REQUESTS } from "../kept_for_clients.ts";
import { decodeBase64, encodeBase64 } from "../../util/bytes.ts";
import type { Answer } from "../exchange.ts";
import { type HeaderEntry, HeaderList } from "../header_list.ts";
import { type AsyncRequest, calledOff } from "./async_request.ts";
import {
  type FoundRequest,
  lengthOf,
  type ListedRequest,
  type RequestState,
  type RequestStore,
} from "./request_store.ts";

/** How often a process says that it is there, at least, */
const BEAT_MS = 2_000;
/** and as a part of the time after which it counts as ended. */
const BEATS = 10;

/** Where rows are. */
export interface StoredRequestsOptions {
  /** The database. */
  readonly db: DatabaseService;
  /** Whose database, with multitenancy. */
  readonly tenant: string | undefined;
  /** Name of the application: others may share the table. */
  readonly application: string;
  /** Name of the service. */
  readonly service: string;
  /** After which silence a process counts as ended, in milliseconds. */
  readonly silenceMs: number;
  /** Takes failures. */
  readonly log: Logger;
}

/** Keeps requests in a table. */
export class StoredRequests implements RequestStore {
  readonly #options: StoredRequestsOptions;
  /** The requests that run in this process. */
  readonly #here: Map<string, AsyncRequest> = new Map();
  /** Their answers that could not be kept yet. */
  readonly #answers: Map<string, Answer> = new Map();
  #beating: ReturnType<typeof setInterval> | undefined;
  #beat: Promise<void> | undefined;

  /** @param options database, tenant, service */
  constructor(options: StoredRequestsOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly ListedRequest[]> {
    const rows = await this.#run(LIST, this.#own()) as Row[];
    return rows.map(({ ID, owner, state, length, at, now }) => {
      const ageMs = agedMs(now, at);
      const isOver = !UNDER_WAY.includes(String(state)) ||
        (ageMs > this.#options.silenceMs && !this.#here.has(String(ID)));
      return { id: String(ID), owner: String(owner), isOver, length: Number(length), ageMs };
    });
  }

  async begin(request: AsyncRequest): Promise<void> {
    const { application: appid, service } = this.#options;
    const { id: ID, owner, method, isOneTransaction, context: { user } } = request;
    const entry = {
      ...{ ID, appid, service, owner, roles: JSON.stringify(user.roles), method, isOneTransaction },
      ...{ state: "running", length: 0 },
    };
    await this.#run({ UPSERT: { into: ASYNC_REQUESTS, entries: [entry] } });
    this.#here.set(ID, request);
    this.#beating ??= this.#startBeating();
  }

  #startBeating(): ReturnType<typeof setInterval> {
    const { db, silenceMs } = this.#options;
    const beat = () => void (this.#beat ??= this.#tellAll().finally(() => this.#beat = undefined));
    return runDetached(db.rootOptions, () => setInterval(beat, Math.min(BEAT_MS, silenceMs / BEATS)));
  }

  /** In the transaction of the request: who calls it off meanwhile waits for its end. */
  async commit(id: string): Promise<boolean> {
    const query = { UPDATE: { entity: ASYNC_REQUESTS, data: { state: "committed" }, where: IS_UNDER_WAY } };
    return await this.#options.db.withEngine((engine) => engine.run(query, this.#own({ ids: [id] }))) === 1;
  }

  async end(id: string, answer: Answer): Promise<void> {
    this.#answers.set(id, answer);
    const data = { state: "done", length: lengthOf(answer), answer: writeAnswer(answer) };
    const query = { UPDATE: { entity: ASYNC_REQUESTS, data, with: { at: NOW }, where: IS_UNDER_WAY } };
    await this.#run(query, this.#own({ ids: [id] }));
    this.#left(id);
  }

  async find(id: string): Promise<FoundRequest | undefined> {
    const row = await this.#run(BY_ID, this.#own({ ids: [id] })) as Row | null;
    if (row === null) return undefined;
    const { owner, roles, method, isOneTransaction, answer, at, now } = row;
    const ageMs = agedMs(now, at);
    return {
      ...{ owner: String(owner), roles: JSON.parse(String(roles)), method: String(method), ageMs },
      isOneTransaction: isOneTransaction === true,
      state: this.#here.has(id) || ageMs <= this.#options.silenceMs
        ? row.state as RequestState
        : await this.#stateAfterSilence(id, row),
      ...typeof answer === "string" ? { answer: readAnswer(answer) } : {},
    };
  }

  async cancel(id: string): Promise<boolean> {
    const request = this.#here.get(id);
    if (request === undefined) {
      return await this.#run(
        { DELETE: { from: ASYNC_REQUESTS, where: IS_RUNNING } },
        this.#own({ ids: [id] }),
      ) === 1;
    }
    // its transaction may hold what the row needs
    const isEnded = await request.end(calledOff());
    if (isEnded) await this.remove([id]);
    return isEnded;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#run({ DELETE: { from: ASYNC_REQUESTS, where: IS_ONE_OF } }, this.#own({ ids }));
    for (const id of ids) this.#left(id);
  }

  /** Nothing of this process is told any more. */
  async close(): Promise<void> {
    clearInterval(this.#beating);
    await this.#beat;
  }

  /** A request does not run here any more, or its answer is kept. */
  #left(id: string): void {
    this.#answers.delete(id);
    this.#here.delete(id);
    if (this.#here.size > 0) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  /** Tells that this process is there, and ends what was called off elsewhere; keeps answers that could not be kept before. */
  async #tellAll(): Promise<void> {
    try {
      for (const [id, answer] of this.#answers) await this.end(id, answer);
      const ids = [...this.#here.keys()];
      if (ids.length === 0) return;
      const params = this.#own({ ids });
      const told = await this.#run(
        { UPDATE: { entity: ASYNC_REQUESTS, with: { at: NOW }, where: IS_UNDER_WAY } },
        params,
      );
      if (told === ids.length) return;
      const there = new Set((await this.#run(STILL_THERE, params) as Row[]).map(({ ID }) => ID));
      for (const id of ids) if (!there.has(id)) void this.#here.get(id)?.end(calledOff());
    } catch (error) {
      this.#options.log.warn("Cannot tell that asynchronous requests go on:", error);
    }
  }

  /** What became of a request whose process is silent; what was not committed is not committed any more. */
  async #stateAfterSilence(id: string, { state, now }: Row): Promise<RequestState> {
    if (state === "committed") return "answer lost";
    if (state !== "running") return state as RequestState;
    const before = new Date(Date.parse(String(now)) - this.#options.silenceMs).toISOString();
    const query = { UPDATE: { entity: ASYNC_REQUESTS, data: { state: "lost" }, where: IS_SILENT } };
    try {
      if (await this.#run(query, this.#own({ ids: [id], before })) === 1) return "lost";
    } catch (error) {
      // whoever keeps others from writing may be this very request
      this.#options.log.info("Cannot end an asynchronous request whose process is silent:", error);
      return state;
    }
    const after = await this.#run(BY_ID, this.#own({ ids: [id] })) as Row | null;
    return (after?.state ?? "lost") as RequestState;
  }

  #run(query: Query, params?: QueryParams): Promise<unknown> {
    const { db, tenant } = this.#options;
    return inOwnTransaction(db, tenant, (engine) => engine.run(query, params));
  }

  #own(params: Row = {}): QueryParams {
    const { application, service } = this.#options;
    return { ...params, application, service };
  }
}

interface WrittenAnswer {
  readonly status: number;
  readonly headers: readonly HeaderEntry[];
  readonly body?: string;
  /** A body of bytes. */
  readonly base64?: string;
}

/** An answer as text; it is not streamed. */
function writeAnswer({ status, headers, body }: Answer): string {
  const written: WrittenAnswer = {
    ...{ status, headers: Array.from(headers, ([name, value]): HeaderEntry => [name, value]) },
    ...typeof body === "string" ? { body } : body === null ? {} : { base64: encodeBase64(body) },
  };
  return JSON.stringify(written);
}

function readAnswer(text: string): Answer {
  const { status, headers, body, base64 }: WrittenAnswer = JSON.parse(text);
  return {
    status,
    headers: new HeaderList(headers),
    body: base64 === undefined ? body ?? null : decodeBase64(base64),
  };
}

function agedMs(now: unknown, at: unknown): number {
  return Date.parse(String(now)) - Date.parse(String(at));
}

const NOW: Expression = Object.freeze({ func: "current_timestamp" });
const UNDER_WAY: readonly string[] = ["running", "committed"];

/** Templates: engines compile frozen queries once. */
const IS_OWN: readonly Xo[] = Object.freeze([
  ...[{ ref: ["appid"] }, "=", { ref: ["application"], param: true }] as const,
  ...["and", { ref: ["service"] }, "=", { ref: ["service"], param: true }] as const,
]);
const IS_ONE_OF: readonly Xo[] = Object.freeze([
  ...[{ ref: ["ID"] }, "in", { ref: ["ids"], param: true }] as const,
  ...["and", ...IS_OWN] as const,
]);
const IS_UNDER_WAY: readonly Xo[] = Object.freeze([
  ...IS_ONE_OF,
  ...["and", { ref: ["state"] }, "in", { list: UNDER_WAY.map((val) => ({ val })) }] as const,
]);
const IS_RUNNING: readonly Xo[] = Object.freeze([
  ...IS_ONE_OF,
  ...["and", { ref: ["state"] }, "=", { val: "running" }] as const,
]);
const IS_SILENT: readonly Xo[] = Object.freeze([
  ...IS_RUNNING,
  ...["and", { ref: ["at"] }, "<", { ref: ["before"], param: true }] as const,
]);

function select(names: readonly string[], body: Omit<SelectBody, "from">): SelectQuery {
  const columns = [...names.map((name) => ({ ref: [name] as const })), { ...NOW, as: "now" }] as const;
  return Object.freeze({ SELECT: { from: { ref: [ASYNC_REQUESTS] }, columns, ...body } });
}

const BY_ID: SelectQuery = select(
  ["owner", "roles", "method", "isOneTransaction", "state", "answer", "at"],
  { one: true, where: IS_ONE_OF },
);
const STILL_THERE: SelectQuery = select(["ID"], { where: IS_UNDER_WAY });
const LIST: SelectQuery = select(
  ["ID", "owner", "state", "length", "at"],
  { where: IS_OWN, orderBy: [{ ref: ["at"] }] },
);

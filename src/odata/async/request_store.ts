/**
 * Where asynchronous requests and their answers are kept.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../exchange.ts";
import { type AsyncRequest, calledOff } from "./async_request.ts";

/**
 * How far a request is: it runs, its changes are committed, it is done; or its process has ended before it was done, or
 * before its answer was kept.
 */
export type RequestState = "running" | "committed" | "done" | "lost" | "answer lost";

/** A request as its monitor shows it. */
export interface FoundRequest {
  /** Whose it is. */
  readonly owner: string;
  /** The roles that it was made with. */
  readonly roles: readonly string[];
  readonly method: string;
  readonly isOneTransaction: boolean;
  readonly state: RequestState;
  /** Once it is done. */
  readonly answer?: Answer;
  /** Milliseconds since it was done, or since its process was last seen. */
  readonly ageMs: number;
}

/** A request among all that are kept. */
export interface ListedRequest {
  readonly id: string;
  readonly owner: string;
  /** Whether it runs no more, whatever became of it. */
  readonly isOver: boolean;
  /** Characters of its answer. */
  readonly length: number;
  /** Milliseconds since it was done, or since its process was last seen. */
  readonly ageMs: number;
}

/** Keeps the requests of one service. */
export interface RequestStore {
  /** All requests, those that are done longest first. */
  list(): MaybePromise<readonly ListedRequest[]>;
  /** Keeps a request that is about to start in this process. */
  begin(request: AsyncRequest): MaybePromise<void>;
  /**
   * The transaction of a request is about to be committed.
   *
   * @returns false where it was called off meanwhile, or counts as lost
   */
  commit(id: string): MaybePromise<boolean>;
  /** Keeps the answer. */
  end(id: string, answer: Answer): MaybePromise<void>;
  /** The request of a monitor. */
  find(id: string): MaybePromise<FoundRequest | undefined>;
  /**
   * Ends and forgets a request that changes nothing then.
   *
   * @returns false where it was committed before
   */
  cancel(id: string): MaybePromise<boolean>;
  /** Forgets requests. */
  remove(ids: readonly string[]): MaybePromise<void>;
}

/**
 * Characters that an answer takes.
 *
 * @param answer the answer
 */
export function lengthOf({ body }: Answer): number {
  return body?.length ?? 0;
}

interface Entry {
  readonly request: AsyncRequest;
  state: RequestState;
  answer?: Answer;
  endedAt: number;
}

/** Keeps requests in this process. */
export class MemoryRequests implements RequestStore {
  readonly #entries: Map<string, Entry> = new Map();

  list(): readonly ListedRequest[] {
    const now = Date.now();
    return [...this.#entries].map(([id, { request: { owner }, state, answer, endedAt }]) => ({
      ...{ id, owner, isOver: state === "done", length: answer ? lengthOf(answer) : 0 },
      ageMs: state === "done" ? now - endedAt : 0,
    })).toSorted((one, other) => other.ageMs - one.ageMs);
  }

  begin(request: AsyncRequest): void {
    this.#entries.set(request.id, { request, state: "running", endedAt: 0 });
  }

  commit(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry) entry.state = "committed";
    return true;
  }

  end(id: string, answer: Answer): void {
    const entry = this.#entries.get(id);
    if (entry) Object.assign(entry, { answer, state: "done", endedAt: Date.now() });
  }

  find(id: string): FoundRequest | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const { request: { owner, context, method, isOneTransaction }, state, answer, endedAt } = entry;
    const ageMs = Date.now() - endedAt;
    return { owner, roles: context.user.roles, method, isOneTransaction, state, answer, ageMs };
  }

  async cancel(id: string): Promise<boolean> {
    const isEnded = await this.#entries.get(id)?.request.end(calledOff()) ?? true;
    if (isEnded) this.#entries.delete(id);
    return isEnded;
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#entries.delete(id);
  }

  /** Forgets all requests but some that run. */
  clear(but: readonly AsyncRequest[]): void {
    for (const [id, { request }] of this.#entries) if (!but.includes(request)) this.#entries.delete(id);
  }
}

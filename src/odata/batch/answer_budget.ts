/**
 * How long the answers of a batch may be together.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { Answer } from "../exchange.ts";

/** UTF-8 needs three bytes at most for a UTF-16 unit: most bodies need not be counted. */
const MOST_BYTES_OF_UNIT = 3;

const ENCODER = new TextEncoder();

/** Counts the bytes of the bodies of a batch. */
export class AnswerBudget {
  readonly #maxBytes: number;
  /** Bytes of the bodies that were counted. */
  #counted = 0;
  /** Bodies that have room however many bytes their characters have. */
  #uncounted: string[] = [];
  /** Bytes that all bodies may have at most. */
  #most = 0;
  #isFull = false;

  /** @param maxBytes all that the bodies may have together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Makes sure that there is room for another answer, before its request runs.
   *
   * @throws ServiceError 413
   */
  assertRoom(): void {
    if (this.#isFull) throw this.#exceeded();
  }

  /**
   * Takes the body of an answer into account.
   *
   * @param answer to a request that has run
   * @param method of the request
   * @returns the answer; in place of a body without room, what says as much for a request that has changed something
   * @throws ServiceError 413 for a request that has only read
   */
  take(answer: Answer, method: string): Answer {
    if (this.#hasRoomFor(answer.body)) return answer;
    this.#isFull = true;
    if (method === "GET" || answer.status >= 400) throw this.#exceeded();
    return toMinimal(answer);
  }

  /** Takes into account that an answer would have been too large by itself. */
  fill(): void {
    this.#isFull = true;
  }

  /** Takes a body that has room. */
  #hasRoomFor(body: Answer["body"]): boolean {
    if (body === null) return true;
    const isText = typeof body === "string";
    const most = this.#most + (isText ? body.length * MOST_BYTES_OF_UNIT : body.byteLength);
    if (most <= this.#maxBytes) {
      this.#most = most;
      if (isText) this.#uncounted.push(body);
      else this.#counted += body.byteLength;
      return true;
    }
    for (const text of this.#uncounted) this.#counted += ENCODER.encode(text).byteLength;
    this.#uncounted = [];
    // what is too long in characters is too long in bytes
    if (this.#counted + body.length > this.#maxBytes) return false;
    const bytes = this.#counted + (isText ? ENCODER.encode(body).byteLength : body.byteLength);
    if (bytes > this.#maxBytes) return false;
    this.#most = this.#counted = bytes;
    return true;
  }

  #exceeded(): ServiceError {
    return new ServiceError({ status: 413, code: "BATCH_ANSWER_TOO_LARGE", args: [this.#maxBytes] });
  }
}

/** The answer that `return=minimal` would give (OData Protocol 8.2.8.7). */
function toMinimal(answer: Answer): Answer {
  const { headers } = answer;
  const location = headers.get("location");
  if (location !== null) headers.set("OData-EntityId", location);
  headers.delete("Content-Type");
  headers.delete("Preference-Applied");
  return { ...answer, status: 204, body: null };
}

/**
 * The outcome of one request or batch part before it becomes a `Response`.
 *
 * @module
 */

import type { AnswerHeaders } from "./header_list.ts";

/** Status, headers and body of an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** Canonical URL of the entity below the service root: what `$<id>` in a batch refers to. */
  readonly entityUrl?: string;
}

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * The web response of an answer.
 *
 * @param answer the answer
 * @param method method of the request: the answer to HEAD has no body
 */
export function toResponse(answer: Answer, method: string): Response {
  const { status, headers } = answer;
  const empty = WITHOUT_BODY.has(status);
  if (empty) headers.delete("content-type");
  const response = new Response(empty || method === "HEAD" ? null : answer.body, { status });
  for (const [name, value] of headers) {
    if (name === "set-cookie") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}

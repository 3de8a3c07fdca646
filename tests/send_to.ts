/**
 * Requests to a runtime without a port.
 *
 * @module
 */

import type { Runtime } from "../mod.ts";

/** What was parsed from JSON, as far as a test reaches into it. */
export interface Json {
  readonly [member: string]: Json;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

/** Headers, body and user of a request. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
}

/**
 * Sends a request; a body that is no text is sent as JSON.
 *
 * @param runtime answers it
 * @param sent method, path from the root, and the rest of the request
 */
export async function sendTo(
  runtime: Runtime,
  { method, path, body, headers, user }: Sent & { readonly method: string; readonly path: string },
): Promise<Answer> {
  const isText = typeof body === "string";
  const response = await runtime.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(body === undefined || isText ? {} : { "content-type": "application/json" }),
        ...(user === undefined ? {} : { authorization: `Basic ${btoa(`${user}:`)}` }),
        ...headers,
      },
      body: body === undefined || isText ? body as string | undefined : JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : text as unknown as Json,
  };
}

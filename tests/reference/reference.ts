/**
 * The fixture `reference` for the time of one test.
 *
 * @module
 */

import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";

/** An answer as tests compare it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, text, or undefined. */
  // deno-lint-ignore no-explicit-any -- bodies are looked into at many places
  readonly body: any;
}

/** Sends a request to the service. */
export type Send = (
  method: string,
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** The engines that can be tested here. */
export const ENGINES: readonly string[] = ["memory", "sqlite", ...(server.isThere ? ["postgres"] : [])];

/** Key of a product by its number. */
export const product = (number: number): string => `Products(00000002-0000-4000-8000-00000000000${number})`;

/** Runs a test on a service of its own. */
export async function withReference(run: (send: Send) => Promise<void>, engine = "sqlite"): Promise<void> {
  const schema = uniqueName();
  const db = { kind: engine, ...(engine === "postgres" ? { credentials: credentials(schema) } : {}) };
  const runtime = await startReference({ requires: { db }, log: { levels: { default: "silent" } } });
  try {
    await run(async (method, url, body, headers = {}) => {
      const isText = typeof body === "string" || body instanceof Uint8Array;
      const given = new Headers(headers);
      if (body !== undefined && !given.has("content-type")) given.set("content-type", "application/json");
      const content = isText || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers: given, body: content as BodyInit | undefined };
      return await toAnswer(await runtime.fetch(new Request(`http://localhost/${url}`, init)));
    });
  } finally {
    await runtime.close();
    if (engine === "postgres") await dropSchemas(schema);
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

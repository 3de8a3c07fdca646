/**
 * The fixture `reference` for the time of one test.
 *
 * @module
 */

import type { Runtime } from "../../mod.ts";
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

/** How many processes answer in turn, which takes PostgreSQL: what one of them gives, the next one must know. */
const PROCESSES = Number(Deno.env.get("TEST_REFERENCE_PROCESSES") ?? 1);

/** Runs a test on a service of its own. */
export async function withReference(
  run: (send: Send) => Promise<void>,
  engine: string = PROCESSES > 1 ? "postgres" : "sqlite",
): Promise<void> {
  const schema = uniqueName();
  const db = { kind: engine, ...(engine === "postgres" ? { credentials: credentials(schema) } : {}) };
  const runtimes: Runtime[] = [];
  let next = 0;
  try {
    while (runtimes.length < (engine === "postgres" ? PROCESSES : 1)) {
      runtimes.push(await startReference({ requires: { db }, log: { levels: { default: "silent" } } }));
    }
    await run(async (method, url, body, headers = {}) => {
      const isText = typeof body === "string" || body instanceof Uint8Array;
      const given = new Headers(headers);
      if (body !== undefined && !given.has("content-type")) given.set("content-type", "application/json");
      const content = isText || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers: given, body: content as BodyInit | undefined };
      const runtime = runtimes[next++ % runtimes.length]!;
      return await toAnswer(await runtime.fetch(new Request(`http://localhost/${url}`, init)));
    });
  } finally {
    for (const runtime of runtimes) await runtime.close();
    if (engine === "postgres") await dropSchemas(schema);
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

/**
 * Questions to services that the tests of clauses share.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { type Answer, type Send, withReference } from "../../reference/reference.ts";
import { LIBRARY, LIBRARY_ROWS } from "../library.ts";
import { SALES, SALES_ROWS } from "../sales.ts";

export { product, type Send } from "../../reference/reference.ts";

/** Headers of clients that understand 4.01. */
export const NEWER = { "odata-maxversion": "4.01" };
/** Headers of clients of 4.0. */
export const OLDER = { "odata-maxversion": "4.0" };

/** A test on the service of the fixture `reference`. */
export function onReference(run: (send: Send) => Promise<void>): () => Promise<void> {
  return () => withReference(run);
}

/** A test on the library: collections of values, trees, structures. */
export function onLibrary(run: (send: Send) => Promise<void>): () => Promise<void> {
  return () => withService(LIBRARY, LIBRARY_ROWS, run);
}

/** A test on the sales of the examples of OData Data Aggregation. */
export function onSales(run: (send: Send) => Promise<void>): () => Promise<void> {
  return () => withService(SALES, SALES_ROWS, run);
}

async function withService(
  model: Csn,
  data: Parameters<typeof createRuntime>[0]["data"],
  run: (send: Send) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model,
    data,
    kinds: denoKinds,
    profiles: ["development"],
    env: { log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  try {
    await run(async (method, url, body, headers = {}) => {
      const given = { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const request = new Request(`http://localhost/odata/v4/shop/${url}`, {
        method,
        headers: given,
        body: text,
      });
      return await toAnswer(await runtime.fetch(request));
    });
  } finally {
    await runtime.close();
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : isJson ? JSON.parse(text) : text,
  };
}

// deno-lint-ignore no-explicit-any -- bodies are looked into at many places
type Body = any;

/** The body of a read that succeeds. */
export async function read(send: Send, url: string, headers?: Record<string, string>): Promise<Body> {
  const { status, body } = await send("GET", url, undefined, headers);
  assert.equal(status, 200, `${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** One member of each row of a collection; default: the name. */
export async function each(send: Send, url: string, member = "Name"): Promise<unknown[]> {
  return (await read(send, url)).value.map((row: Body) => row[member]);
}

/** The key of each row of a collection. */
export function ids(send: Send, url: string): Promise<unknown[]> {
  return each(send, url, "ID");
}

/** Asserts a change that succeeds; gives its answer. */
export async function change(
  send: Send,
  [method, url, body, headers]: Parameters<Send>,
  status = 204,
): Promise<Answer> {
  const answer = await send(method, url, body, headers);
  assert.equal(answer.status, status, `${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Asserts a refusal with an error in the OData form. */
export async function refused(send: Send, given: Parameters<Send>, status = 400): Promise<void> {
  const { body } = await change(send, given, status);
  assert.equal(typeof body.error.code, "string", given[1]);
  assert.equal(typeof body.error.message, "string", given[1]);
}

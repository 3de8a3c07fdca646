/**
 * Whole-request tests over a model of their own: CDL, rows, handlers, and a way to call the service `Test`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { type Answer, type Json, sendTo, type Sent } from "../send_to.ts";

export type { Answer, Json, Sent };

/** What an app is made from. */
export interface AppOptions {
  /** CDL; the service of the tests is called `Test`. */
  readonly model: string;
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
  readonly handlers?: (srv: ApplicationService) => unknown;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly texts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly profiles?: readonly string[];
  /** Kind of the database, or what makes it; default: SQLite in memory. */
  readonly database?: "sqlite" | "memory" | DatabaseFactory;
}

/** A running app. */
export interface App {
  readonly runtime: Runtime;
  /** Sends a request; paths without leading slash are those of the service `Test`. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The rows of a set, after a look at the status. */
  rows(path: string, headers?: Readonly<Record<string, string>>): Promise<readonly Json[]>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a JSON batch; gives the responses. */
  batch(requests: readonly Readonly<Record<string, unknown>>[], sent?: Sent): Promise<readonly Json[]>;
}

/** Compiles CDL of one file. */
export function compile(model: string): ReturnType<typeof compileCdl> {
  return compileCdl(["model.cds"], { readFile: (path) => path === "model.cds" ? model : undefined });
}

/** Opens an app, runs a test, closes it. */
export async function withApp(options: AppOptions, test: (app: App) => Promise<unknown>): Promise<void> {
  const { database = "sqlite" } = options;
  const isKind = typeof database === "string";
  const databases = isKind ? denoKinds.databases : { given: () => Promise.resolve(database) };
  const runtime = createRuntime({
    model: compile(options.model),
    kinds: { ...denoKinds, databases },
    env: {
      log: { levels: { default: "silent" } },
      requires: { db: { kind: isKind ? database : "given" } },
      ...options.env,
    },
    profiles: options.profiles ?? ["development"],
    handlers: options.handlers ? { Test: (srv: ApplicationService) => options.handlers!(srv) } : {},
    texts: new Map(
      Object.entries(options.texts ?? {}).map(([locale, texts]) => [locale, new Map(Object.entries(texts))]),
    ),
    data: new Map(Object.entries(options.rows ?? {})),
  });
  try {
    await runtime.start();
    await test(appOf(runtime));
  } finally {
    await runtime.close();
  }
}

function appOf(runtime: Runtime): App {
  const send = (method: string, path: string, sent: Sent = {}) =>
    sendTo(runtime, { ...sent, method, path: path.startsWith("/") ? path : `/odata/v4/test/${path}` });
  return {
    runtime,
    send,
    get: (path, headers) => send("GET", path, { headers }),
    rows: async (path, headers) => {
      const answer = await send("GET", path, { headers });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.value as unknown as Json[];
    },
    post: (path, body = {}, headers) => send("POST", path, { body, headers }),
    patch: (path, body = {}, headers) => send("PATCH", path, { body, headers }),
    batch: async (requests, sent) => {
      const named = requests.map((one, index) => ({
        id: String(index + 1),
        ...one,
        headers: { "content-type": "application/json", ...one.headers as object },
      }));
      const answer = await send("POST", "$batch", { ...sent, body: { requests: named } });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.responses as unknown as Json[];
    },
  };
}

/** The error of an answer, after a look at its status. */
export function errorOf(answer: Answer | Json, status: number): Record<string, unknown> {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return (answer.body as Json).error as unknown as Record<string, unknown>;
}

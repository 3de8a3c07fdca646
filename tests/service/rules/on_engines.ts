/**
 * One application on each engine.
 *
 * @module
 */

import { createRuntime, type Row, type Runtime, type RuntimeOptions } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server as postgres } from "../../db/postgres.ts";
import { type Answer, sendTo, type Sent } from "../../send_to.ts";

/** What an application is made from. */
export interface App {
  readonly cdl: string;
  readonly data?: Readonly<Record<string, readonly Row[]>>;
  readonly handlers?: NonNullable<RuntimeOptions["handlers"]>;
  /** Texts by locale and key; without locale the default ones. */
  readonly texts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly env?: Readonly<Record<string, unknown>>;
}

/** A running application. */
export interface RunningApp {
  readonly engine: string;
  readonly runtime: Runtime;
  send(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
}

/** The engines that are there. */
export const ENGINES: readonly string[] = ["sqlite", "memory", ...(postgres.isThere ? ["postgres"] : [])];

/** The options of a runtime. */
export function optionsOf(app: App, engine = "memory", schema = ""): RuntimeOptions {
  const db = engine === "postgres"
    ? { kind: engine, credentials: credentials(schema) }
    : { kind: engine === "sqlite" ? "sqlite" : "memory" };
  return {
    model: compileCdl(["app.cds"], { readFile: (path) => path === "app.cds" ? app.cdl : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "" }, db },
      log: { levels: { default: "silent" } },
      ...app.env,
    },
    ...(app.handlers ? { handlers: app.handlers } : {}),
    texts: new Map(
      Object.entries(app.texts ?? {}).map(([locale, texts]) => [locale, new Map(Object.entries(texts))]),
    ),
    data: new Map(Object.entries(app.data ?? {})),
  };
}

/** Runs something with the application on one engine. */
export async function withApp(
  app: App,
  engine: string,
  run: (app: RunningApp) => Promise<void>,
): Promise<void> {
  const schema = uniqueName();
  const runtime = createRuntime(optionsOf(app, engine, schema));
  try {
    await runtime.start();
    await run({
      engine,
      runtime,
      send: (method, path, body, sent = {}) => sendTo(runtime, { method, path, body, ...sent }),
    });
  } finally {
    await runtime.close();
    if (engine === "postgres") await dropSchemas(schema);
  }
}

/** A test that runs with the application on each engine. */
export function testOnEngines(name: string, app: App, run: (app: RunningApp) => Promise<void>): void {
  for (const engine of ENGINES) Deno.test(`${name} (${engine})`, () => withApp(app, engine, run));
}

/**
 * An application in several processes that share a stored database.
 *
 * @module
 */

import { createRuntime, type Runtime } from "../../mod.ts";
import { inFolder } from "../messaging/services.ts";
import { uniqueName } from "../contract/services.ts";
import { dropSchemas, server as postgres } from "../db/postgres.ts";
import { type App, optionsOf } from "../service/rules/on_engines.ts";

/** Databases that processes can share. */
export const SHARED: readonly string[] = ["sqlite file", ...postgres.isThere ? ["postgres"] : []];

/** Runs something with as many runtimes as there are apps, each with a process's own memory. */
export async function withProcesses(
  engine: string,
  apps: readonly App[],
  run: (...runtimes: readonly Runtime[]) => Promise<void>,
): Promise<void> {
  if (engine !== "postgres") {
    return await inFolder((folder) =>
      runAll(apps.map((app) => withFile(optionsOf(app, "sqlite"), `${folder}/shared.db`)), run)
    );
  }
  const schema = uniqueName();
  try {
    await runAll(apps.map((app) => optionsOf(app, engine, schema)), run);
  } finally {
    await dropSchemas(schema);
  }
}

type Options = Parameters<typeof createRuntime>[0];

function withFile(options: Options, url: string): Options {
  const { requires, ...env } = options.env as { readonly requires: object };
  return {
    ...options,
    env: { ...env, requires: { ...requires, db: { kind: "sqlite", credentials: { url } } } },
  };
}

async function runAll(
  all: readonly Options[],
  run: (...runtimes: readonly Runtime[]) => Promise<void>,
): Promise<void> {
  const runtimes = all.map((options) => createRuntime(options));
  try {
    for (const runtime of runtimes) await runtime.start();
    await run(...runtimes);
  } finally {
    for (const runtime of runtimes) await runtime.close();
  }
}

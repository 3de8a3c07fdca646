/*
 * What several workers can serve as one process would.
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { assertSharedByWorkers } from "../../src/fw/shared_by_workers.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { inFolder } from "../messaging/services.ts";

const PLAIN = "service S { action run(); }";
const EVENTS = "service S { event happened { n : Integer; } }";
const TRACKED =
  "entity db.T { key ID : Integer; } service S { @odata.trackChanges entity T as projection on db.T; }";

const UNTRACKED = "entity db.T { key ID : Integer; } service S { entity T as projection on db.T; }";

/** What a start of workers says: why it ends, or its warnings. */
async function startOf(cdl: string, env: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => void warnings.push(text);
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? cdl : undefined }),
    kinds: denoKinds,
    env: { log: { levels: { default: "silent", server: "warn" } }, ...env },
  });
  try {
    await runtime.start();
    await assertSharedByWorkers(runtime);
    return warnings;
  } catch (error) {
    return [`${(error as Error).name}: ${(error as Error).message}`];
  } finally {
    console.warn = warn;
    await runtime.close();
  }
}

const withFile = (url: string, more: Readonly<Record<string, unknown>> = {}) => ({
  requires: { auth: "mocked", db: { kind: "sqlite", credentials: { url } }, messaging: false },
  ...more,
});

Deno.test("workers are refused a database that they cannot share", async () => {
  for (const db of [{ kind: "memory" }, { kind: "sqlite", credentials: { url: ":memory:" } }]) {
    const [text] = await startOf(PLAIN, { requires: { auth: "mocked", db } });
    assert.match(
      text!,
      /^ConfigurationError: Several workers need a database that they share: "fw.requires.db" is in memory/,
    );
  }
  const multitenancy = {
    auth: "mocked",
    multitenancy: true,
    db: { kind: "sqlite", credentials: { url: ":memory:" } },
  };
  assert.match((await startOf(PLAIN, { requires: multitenancy }))[0]!, /need a database that they share/);
  await inFolder(async (folder) => {
    assert.deepEqual(await startOf(PLAIN, withFile(`${folder}/a.db`)), []);
  });
});

Deno.test("workers are refused what only the one would know that has answered", () =>
  inFolder(async (folder) => {
    const without = { requires: { auth: "mocked", db: false } };
    const file = (more: Readonly<Record<string, unknown>>) => withFile(`${folder}/b.db`, more);
    for (
      const [cdl, env, expected] of [
        [EVENTS, without, /for events that clients follow \("fw.server.live"\): only the worker/],
        [EVENTS, file({ outbox: false }), /for events that clients follow/],
        [TRACKED, file({ outbox: false }), /for delta links \(@odata.trackChanges\):/],
        [PLAIN, { ...without, odata: { respond_async: true } }, /for monitors of asynchronous requests/],
        [PLAIN, file({ server: { metrics: { requires: "operator" } } }), /at "fw.server.metrics.port"/],
        [
          PLAIN,
          file({ server: { metrics: { requires: "operator", port: 9 } } }),
          /at "fw.server.metrics.port"/,
        ],
      ] as const
    ) {
      const [text] = await startOf(cdl, env);
      assert.match(text!, /^ConfigurationError: /);
      assert.match(text!, expected);
    }
    for (
      const [cdl, env] of [
        [PLAIN, without],
        [EVENTS, { ...without, server: { live: false } }],
        [EVENTS, file({})],
        [PLAIN, file({ outbox: false, requires: { ...file({}).requires } })],
        [UNTRACKED, file({ outbox: false })],
        [TRACKED, file({ odata: { respond_async: true }, server: { metrics: { port: 9 } } })],
      ] as const
    ) assert.deepEqual(await startOf(cdl, env), []);
  }));

Deno.test("workers are told what each of them counts for itself", () =>
  inFolder(async (folder) => {
    const limits = { per_user: 10, per_tenant: 100, concurrent: 50, concurrent_per_tenant: 5 };
    const env = withFile(`${folder}/c.db`, { server: { rate_limits: limits } });
    const warnings = await startOf(PLAIN, env);
    assert.equal(warnings.length, 2);
    assert.match(
      warnings[0]!,
      /Each worker counts requests for itself \("fw.server.rate_limits": per_user, per_tenant\)/,
    );
    assert.match(warnings[1]!, /"fw.server.rate_limits.concurrent_per_tenant" is the number of each worker/);
    const { concurrent } = limits;
    const [one, ...others] = await startOf(
      PLAIN,
      withFile(`${folder}/c.db`, { server: { rate_limits: { per_address: 10 } } }),
    );
    assert.match(one!, /Each worker counts requests for itself \("fw.server.rate_limits": per_address\)/);
    assert.deepEqual(others, []);
    assert.deepEqual(
      await startOf(PLAIN, withFile(`${folder}/c.db`, { server: { rate_limits: { concurrent } } })),
      [],
    );
  }));

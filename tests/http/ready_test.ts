import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { RuntimeReadiness } from "../../src/fw/readiness.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { recordingLog } from "../messaging/channels.ts";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";

async function withRuntime(
  { requires = {}, server = {}, kinds = denoKinds }: {
    readonly requires?: Readonly<Record<string, unknown>>;
    readonly server?: Readonly<Record<string, unknown>>;
    readonly kinds?: Kinds;
  },
  run: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: { definitions: {} },
    kinds,
    env: {
      ...{ server, log: { levels: { default: "silent" } } },
      requires: { db: { kind: "sqlite", credentials: { url: ":memory:" } }, messaging: false, ...requires },
    },
  });
  await runtime.start();
  try {
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

async function ready(runtime: Runtime, method = "GET"): Promise<{ status: number; body: unknown }> {
  const response = await runtime.fetch(new Request("http://localhost/ready", { method }));
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

Deno.test("/ready says that database and outbox are there, without login", async () => {
  await withRuntime({}, async (runtime) => {
    const checks = { database: "UP", outbox: "UP" };
    assert.deepEqual(await ready(runtime), { status: 200, body: { status: "UP", checks } });
    assert.deepEqual(await ready(runtime, "HEAD"), { status: 200, body: undefined });
    assert.equal((await ready(runtime, "POST")).status, 405);
  });
});

Deno.test("/ready is 503 while the broker of a channel is away, /health is not", async () => {
  const away = () => Promise.reject(Object.assign(new Error("Connection refused"), { code: "ECONNREFUSED" }));
  const kinds: Kinds = {
    ...denoKinds,
    channels: {
      "broker": () => (options) => Object.assign(createLocalChannel(options), { connect: away }),
    },
  };
  await withRuntime({ kinds, requires: { messaging: { kind: "broker" } } }, async (runtime) => {
    const { status, body } = await ready(runtime);
    assert.equal(status, 503);
    assert.deepEqual(body, { status: "DOWN", checks: { database: "UP", messaging: "DOWN", outbox: "UP" } });
    assert.equal((await runtime.fetch(new Request("http://localhost/health"))).status, 200);
  });
});

Deno.test("/ready is 503 while a message waits in the outbox for longer than configured", async () => {
  await withRuntime({ server: { ready: { outbox_age_ms: 1_000 } } }, async (runtime) => {
    await runtime.db!.run({
      INSERT: {
        into: "fw.outbox.Messages",
        entries: [{
          ...{ ID: "a", seq: 1, target: "elsewhere", appid: "app", msg: "{}", attempts: 0, partition: 0 },
          due: new Date(Date.now() - 5_000).toISOString(),
        }],
      },
    } as never);
    const { status, body } = await ready(runtime);
    assert.equal(status, 503);
    assert.deepEqual(body, { status: "DOWN", checks: { database: "UP", outbox: "DOWN" } });
  });
});

Deno.test("/ready is 503 from a signal to end on, while requests are still answered for drainMs", async () => {
  await withProject(SMALL, async (folder) => {
    const server = startProcess({
      args: [`${REPOSITORY}src/cli/mod.ts`, "serve", folder],
      variables: { FW_CONFIG: JSON.stringify({ server: { drainMs: 20_000 } }) },
    });
    try {
      const [, url] = await server.waitFor(/listening on (\S+)/);
      assert.equal(await fetch(`${url}/ready`).then(statusOf), 200);
      server.kill("SIGTERM");
      await server.waitFor(/SIGTERM/);
      assert.equal(await fetch(`${url}/ready`).then(statusOf), 503);
      assert.equal(await fetch(`${url}/odata/v4/cat/Books`).then(statusOf), 200);
    } finally {
      await server.close();
    }
  });
});

async function statusOf(response: Response): Promise<number> {
  await response.body?.cancel();
  return response.status;
}

/** Runs a test in which all time that something waits for is over at once; gives how long that would have been. */
async function withoutWaiting(run: (waits: readonly number[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const { now } = performance;
  const waits: number[] = [];
  let passed = 0;
  performance.now = () => passed += 60_000;
  globalThis.setTimeout = ((handler: () => void, ms = 0) => {
    waits.push(ms);
    return setTimeout(handler, 0);
  }) as typeof globalThis.setTimeout;
  try {
    await run(waits);
  } finally {
    globalThis.setTimeout = setTimeout;
    performance.now = now;
  }
}

Deno.test("/ready waits two seconds for a part; the log says once what is wrong, and that it is over", async () => {
  const log = recordingLog();
  let states: () => Promise<readonly unknown[]> = () => new Promise(() => {});
  const parts = { env: {}, services: {}, queue: { states: () => states() }, log: () => log };
  const readiness = new RuntimeReadiness(parts as unknown as RuntimeParts);
  await withoutWaiting(async (waits) => {
    const down = { status: "DOWN", checks: { outbox: "DOWN" } };
    assert.deepEqual([await readiness.state(), waits], [down, [2_000]]);
    assert.deepEqual(await readiness.state(), down);
    states = () => Promise.reject(new Error("gone"));
    assert.deepEqual(await readiness.state(), down);
    states = () => Promise.resolve([]);
    for (let time = 0; time < 2; time++) assert.equal((await readiness.state()).status, "UP");
  });
  assert.deepEqual(log.lines, [
    ["not ready: outbox: no answer within 2 s"],
    ["not ready: outbox: gone"],
    ["ready again"],
  ]);
});

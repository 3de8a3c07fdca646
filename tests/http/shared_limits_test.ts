import assert from "node:assert/strict";
import { toEnvironment } from "../../src/config/environment.ts";
import { Redis } from "ioredis";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { RedisQuotas } from "../../src/messaging/brokers/redis/redis_quotas.ts";
import { findService, uniqueName } from "../contract/services.ts";
import { recordingLog } from "../messaging/channels.ts";

const MODEL = {
  definitions: {
    "Shop": { kind: "service" },
    "Shop.hello": { kind: "function", returns: { type: "cds.String" } },
  },
} as const;

const redis = await findService("redis");

/** Machines with much to do answer late, too. */
const PATIENT: Kinds = {
  ...denoKinds,
  buckets: () => Promise.resolve((options) => new RedisQuotas({ ...options, patienceMs: 10_000 })),
};

async function withProcesses(
  { url, kinds = denoKinds }: { readonly url: string; readonly kinds?: Kinds },
  limits: Readonly<Record<string, unknown>>,
  run: (ask: (process: number) => Promise<Response>, runtimes: readonly Runtime[]) => Promise<void>,
): Promise<void> {
  const name = uniqueName();
  const runtimes = [0, 1].map(() =>
    createRuntime({
      name,
      model: MODEL,
      kinds,
      handlers: { Shop: (srv) => srv.on("hello", () => "hello") },
      env: {
        server: { rate_limits: { ...limits, redis: { url } } },
        requires: {
          auth: { kind: "mocked", users: { ann: { password: "pw" } } },
          db: false,
          messaging: false,
        },
        log: { levels: { default: "silent" } },
      },
    })
  );
  const headers = { authorization: `Basic ${btoa("ann:pw")}` };
  try {
    for (const runtime of runtimes) await runtime.start();
    await run(async (process) => {
      const request = new Request("http://localhost/odata/v4/shop/hello()", { headers });
      const response = await runtimes[process]!.fetch(request);
      await response.clone().text();
      return response;
    }, runtimes);
  } finally {
    for (const runtime of runtimes) await runtime.close();
  }
}

Deno.test({
  name: "processes that share Redis count requests together, in which names of users do not stand",
  ignore: !redis.isThere,
  async fn() {
    const url = `redis://${redis.address}`;
    await withProcesses(
      { url, kinds: PATIENT },
      { per_user: 4, window_ms: 60_000 },
      async (ask, [{ name }]) => {
        const statuses: number[] = [];
        for (let i = 0; i < 6; i++) statuses.push((await ask(i % 2)).status);
        assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
        const refused = await ask(1);
        assert.equal(refused.headers.get("ratelimit-policy"), '"user";q=4;w=60');
        assert.match(refused.headers.get("ratelimit")!, /^"user";r=0;t=1[0-5]$/);
        assert.match(refused.headers.get("retry-after")!, /^1[0-5]$/);
        const client = new Redis(url);
        try {
          const keys = await client.keys(`fw:quota:${name}:*`);
          assert.equal(keys.length, 1);
          assert.doesNotMatch(keys[0]!, /ann/);
          const left = await client.pttl(keys[0]!);
          assert.ok(left > 0 && left <= 60_000, String(left));
          await client.del(keys[0]!);
        } finally {
          client.disconnect();
        }
      },
    );
  },
});

Deno.test("a Redis that is away refuses nobody: each process counts for itself", async () => {
  // nobody listens there
  await withProcesses({ url: "redis://127.0.0.1:1" }, { per_user: 2, window_ms: 60_000 }, async (ask) => {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(i % 2)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
  });
});

Deno.test({
  name: "quotas that are closed while they connect leave no connection, take nothing and say nothing",
  ignore: !redis.isThere,
  async fn() {
    const log = recordingLog();
    const credentials = { url: `redis://${redis.address}` };
    const quotas = new RedisQuotas({ credentials, application: uniqueName(), log });
    const taking = quotas.take({ key: "ann", limit: 2, windowMs: 60_000 });
    quotas.close();
    assert.deepEqual([await taking, log.lines], [undefined, []]);
  },
});

Deno.test("an unknown key of Redis stops the start, with the nearest one", () => {
  const redis = { urll: "redis://127.0.0.1" };
  assert.throws(() => toEnvironment({ server: { rate_limits: { redis } } }), {
    message: /"fw\.server\.rate_limits\.redis\.urll" .*did you mean "url"/,
  });
});

Deno.test("a wrong address of Redis stops the start", async () => {
  for (const url of ["", "127.0.0.1", "http://127.0.0.1"]) {
    await assert.rejects(
      withProcesses({ url }, { per_user: 2 }, () => Promise.resolve()),
      /"fw\.server\.rate_limits\.redis\.url"/,
    );
  }
});

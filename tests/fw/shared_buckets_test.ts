/** Where requests are counted together with other processes (fw.server.rate_limits.redis). */

import assert from "node:assert/strict";
import { Emitter } from "../../src/fw/emitter.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { sharedBuckets } from "../../src/fw/shared_buckets.ts";

/** The buckets of a configuration, what they were made from, and whether they were closed. */
async function bucketsOf(server: unknown, hasKind = true) {
  const made: Record<string, unknown>[] = [];
  const events = new Emitter();
  let closed = 0;
  const buckets = {
    create: (options: Record<string, unknown>) => {
      made.push(options);
      return { take: () => Promise.resolve(undefined), close: () => void closed++ };
    },
  };
  const kinds = hasKind ? { buckets: () => Promise.resolve(buckets.create) } : {};
  const log = (id: string) => ({ id });
  const runtime = { env: { server }, kinds, name: "shop", events, log } as unknown as RuntimeParts;
  const found = await sharedBuckets(runtime);
  return { found, made, end: () => events.emit("shutdown").then(() => closed) };
}

Deno.test("requests are counted together where a server is named, until the runtime ends", async () => {
  for (const server of [undefined, {}, { rate_limits: {} }, { rate_limits: { per_user: 5 } }]) {
    const { found, made } = await bucketsOf(server);
    assert.deepEqual([found, made], [undefined, []]);
  }
  for (const url of ["redis://127.0.0.1:6379", "rediss://host"]) {
    const redis = { url, password: "p" };
    const { found, made, end } = await bucketsOf({ rate_limits: { redis } });
    assert.deepEqual(made, [{ credentials: redis, application: "shop", log: { id: "server" } }]);
    assert.equal(typeof found!.take, "function");
    assert.equal(await end(), 1);
  }
});

Deno.test("a server without address is refused, and where nothing can be shared every one", async () => {
  const message = '"fw.server.rate_limits.redis.url" is missing, or no address like "redis://127.0.0.1:6379"';
  for (const url of [undefined, 5, "http://host", "host:6379", "xredis://host", "redisss://host"]) {
    await assert.rejects(bucketsOf({ rate_limits: { redis: { url } } }), {
      name: "ConfigurationError",
      message,
    });
  }
  await assert.rejects(bucketsOf({ rate_limits: { redis: { url: "redis://host" } } }, false), {
    name: "ConfigurationError",
    message: '"fw.server.rate_limits.redis" cannot be used here',
  });
});

import assert from "node:assert/strict";
import { Redis } from "ioredis";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { KeyLease } from "../../../src/messaging/brokers/redis/connect_redis.ts";
import { createRedisChannel } from "../../../src/messaging/brokers/redis/redis_channel.ts";
import { RedisConsumer } from "../../../src/messaging/brokers/redis/redis_consumer.ts";
import { RedisNames } from "../../../src/messaging/brokers/redis/redis_message.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { removeRedis } from "./redis_cleaning.ts";

const { address, isThere } = await findService("redis");

Deno.test({
  name: "a lease that was over before its renewal is confirmed begins a new term (messaging 9)",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const redis = new Redis(`redis://${address}`);
    const now = performance.now;
    let clock = 0;
    performance.now = () => clock;
    try {
      const key = new RedisNames(stream).lease("g");
      const lease = new KeyLease(redis, { key, token: "t", leaseMs: 60_000 });
      await lease.keep();
      const { term } = lease;
      clock = 30_000;
      await lease.keep();
      assert.deepEqual([lease.isHeld, lease.term], [true, term]);
      clock = 60_000;
      const renewal = lease.keep();
      clock = 90_001;
      assert.equal(lease.isHeld, false);
      await renewal;
      assert.equal(lease.isHeld, true);
      assert.notEqual(lease.term, term);
    } finally {
      performance.now = now;
      await redis.quit();
      await removeRedis(address, stream);
    }
  },
});

Deno.test({
  name: "a message with a key that cannot be settled is delivered again by the same instance (messaging 9)",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const options = channelOptions({ kind: "redis-messaging", credentials: { url: address }, stream });
    const names = new RedisNames(stream);
    const channel = createRedisChannel(options);
    const redis = new Redis(`redis://${address}`);
    // Nothing can be added to what is no stream.
    await redis.set(names.dead("g"), "");
    const got: [unknown, boolean][] = [];
    const consumer = new RedisConsumer({
      ...{ redis, names, broker: brokerOptions(options, "redis-messaging"), log: options.log },
      limits: DEFAULT_LIMITS,
      subscription: { group: "g", topics: "*", concurrency: 1 },
      onDelivery: async ({ message, deliveries, ack, nack }) => {
        got.push([message.data, deliveries > 1]);
        await (message.data === "broken" ? nack({ dead: true, reason: "broken" }) : ack());
      },
    });
    try {
      await consumer.open();
      const message = { topic: "t", headers: {}, key: "k" };
      await channel.publish([{ ...message, data: "broken" }, { ...message, data: "whole" }]);
      const times = (data: string) => got.filter(([one]) => one === data).length;
      await eventually(() => times("broken") > 1);
      await redis.del(names.dead("g"));
      await eventually(() => times("whole") > 0);
      for (const end = Date.now() + 60_000; (await redis.xpending(names.keyed, "g"))[0] !== 0;) {
        assert.ok(Date.now() < end, "messages are pending");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert.equal(await redis.xlen(names.dead("g")), 1);
      assert.deepEqual(got.filter(([data]) => data === "broken").slice(0, 2), [["broken", false], [
        "broken",
        true,
      ]]);
    } finally {
      await consumer.close();
      await channel.close();
      await redis.quit();
      await removeRedis(address, stream);
    }
  },
});

/** How a consumer of Redis begins. */

import assert from "node:assert/strict";
import { Redis } from "ioredis";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { RedisConsumer } from "../../../src/messaging/brokers/redis/redis_consumer.ts";
import { RedisNames } from "../../../src/messaging/brokers/redis/redis_message.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { removeRedis } from "./redis_cleaning.ts";

const { address, isThere } = await findService("redis");

/** Runs a test with a consumer that is not open yet. */
function testConsumer(
  rule: string,
  run: (given: { consumer: RedisConsumer; redis: Redis; names: RedisNames }) => Promise<void>,
): void {
  Deno.test({
    name: rule,
    ignore: !isThere,
    fn: async () => {
      const stream = uniqueName();
      const options = channelOptions({ kind: "redis-messaging", credentials: { url: address }, stream });
      const names = new RedisNames(stream);
      const redis = new Redis(`redis://${address}`);
      const consumer = new RedisConsumer({
        ...{ redis, names, broker: brokerOptions(options, "redis-messaging"), log: options.log },
        limits: DEFAULT_LIMITS,
        subscription: { group: "g", topics: "*", concurrency: 1 },
        onDelivery: ({ ack }) => ack(),
      });
      try {
        await run({ consumer, redis, names });
      } finally {
        await consumer.close();
        await redis.quit();
        await removeRedis(address, stream);
      }
    },
  });
}

testConsumer("a consumer that is open has its group on both streams", async ({ consumer, redis, names }) => {
  await consumer.open();
  for (const stream of [names.plain, names.keyed]) {
    const [group] = await redis.xinfo("GROUPS", stream) as [unknown[]];
    assert.deepEqual(group!.slice(0, 2), ["name", "g"], stream);
  }
});

testConsumer(
  "a consumer whose group cannot be created does not open, and does once that is mended",
  async ({ consumer, redis, names }) => {
    await redis.set(names.keyed, "");
    await assert.rejects(consumer.open(), /WRONGTYPE/);
    await redis.del(names.keyed);
    await consumer.open();
    assert.equal((await redis.xinfo("GROUPS", names.keyed) as unknown[]).length, 1);
  },
);

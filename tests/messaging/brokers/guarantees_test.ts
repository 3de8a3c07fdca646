/** What channels to brokers promise, before they are connected (messaging 4). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { createAmqpChannel } from "../../../src/messaging/brokers/amqp/amqp_channel.ts";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import { createRabbitChannel } from "../../../src/messaging/brokers/rabbitmq/rabbit_channel.ts";
import { createRedisChannel } from "../../../src/messaging/brokers/redis/redis_channel.ts";
import { channelOptions } from "../channels.ts";

const MINUTES = 60_000;
const STORED = {
  ...{ delivery: "at-least-once", order: "key", delayedRetry: true, deadLetters: true, replay: false },
  ...{ dedupeWindowMs: 0, survives: "process crash" },
} as const;

for (
  const [create, url, expected] of [
    [createNatsChannel, "nats://host", { ...STORED, dedupeWindowMs: 2 * MINUTES, replay: true }],
    [createRedisChannel, "redis://host", { ...STORED, dedupeWindowMs: 2 * MINUTES, replay: true }],
    [createRabbitChannel, "amqp://host", { ...STORED, survives: "host crash" }],
    [createAmqpChannel, "amqp://host", { ...STORED, order: "none", deadLetters: false }],
  ] as const
) {
  Deno.test(`what ${create.name.slice("create".length)} guarantees is what the broker does`, () => {
    const { guarantees } = create(channelOptions({ credentials: { url } }));
    const { maxMessageBytes, ...others } = guarantees;
    assert.deepEqual(others, expected);
    assert.ok(maxMessageBytes > 0 && maxMessageBytes <= DEFAULT_LIMITS.messageBytes);
  });
}

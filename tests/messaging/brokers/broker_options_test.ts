/** What the configuration of brokers has in common: defaults, addresses, logins (docs/reference/configuration.md). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { brokerAddress, brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { rabbitAddress } from "../../../src/messaging/brokers/rabbitmq/rabbit_link.ts";
import { redisAddress } from "../../../src/messaging/brokers/redis/connect_redis.ts";
import { channelOptions } from "../channels.ts";

const credentials = { url: "broker.test" };
const options = (given: Record<string, unknown>, defaults?: { ackWaitMs: number }) =>
  brokerOptions(channelOptions({ credentials, ...given }), "any", defaults);

const DEFAULTS = {
  entry: "fw.requires.messaging",
  credentials,
  stream: "fw",
  timeoutMs: 10_000,
  attemptMs: 3_000,
  retentionMs: 604_800_000,
  ackWaitMs: 10_000,
  maxMessageBytes: DEFAULT_LIMITS.messageBytes,
  sync: false,
};

Deno.test("a broker keeps messages for seven days, and has ten seconds to answer, unless it is configured otherwise", () => {
  assert.deepEqual(options({}), DEFAULTS);
  assert.equal(options({}, { ackWaitMs: 5 }).ackWaitMs, 5);
  const own = {
    stream: "own",
    timeoutMs: 20_000,
    retentionMs: 1,
    ackWaitMs: 2,
    maxMessageBytes: 3,
    sync: true,
  };
  assert.deepEqual(options(own, { ackWaitMs: 5 }), { ...DEFAULTS, ...own });
  assert.deepEqual(options({ timeoutMs: 500 }), { ...DEFAULTS, timeoutMs: 500, attemptMs: 500 });
  assert.deepEqual(options({ stream: 1, sync: "yes" }), DEFAULTS);
});

Deno.test("a broker without address stops the start", () => {
  for (const wrong of [undefined, "broker.test", null]) {
    assert.throws(() => options({ credentials: wrong }), /fw\.requires\.messaging\.credentials is missing/);
  }
  for (const url of [undefined, "", 1]) {
    assert.throws(() => options({ credentials: { url } }), /credentials\.url is missing/);
  }
});

Deno.test("address and login stand in the URL, or beside it, which counts first", () => {
  const cases: readonly [given: Record<string, unknown>, host: string, user?: string, password?: string][] = [
    [{ url: "broker.test:1" }, "broker.test:1"],
    [{ url: "tls://broker.test" }, "broker.test"],
    [{ uri: "broker.test" }, "broker.test"],
    [{ url: "any://ann%40x:s%3A@broker.test" }, "broker.test", "ann@x", "s:"],
    [{ url: "any://ann:one@broker.test", user: "ben", password: "two" }, "broker.test", "ben", "two"],
    [{ url: "broker.test", username: "ben", pass: "two" }, "broker.test", "ben", "two"],
    [{ url: "broker.test", user: "", password: "" }, "broker.test"],
  ];
  for (const [given, host, user, password] of cases) {
    const address = brokerAddress({ entry: "e", credentials: given }, "any");
    assert.deepEqual([address.url.host, address.user, address.password], [host, user, password]);
  }
  const isSafe = (error: Error) => /e\.credentials/.test(error.message) && !error.message.includes("s3cret");
  for (const url of ["any://ann:s3cret@[", "any://ann:%s3cret@broker.test"]) {
    assert.throws(() => brokerAddress({ entry: "e", credentials: { url } }, "any"), isSafe);
  }
});

Deno.test("RabbitMQ is connected to as guest at its usual port, unless the address says otherwise", () => {
  const defaults = { username: "guest", password: "guest", vhost: "", heartbeat: 10 };
  const of = (url: string) => rabbitAddress({ entry: "e", credentials: { url } });
  assert.deepEqual(of("h"), { protocol: "amqp", hostname: "h", port: 5672, ...defaults });
  assert.deepEqual(of("amqps://h/"), { protocol: "amqps", hostname: "h", port: 5671, ...defaults });
  assert.deepEqual(of("amqp://ann:s@h:1/a%252fb"), {
    ...{ protocol: "amqp", hostname: "h", port: 1, username: "ann", password: "s", heartbeat: 10 },
    vhost: "a%252fb", // of the virtual host a%2fb, as the client decodes it once
  });
});

Deno.test("Redis is connected to without login and TLS at its usual port, unless the address says otherwise", () => {
  const of = (credentials: object) => redisAddress({ entry: "e", credentials: { url: "h", ...credentials } });
  assert.deepEqual(of({}), { host: "h", port: 6379, db: 0 });
  assert.deepEqual(of({ url: "redis://h:1/2", tls: { ca: "c" } }), {
    host: "h",
    port: 1,
    db: 2,
    tls: { ca: "c" },
  });
  assert.deepEqual(of({ url: "rediss://ann:s@h/x" }), {
    ...{ host: "h", port: 6379, db: 0, username: "ann", password: "s", tls: {} },
  });
  assert.deepEqual(of({ password: "s", tls: true }), {
    host: "h",
    port: 6379,
    db: 0,
    password: "s",
    tls: {},
  });
});

/** Messages and addresses in AMQP 1.0. */

import type { Delivery, Message as RheaMessage } from "rhea";
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import {
  addressesOf,
  type AmqpOptions,
  amqpOptions,
  connectionOptions,
} from "../../../src/messaging/brokers/amqp/amqp_addresses.ts";
import {
  bodyOf,
  deliveriesOf,
  fromAmqp,
  isOpen,
  reasonOf,
  toAmqp,
  topicOfAmqp,
} from "../../../src/messaging/brokers/amqp/amqp_message.ts";
import { channelOptions } from "../channels.ts";

function options(given: Record<string, unknown> = {}, credentials: object = {}): AmqpOptions {
  return amqpOptions(channelOptions({ credentials: { url: "broker.test", ...credentials }, ...given }));
}

Deno.test("a message has topic, key, ids and content type where AMQP has a place for them", () => {
  const headers = {
    specversion: "1.0",
    id: "1",
    source: "/s",
    correlationid: "c",
    datacontenttype: "text/plain",
  };
  const { body, ...sent } = toAmqp({ topic: "T.e", data: "ä", headers, key: "k" }, 1000);
  assert.deepEqual(sent, {
    durable: true,
    subject: "T.e",
    content_type: "text/plain",
    application_properties: {
      cloudEvents_specversion: "1.0",
      cloudEvents_id: "1",
      cloudEvents_source: "/s",
      cloudEvents_correlationid: "c",
      "fw-key": '"k"',
    },
    message_id: "/s 1",
    correlation_id: "c",
    group_id: "k",
  });
  assert.deepEqual(bodyOf(body), Buffer.from("ä"));
  const plain = toAmqp({ topic: "t", data: new Uint8Array([0, 255]), headers: {} }, 1000);
  assert.deepEqual(Object.keys(plain), [
    "durable",
    "subject",
    "content_type",
    "application_properties",
    "body",
  ]);
  assert.deepEqual(bodyOf(plain.body), Buffer.from([0, 255]));
  assert.throws(() => toAmqp({ topic: "t", data: "x", headers: {} }, 4), { code: "MESSAGE_TOO_LARGE" });
});

Deno.test("a message is read with its subject as topic, else by where it was sent to", () => {
  const addresses = { topicOf: (address: string) => `of ${address}` };
  const topicOf = (message: object) => topicOfAmqp(message as RheaMessage, addresses);
  assert.equal(topicOf({ subject: "T.e", to: "a" }), "T.e");
  assert.equal(topicOf({ subject: "", to: "a" }), "of a");
  assert.equal(topicOf({ subject: 7 }), "of ");
  const raw = {
    application_properties: { cloudEvents_specversion: "1.0", "fw-key": '"k"' },
    content_type: "text/plain",
    body: "x",
  };
  assert.deepEqual(fromAmqp(raw as unknown as RheaMessage, "T.e", DEFAULT_LIMITS), {
    message: {
      topic: "T.e",
      data: "x",
      headers: { specversion: "1.0", datacontenttype: "text/plain" },
      key: "k",
    },
  });
  assert.deepEqual(fromAmqp({ body: "7" } as RheaMessage, "T.e", DEFAULT_LIMITS).message.data, 7);
});

Deno.test("a body is data in one or several sections, a text, or a value that stands for its JSON", () => {
  const [one, two] = [Buffer.from("a"), Buffer.from("b")];
  assert.equal(bodyOf(one), one);
  assert.equal(bodyOf({ typecode: 0x75, content: one }), one);
  assert.deepEqual(bodyOf({ content: [one, two] }), Buffer.from("ab"));
  assert.equal(bodyOf("x"), "x");
  assert.equal(bodyOf(undefined), "");
  assert.equal(bodyOf({ content: undefined }), "");
  assert.equal(bodyOf(null), "null");
  assert.equal(bodyOf([1, one.length]), "[1,1]");
  assert.equal(bodyOf({ a: 1 }), '{"a":1}');
});

Deno.test("deliveries are counted by the broker, else it tells whether a message was taken before", () => {
  const count = (message: object) => deliveriesOf(message as RheaMessage);
  assert.equal(count({ delivery_count: 1 }), 2);
  assert.equal(count({ delivery_count: 4, first_acquirer: true }), 5);
  assert.equal(count({ delivery_count: 0, first_acquirer: false }), 2);
  assert.equal(count({ first_acquirer: true }), 1);
  assert.equal(count({}), 1);
});

Deno.test("a delivery is ours as long as it is not settled and its link is open", () => {
  const open = (settled: boolean, isLinkOpen: boolean) =>
    isOpen({ settled, link: { is_open: () => isLinkOpen } } as unknown as Delivery);
  assert.deepEqual([open(false, true), open(true, true), open(false, false)], [true, false, false]);
});

Deno.test("what a broker refuses is told by condition and description", () => {
  assert.equal(reasonOf({ condition: "amqp:not-found", description: "no queue" }), "amqp:not-found no queue");
  assert.equal(reasonOf({ condition: "amqp:not-found" }), "amqp:not-found");
  assert.equal(reasonOf(undefined), "amqp:internal-error");
});

Deno.test("options of addresses are texts, and a queue has its group in it", () => {
  const { address, queue, deadLetterQueue, singleConsumer } = options();
  assert.deepEqual([address, queue, deadLetterQueue, singleConsumer], [
    undefined,
    undefined,
    undefined,
    false,
  ]);
  const given = { address: "a/{topic}", queue: "q/{group}", deadLetterQueue: "d", singleConsumer: true };
  assert.deepEqual({ ...options(given), ...given }, options(given));
  const wrong = options({ address: 1, queue: 2, deadLetterQueue: 3, singleConsumer: "yes" });
  assert.deepEqual({ ...wrong }, { ...options() });
  assert.throws(() => options({ queue: "q" }), {
    name: "ConfigurationError",
    message: "fw.requires.messaging.queue is 'q', expected {group} in it",
  });
});

Deno.test("the client connects with the address, the login and TLS of the credentials", () => {
  const common = { reconnect: false, idle_time_out: 20_000 };
  const of = (credentials: object) => connectionOptions(options({}, credentials));
  assert.deepEqual(of({}), { host: "broker.test", port: 5672, ...common });
  assert.deepEqual(of({ url: "amqp://ann:s@h:1" }), {
    host: "h",
    port: 1,
    username: "ann",
    password: "s",
    ...common,
  });
  assert.deepEqual(of({ url: "amqp://h", user: "ann" }), {
    host: "h",
    port: 5672,
    username: "ann",
    password: "",
    ...common,
  });
  const tls = { transport: "tls", servername: "h" };
  assert.deepEqual(of({ url: "amqps://h" }), { host: "h", port: 5671, ...common, ...tls });
  assert.deepEqual(of({ url: "amqp://h", tls: { ca: "c" } }), {
    host: "h",
    port: 5672,
    ...common,
    ...tls,
    ca: "c",
  });
  assert.deepEqual(of({ url: "amqps://h", tls: true }), { host: "h", port: 5671, ...common, ...tls });
  assert.throws(() => of({ url: "https://h" }), {
    name: "ConfigurationError",
    message: "fw.requires.messaging.credentials.url has scheme 'https:', expected amqp: or amqps:",
  });
});

Deno.test("addresses have the form that the broker understands, unless they are configured", () => {
  const rabbit = (version: string) => ({ product: "RabbitMQ", version });
  const cases: readonly [properties: object | undefined, topic: string, queue: string, isRabbit: boolean][] =
    [
      [undefined, "topic:a/b", "queue:g/h", false],
      [{ product: "other", version: "3" }, "topic:a/b", "queue:g/h", false],
      [rabbit("3.13.1"), "/topic/a%2Fb", "/amq/queue/g%2Fh", true],
      [rabbit("4.0.0"), "/exchanges/amq.topic/a%2Fb", "/queues/g%2Fh", true],
      [rabbit("10.1"), "/exchanges/amq.topic/a%2Fb", "/queues/g%2Fh", true],
    ];
  for (const [properties, topic, queue, isRabbit] of cases) {
    const addresses = addressesOf(options(), { properties });
    assert.deepEqual([addresses.topic("a/b"), addresses.queue("g/h"), addresses.deadLetterQueue("g")], [
      topic,
      queue,
      undefined,
    ]);
    assert.equal(
      addresses.advice,
      isRabbit
        ? "declare the queue, and bind it to the exchange amq.topic with the topics as routing keys"
        : "create the queue, and subscribe it to the topics",
    );
  }
  const own = addressesOf(
    options({ address: "e/{topic}/{topic}", queue: "q-{group}", deadLetterQueue: "/d/{group}" }),
    {
      properties: rabbit("4.0"),
    },
  );
  assert.deepEqual([own.topic("a/b$&"), own.queue("g/h"), own.deadLetterQueue("g/h")], [
    "e/a/b$&/a/b$&",
    "q-g/h",
    "/d/g%2Fh",
  ]);
});

Deno.test("the topic of an address is what stands in the place of the topic", () => {
  const topicOf = (address: string, given: string) =>
    addressesOf(options({ address }), { properties: {} }).topicOf(given);
  assert.equal(topicOf("a/{topic}/z", "a/T.e/z"), "T.e");
  assert.equal(topicOf("a/{topic}", "a/T.e"), "T.e");
  for (const other of ["b/T.e/z", "a/T.e/y"]) assert.equal(topicOf("a/{topic}/z", other), other);
  assert.equal(topicOf("fixed", "fixed"), "fixed");
});

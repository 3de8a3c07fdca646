/** Messages in RabbitMQ. */

import type { ConsumeMessage, GetMessage } from "amqplib";
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import {
  copyOf,
  deliveriesOf,
  fromRabbit,
  topicOfRabbit,
  toRabbit,
} from "../../../src/messaging/brokers/rabbitmq/rabbit_message.ts";
import { routingKey } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";

/** A message as the client gives it. */
function received(
  content: string,
  properties: object = {},
  fields: object = {},
): ConsumeMessage & GetMessage {
  return {
    content: Buffer.from(content),
    properties,
    fields: { routingKey: "r.k", redelivered: false, ...fields },
  } as unknown as ConsumeMessage & GetMessage;
}

Deno.test("a CloudEvent is published with attributes, topic and ids in its properties", () => {
  const headers = {
    specversion: "1.0",
    id: "1",
    source: "/s",
    correlationid: "c",
    datacontenttype: "text/plain",
  };
  const { content, options } = toRabbit({ topic: "T.e", data: "x", headers, key: "k" }, 1000);
  assert.equal(content.toString(), "x");
  assert.deepEqual(options, {
    persistent: true,
    contentType: "text/plain",
    messageId: "/s 1",
    correlationId: "c",
    headers: {
      cloudEvents_specversion: "1.0",
      cloudEvents_id: "1",
      cloudEvents_source: "/s",
      cloudEvents_correlationid: "c",
      "fw-key": '"k"',
      "fw-topic": "T.e",
    },
  });
});

Deno.test("ids that are longer than properties of AMQP may be are cut or left out", () => {
  const optionsOf = (id: string, correlationid: string) =>
    toRabbit({
      topic: "t",
      data: new Uint8Array([7]),
      headers: { specversion: "1.0", id, source: "", correlationid },
    }, 1000);
  const { content, options } = optionsOf("i".repeat(255), "c".repeat(63));
  assert.deepEqual([...content], [7]);
  assert.deepEqual([options.messageId, options.correlationId], [` ${"i".repeat(254)}`, "c".repeat(63)]);
  assert.equal(optionsOf("1", "c".repeat(64)).options.correlationId, undefined);
  assert.equal(toRabbit({ topic: "t", data: 1, headers: {} }, 1000).options.messageId, undefined);
  assert.throws(() => toRabbit({ topic: "t", data: "x", headers: {} }, 4), { code: "MESSAGE_TOO_LARGE" });
});

Deno.test("a message that was received has the topic of its header, else its routing key", () => {
  assert.equal(topicOfRabbit(received("", { headers: { "fw-topic": "T.e" } })), "T.e");
  assert.equal(topicOfRabbit(received("", { headers: { "fw-topic": 7 } })), "r.k");
  assert.equal(topicOfRabbit(received("")), "r.k");
  const headers = { "fw-topic": "T.e", cloudEvents_specversion: "1.0", "x-delivery-count": 3, own: "o" };
  assert.deepEqual(fromRabbit(received("x", { headers, contentType: "text/plain" }), DEFAULT_LIMITS), {
    message: {
      topic: "T.e",
      data: "x",
      headers: { specversion: "1.0", own: "o", datacontenttype: "text/plain" },
      key: undefined,
    },
  });
  assert.deepEqual(fromRabbit(received("{"), DEFAULT_LIMITS), {
    message: { topic: "r.k", data: "{", headers: {} },
    fault: "No valid JSON",
  });
});

Deno.test("a copy of a message has its topic in a header, and begins to count its deliveries again", () => {
  const headers = { a: "b", "x-delivery-count": 3 };
  const properties = { headers, contentType: "c/t", messageId: "m", correlationId: "c", expiration: "5" };
  assert.deepEqual(copyOf(received("x", properties)), {
    content: Buffer.from("x"),
    options: {
      ...{ persistent: true, contentType: "c/t", messageId: "m", correlationId: "c" },
      headers: { a: "b", "fw-topic": "r.k" },
    },
  });
  assert.deepEqual(copyOf(received("x")).options.headers, { "fw-topic": "r.k" });
});

Deno.test("deliveries are counted by the queue, else a message comes again or not", () => {
  const count = (headers: object, redelivered: boolean) =>
    deliveriesOf(received("", { headers }, { redelivered }));
  assert.equal(count({ "x-delivery-count": 0 }, false), 1);
  assert.equal(count({ "x-delivery-count": 4 }, true), 5);
  assert.equal(count({ "x-delivery-count": "4" }, true), 2);
  assert.equal(count({}, true), 2);
  assert.equal(count({}, false), 1);
  assert.equal(deliveriesOf(received("")), 1);
});

Deno.test("a topic is its routing key, unless it has more than 255 bytes", () => {
  const long = "é".repeat(127);
  assert.equal(routingKey(`${long}x`), `${long}x`);
  assert.match(routingKey(`${long}xy`), /^~[0-9a-f]{64}$/);
  assert.notEqual(routingKey(`${long}xy`), routingKey(`${long}xz`));
});

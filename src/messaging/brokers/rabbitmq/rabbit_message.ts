/**
 * Messages as AMQP 0-9-1 carries them: attributes of CloudEvents under the names of the AMQP 1.0 binding, to which
 * RabbitMQ translates headers.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { ConsumeMessage, GetMessage, Options } from "amqplib";
import type { Limits } from "../../../config/limits.ts";
import type { Message } from "../../channel.ts";
import { fromProperties, fromWire, messageId, type Received, toProperties, toWire } from "../wire_message.ts";

/** Header with the topic: a routing key may be too short for it. */
const TOPIC_HEADER = "fw-topic";

/** A message in parts for `publish`. */
export interface RabbitMessage {
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/**
 * A message for `publish`.
 *
 * @param message the message
 * @param maxBytes bytes it may have
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function toRabbit(message: Message, maxBytes: number): RabbitMessage {
  const wire = toWire(message, maxBytes);
  const { properties, contentType } = toProperties(wire);
  const { correlationid } = wire.attributes;
  return {
    content: typeof wire.body === "string" ? Buffer.from(wire.body) : Buffer.from(wire.body.buffer),
    options: {
      persistent: true,
      contentType,
      messageId: messageId(message)?.slice(0, 255),
      correlationId: correlationid !== undefined && correlationid.length < 64 ? correlationid : undefined,
      headers: { ...properties, [TOPIC_HEADER]: message.topic },
    },
  };
}

/** The topic of a message that was received. */
export function topicOfRabbit({ properties, fields }: GetMessage | ConsumeMessage): string {
  const topic = properties.headers?.[TOPIC_HEADER];
  return typeof topic === "string" ? topic : fields.routingKey;
}

/** The same message for `publish`, its topic in a header. */
export function copyOf(message: GetMessage): RabbitMessage {
  const { properties } = message;
  const { "x-delivery-count": _, ...headers } = properties.headers ?? {};
  const { contentType, messageId, correlationId } = properties;
  return {
    content: message.content,
    options: {
      ...{ persistent: true, contentType, messageId, correlationId },
      headers: { ...headers, [TOPIC_HEADER]: topicOfRabbit(message) },
    },
  };
}

/** Reads a message. */
export function fromRabbit(raw: ConsumeMessage, limits: Limits): Received {
  const { [TOPIC_HEADER]: _, ...headers } = raw.properties.headers ?? {};
  const { contentType } = raw.properties;
  const { attributes, own } = fromProperties(headers, contentType);
  return fromWire({ topic: topicOfRabbit(raw), attributes, own, contentType, body: raw.content }, limits);
}

/** How often a message was delivered, this time included. */
export function deliveriesOf({ properties, fields }: ConsumeMessage): number {
  const count = properties.headers?.["x-delivery-count"];
  return typeof count === "number" ? count + 1 : fields.redelivered ? 2 : 1;
}

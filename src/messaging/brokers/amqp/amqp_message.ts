import { Buffer } from "node:buffer";
import type { Delivery as RheaDelivery, Message as RheaMessage } from "rhea";
import type { Limits } from "../../../config/limits.ts";
import type { Message } from "../../channel.ts";
import { fromProperties, fromWire, messageId, type Received, toProperties, toWire } from "../wire_message.ts";
import type { AmqpAddresses } from "./amqp_addresses.ts";
import * as module from "rhea";

/**
 * A message for the client.
 *
 * @param message the message
 * @param maxBytes bytes it may have
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function toAmqp(message: Message, maxBytes: number): RheaMessage {
  const wire = toWire(message, maxBytes);
  const { properties, contentType } = toProperties(wire);
  return {
    durable: true,
    subject: message.topic,
    content_type: contentType,
    application_properties: properties,
    body: dataSection(wire.body),
    ...defined({
      message_id: messageId(message),
      correlation_id: wire.attributes.correlationid,
      // Brokers that know groups of messages give those of one group to one consumer.
      group_id: message.key,
    }),
  };
}

/** A text or bytes as body of a message. */
export function dataSection(body: string | Uint8Array<ArrayBuffer>): unknown {
  return rhea.message.data_section(toBuffer(body));
}

/**
 * The topic of a message: its subject, else where it was sent to.
 *
 * @param message what the client gave
 * @param addresses the addresses of the channel
 */
export function topicOfAmqp({ subject, to }: RheaMessage, addresses: Pick<AmqpAddresses, "topicOf">): string {
  return typeof subject === "string" && subject !== "" ? subject : addresses.topicOf(String(to ?? ""));
}

/** Reads a message. */
export function fromAmqp(raw: RheaMessage, topic: string, limits: Limits): Received {
  const { attributes, own } = fromProperties(raw.application_properties ?? {}, raw.content_type);
  const { content_type: contentType } = raw;
  return fromWire({ topic, attributes, own, contentType, body: bodyOf(raw.body) }, limits);
}

/** What a broker says when it refuses something. */
export function reasonOf(error: unknown): string {
  const { condition = "amqp:internal-error", description } = (error ?? {}) as Record<string, unknown>;
  return `${condition} ${description ?? ""}`.trim();
}

/** How often a message was delivered, this time included. */
export function deliveriesOf({ delivery_count, first_acquirer }: RheaMessage): number {
  if (typeof delivery_count === "number" && delivery_count > 0) return delivery_count + 1;
  return first_acquirer === false ? 2 : 1;
}

/** Whether a delivery is still ours to settle. */
export function isOpen(delivery: RheaDelivery): boolean {
  return !delivery.settled && delivery.link.is_open();
}

/** A body is data in one or several sections, or a value; one that is no text is taken for JSON already read. */
export function bodyOf(body: unknown): Uint8Array | string {
  const content = typeof body === "object" && body !== null && "content" in body ? body.content : body;
  if (content instanceof Uint8Array || typeof content === "string") return content;
  if (Array.isArray(content) && content.every((part) => part instanceof Uint8Array)) {
    return Buffer.concat(content);
  }
  return content === undefined ? "" : JSON.stringify(content);
}

function toBuffer(body: string | Uint8Array<ArrayBuffer>): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer);
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The client. */
export const rhea: typeof module = (module as unknown as { readonly default: typeof module }).default;

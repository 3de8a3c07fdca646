/**
 * Attributes of CloudEvents as application properties (CloudEvents AMQP protocol binding 1.0.2, section 3.1).
 *
 * @module
 */

import { DATA_HEADER, EXTRA_HEADER, KEY_HEADER, type WireMessage } from "./wire_message.ts";

const OWN: ReadonlySet<string> = new Set([EXTRA_HEADER, KEY_HEADER, DATA_HEADER]);
const PREFIX = "cloudEvents_";
/** Written by other programs: both prefixes are allowed. */
const PREFIXES = [PREFIX, "cloudEvents:"];

/**
 * The properties of a message. `datacontenttype` is the content type of AMQP.
 *
 * @param wire the message
 */
export function toProperties(
  { attributes, own, contentType }: WireMessage,
): { properties: Record<string, string>; contentType: string } {
  const { datacontenttype: _, ...others } = attributes;
  const named = Object.entries(others).map(([name, value]) => [PREFIX + name, value]);
  return { properties: { ...Object.fromEntries(named), ...own }, contentType };
}

/**
 * Reads properties: attributes without their prefix, our own headers, those of other programs.
 *
 * @param properties the application properties
 * @param contentType the content type
 */
export function fromProperties(
  properties: Readonly<Record<string, unknown>>,
  contentType: unknown,
): { attributes: Record<string, unknown>; own: Record<string, unknown> } {
  const attributes: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    const prefix = PREFIXES.find((one) => name.startsWith(one));
    if (OWN.has(name)) own[name] = value;
    else if (prefix) attributes[name.slice(prefix.length)] = value;
    // What the broker itself adds.
    else if (!name.startsWith("x-")) attributes[name] = value;
  }
  if (attributes.specversion !== undefined && typeof contentType === "string") {
    attributes.datacontenttype ??= contentType;
  }
  return { attributes, own };
}

/**
 * Headers of messages that are no attributes of CloudEvents: they travel together in one extension attribute.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { droppedHeaders } from "../cloud_events.ts";

/** The extension attribute; its value is a JSON object. */
const EXTENSION = "fwheaders";

/**
 * Headers with those that are no attributes gathered in the extension; the correlation id has an attribute of its own.
 *
 * @param headers headers of a message
 */
export function withOthers(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const dropped = droppedHeaders(headers);
  if (dropped.length === 0) return headers;
  const { "x-correlation-id": correlationid, ...others } = Object.fromEntries(
    dropped.map((name) => [name, headers[name]]),
  );
  return {
    ...(correlationid === undefined ? {} : { correlationid }),
    ...headers,
    ...(Object.keys(others).length > 0 ? { [EXTENSION]: JSON.stringify(others) } : {}),
  };
}

/**
 * The headers a message had before `withOthers`; what is no attribute name comes from the extension, nothing else.
 *
 * @param attributes attributes of a CloudEvent
 */
export function restoreOthers(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [EXTENSION]: extension, ...headers } = attributes;
  if (typeof extension !== "string") return { ...attributes };
  try {
    const others = JSON.parse(extension);
    if (!isPlainObject(others)) return { ...attributes };
    for (const name of droppedHeaders(others)) {
      Object.defineProperty(headers, name, { value: others[name], enumerable: true, configurable: true });
    }
    return headers;
  } catch {
    return { ...attributes };
  }
}

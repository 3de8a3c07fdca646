/**
 * The payload of a message as members of a JSON object: bytes stand in `data_base64` (CloudEvents JSON 3.1).
 *
 * @module
 */

import { decodeBase64, encodeBase64 } from "@oslojs/encoding";
import type { Channel } from "./channel.ts";

/** A payload in JSON. */
export interface DataMember {
  /** The payload. */
  readonly data?: unknown;
  /** The payload if it is bytes. */
  readonly data_base64?: string;
}

/** The member for a payload. */
export function toDataMember(data: unknown): DataMember {
  return data instanceof Uint8Array ? { data_base64: encodeBase64(data) } : { data };
}

/**
 * The payload of its member.
 *
 * @param member an object that has one of them
 * @returns `fault` says why there is none
 */
export function fromDataMember(member: { readonly data?: unknown; readonly data_base64?: unknown }): {
  readonly data?: unknown;
  readonly fault?: string;
} {
  if (!("data_base64" in member)) return { data: member.data };
  if ("data" in member) return { fault: "data and data_base64 together" };
  try {
    return { data: decodeBase64(String(member.data_base64)) };
  } catch {
    return { fault: "data_base64 is not base64" };
  }
}

/** Whether messages that a channel has got survive the end of this process. */
export function keepsMessages({ guarantees, keepsMessages }: Channel): boolean {
  return guarantees.survives !== "nothing" && keepsMessages !== false;
}

/** Where messages are until the channel has got them. */
interface Keeping {
  /** What becomes of the outbox with the process. */
  readonly outbox: "durable" | "in memory" | "none";
  /** Whether received messages are stored before they are handled. */
  readonly isInboxed: boolean;
}

/**
 * What must be told beside the promise of a channel, where no database keeps the messages that it has not got yet.
 *
 * @param channel the channel
 * @param keeping where messages are until then
 */
export function promiseBeside(channel: Channel, { outbox, isInboxed }: Keeping): string | undefined {
  if (outbox === "durable" || channel.guarantees.survives === "nothing") return undefined;
  const place = outbox === "none" ? "There is no outbox" : "The outbox is in memory, as the database is";
  const emitted = keepsMessages(channel)
    ? "a commit waits until the channel has stored its messages; those that wait for a channel that cannot be reached " +
      "are lost with this process"
    : "messages that were not handed over yet are lost with this process";
  const received = isInboxed && outbox === "in memory"
    ? ", and so are received ones that wait (inboxed)"
    : "";
  return `${place}: ${emitted}${received}`;
}

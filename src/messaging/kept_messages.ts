/**
 * What becomes of messages when the process ends, told beside what channels promise.
 *
 * @module
 */

import type { Channel } from "./channel.ts";

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

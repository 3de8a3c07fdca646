/**
 * Messages as work of the outbox, and back.
 *
 * @module
 */

import type { QueuedWork, WorkQueue } from "../service/queue/work_queue.ts";
import { inTurn, type MaybePromise } from "../util/maybe_promise.ts";
import type { Channel, Message } from "./channel.ts";
import { assertDataSize } from "./message_json.ts";
import type { StoredWork } from "./outbox/stored_work.ts";
import { toStoredSender } from "./stored_sender.ts";
import { keepsMessages } from "./kept_messages.ts";

/** Who sends messages: a messaging service. */
interface Sender {
  readonly name: string;
  readonly channel: Channel;
}

/**
 * Stores a message in the outbox, once for each channel behind that of the service.
 *
 * @param service the messaging service
 * @param queue the outbox
 * @param message the message
 * @throws ServiceError `MESSAGE_TOO_LARGE` for what one of the channels cannot carry
 */
export function enqueue(service: Sender, queue: WorkQueue, message: Message): MaybePromise<void> {
  const { topic, data } = message;
  const work = workOf(service, message, "publish");
  const routes = [...service.channel.routesOf?.(topic) ?? [[undefined, service.channel] as const]];
  for (const [, { guarantees }] of routes) assertDataSize(topic, data, guarantees.maxMessageBytes);
  return inTurn(
    routes,
    ([name, channel]) => queue.enqueue({ ...work, channel: name }, { isKept: keepsMessages(channel) }),
  );
}

/**
 * A message as work of the outbox.
 *
 * @param service the messaging service
 * @param message the message
 * @param kind whether it is to be sent, or was received
 */
export function workOf(
  { name }: Pick<Sender, "name">,
  message: Message,
  kind: "publish" | "receive",
): QueuedWork {
  const { topic, data, headers, key, sender } = message;
  const work = { service: name, kind, event: topic, data, headers, key };
  return sender ? { ...work, sender: toStoredSender(sender) } : work;
}

/** The message that work of the outbox is about. */
export function messageOf({ event, data, headers = {}, key, tenant }: StoredWork): Message {
  return { topic: event!, data, headers, key, tenant };
}

import type { QueuedWork, WorkQueue } from "../service/queue/work_queue.ts";
import { inTurn, type MaybePromise } from "../util/maybe_promise.ts";
import type { Channel, Message } from "./channel.ts";
import { assertDataSize } from "./message_json.ts";
import { type StoredWork, toStoredSender } from "./outbox/stored_work.ts";

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

/** Whether messages that a channel has got survive the end of this process. */
function keepsMessages({ guarantees, keepsMessages }: Channel): boolean {
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

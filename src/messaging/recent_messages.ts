import { redact } from "../log/redact.ts";
import type { Channel, Message } from "./channel.ts";
import { toDataMember } from "./message_json.ts";
import { decoratedChannel } from "./decorated_channel.ts";

/** Messages that are remembered at most. */
const KEPT = 100;
/** Characters of a message that are remembered at most. */
const TEXT_LENGTH = 4_000;

/** A message that went through a channel of this process. */
export interface RecentMessage {
  /** When, as ISO 8601. */
  readonly at: string;
  /** Name of the messaging service. */
  readonly channel: string;
  readonly topic: string;
  /** The group that got it; undefined for a message that was sent. */
  readonly group?: string;
  /** How often the group got it. */
  readonly deliveries?: number;
  /** Headers and payload in JSON, cut where they are long. */
  readonly text: string;
}

/** The last messages that this process sent and got: for people who look for one, gone with the process. */
export class RecentMessages {
  readonly #kept: RecentMessage[] = [];

  /** The newest first. */
  list(): readonly RecentMessage[] {
    return this.#kept.toSorted((a, b) => b.at.localeCompare(a.at));
  }

  /**
   * A channel whose messages are remembered: sent ones once they are stored, received ones when they arrive.
   *
   * @param channel the channel
   * @param name of its service
   */
  watch(channel: Channel, name: string): Channel {
    return decoratedChannel(channel, {
      publish: async (messages) => {
        const at = now();
        await channel.publish(messages);
        for (const message of messages) this.#keep({ at, channel: name }, message);
      },
      subscribe: (subscription, onDelivery) =>
        channel.subscribe(subscription, (delivery) => {
          const { message, deliveries } = delivery;
          this.#keep({ at: now(), channel: name, group: subscription.group, deliveries }, message);
          return onDelivery(delivery);
        }),
    });
  }

  #keep(
    way: Pick<RecentMessage, "at" | "channel" | "group" | "deliveries">,
    { topic, data, headers }: Message,
  ): void {
    const text = JSON.stringify({ headers: redact(headers), ...toDataMember(data) }).slice(0, TEXT_LENGTH);
    this.#kept.push({ ...way, topic, text });
    if (this.#kept.length > KEPT) this.#kept.shift();
  }
}

const ofRuntimes: WeakMap<object, RecentMessages> = new WeakMap();

/** The last messages of the channels of a runtime. */
export function recentMessagesOf(runtime: object): RecentMessages {
  let found = ofRuntimes.get(runtime);
  if (!found) ofRuntimes.set(runtime, found = new RecentMessages());
  return found;
}

function now(): string {
  return new Date().toISOString();
}

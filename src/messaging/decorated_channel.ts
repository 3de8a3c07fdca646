import type { Channel } from "./channel.ts";

/**
 * A channel with other ways to publish and to subscribe; all else is what it was.
 *
 * @param channel the channel
 * @param other what stands in front of it
 */
export function decoratedChannel(channel: Channel, other: Pick<Channel, "publish" | "subscribe">): Channel {
  // the compiler asks for each member that channels get
  const decorated: { [Member in keyof Required<Channel>]: Channel[Member] } = {
    kind: channel.kind,
    get guarantees() {
      return channel.guarantees;
    },
    get notice() {
      return channel.notice;
    },
    keepsMessages: channel.keepsMessages,
    assertRoute: channel.assertRoute?.bind(channel),
    routesOf: channel.routesOf?.bind(channel),
    deadLetters: channel.deadLetters?.bind(channel),
    backlog: channel.backlog?.bind(channel),
    isAway: channel.isAway?.bind(channel),
    connect: (signal) => channel.connect(signal),
    close: (options) => channel.close(options),
    publish: other.publish,
    subscribe: other.subscribe,
  };
  return decorated;
}

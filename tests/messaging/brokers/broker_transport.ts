/**
 * Channels of brokers for the contract suite: each behind a proxy whose connections can be cut.
 *
 * @module
 */

import { TcpProxy } from "../../../scripts/faults/tcp_proxy.ts";
import type { Channel } from "../../../src/messaging/channel.ts";
import type { Transport } from "../../contract/channel.ts";

/** What is different from broker to broker. */
export interface BrokerTransport {
  /** Where the broker listens. */
  readonly address: string;
  /** Creates a channel for an address. */
  readonly create: (address: string) => Channel;
  /** Removes everything the channels made. */
  readonly clean: () => Promise<void>;
}

/**
 * One broker for a test.
 *
 * @param broker the broker
 */
export function brokerTransport({ address, create, clean }: BrokerTransport): Transport {
  const proxy = new TcpProxy(address);
  const mortals: TcpProxy[] = [];
  const opened: Channel[] = [];
  const open = async (at: string) => {
    const channel = create(at);
    opened.push(channel);
    await channel.connect();
    return channel;
  };
  return {
    open: () => open(proxy.address),
    cut: () => proxy.cut(),
    openMortal: async () => {
      const own = new TcpProxy(address);
      mortals.push(own);
      return { channel: await open(own.address), kill: () => own.refuse() };
    },
    dispose: async () => {
      await Promise.all(opened.map((channel) => channel.close()));
      await Promise.all([proxy, ...mortals].map((one) => one.close()));
      await clean();
    },
  };
}

/**
 * A server of Deno with what listeners of `listening` expect of servers of Node.js.
 *
 * @module
 */

import { EventEmitter } from "node:events";

/** Where a server listens, as Node.js tells it. */
export interface NodeAddress {
  /** The address of the host. */
  readonly address: string;
  /** The port. */
  readonly port: number;
  /** `IPv4` or `IPv6`. */
  readonly family: string;
}

/** A server with events. */
export type ServerWithEvents = Deno.HttpServer<Deno.NetAddr> & EventEmitter & {
  /** Where it listens. */
  readonly address: () => NodeAddress;
  /** Ends it. */
  readonly close: (done?: () => void) => void;
};

/**
 * Gives a server the methods of an event emitter, `address()` and `close()`. Only `close` is emitted: requests go to services,
 * and connections are no sockets of Node.js.
 *
 * @param server the server
 * @param warn told of listeners that wait for connections in vain
 * @returns the same server
 */
export function withServerEvents(
  server: Deno.HttpServer<Deno.NetAddr>,
  warn: (text: string) => void,
): ServerWithEvents {
  const { hostname, port } = server.addr;
  const address = { address: hostname, port, family: hostname.includes(":") ? "IPv6" : "IPv4" };
  const events = new EventEmitter();
  events.on("newListener", (name: string | symbol) => {
    if (name !== "upgrade" || events.listenerCount("upgrade") > 0) return;
    warn('Listeners of the server to "upgrade" never run: it takes no WebSocket connections');
  });
  void server.finished.then(() => events.emit("close"));
  const methods = Object.fromEntries(
    METHODS.map((name) => [name, (...given: readonly unknown[]) => {
      const result = (events[name] as (...given: readonly unknown[]) => unknown)(...given);
      return result === events ? server : result;
    }]),
  );
  const close = (done?: () => void) => void server.shutdown().then(done);
  return Object.assign(server, methods, { address: () => address, close }) as unknown as ServerWithEvents;
}

const METHODS = [
  "on",
  "once",
  "off",
  "emit",
  "addListener",
  "removeListener",
  "removeAllListeners",
  "prependListener",
  "prependOnceListener",
  "listeners",
  "listenerCount",
  "eventNames",
  "setMaxListeners",
] as const satisfies readonly (keyof EventEmitter)[];

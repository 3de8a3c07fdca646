/**
 * The names of a test and the ports behind them: a proxy for HTTP CONNECT stands in for the name service, so that
 * clients speak TLS with the very names that certificates and issuers hold.
 *
 * @module
 */

import http, { type IncomingMessage } from "node:http";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Certificate } from "../../src/test/mod.ts";

/** Who can reach what. */
export interface Network {
  /**
   * A name from now on.
   *
   * @param host the name; `*.domain` stands for every host of a domain
   * @param port where it listens on this machine
   */
  name(host: string, port: number): void;
  /**
   * A client that reaches the names and nothing else.
   *
   * @param certificate what it shows a server that asks
   */
  client(certificate?: Pick<Certificate, "pem" | "key">): Deno.HttpClient;
  /** Closes clients and connections. */
  close(): Promise<void>;
}

/**
 * Starts a network.
 *
 * @param authority signs the certificates of all servers
 */
export async function startNetwork(authority: Certificate): Promise<Network> {
  const ports = new Map<string, number>();
  const sockets = new Set<Duplex>();
  const clients = new Map<string, Deno.HttpClient>();
  const proxy = http.createServer();
  proxy.on("connect", (request: IncomingMessage, client: Duplex, head: Uint8Array) => {
    const host = request.url!.replace(/:\d+$/, "");
    const port = ports.get(host) ?? ports.get(host.replace(/^[^.]*/, "*"));
    if (port === undefined) return void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    join(client, net.connect(port, "127.0.0.1"), { head, sockets });
  });
  const proxyPort = await listen(proxy);
  return {
    name: (host, port) => void ports.set(host, port),
    client(certificate) {
      const id = certificate?.key ?? "";
      const client = clients.get(id) ?? Deno.createHttpClient({
        caCerts: [authority.pem],
        proxy: { url: `http://127.0.0.1:${proxyPort}` },
        ...(certificate ? { cert: certificate.pem, key: certificate.key } : {}),
      });
      clients.set(id, client);
      return client;
    },
    async close() {
      for (const client of clients.values()) client.close();
      for (const socket of sockets) socket.destroy();
      await stop(proxy);
    },
  };
}

function join(
  client: Duplex,
  server: Socket,
  { head, sockets }: { readonly head: Uint8Array; readonly sockets: Set<Duplex> },
): void {
  const end = () => {
    for (const socket of [client, server]) {
      sockets.delete(socket);
      socket.destroy();
    }
  };
  for (const socket of [client, server]) {
    sockets.add(socket);
    socket.on("error", end).on("close", end);
  }
  server.on("connect", () => {
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    if (head.length > 0) server.write(head);
    client.pipe(server).pipe(client);
  });
}

/**
 * Listens on a free port of this machine.
 *
 * @param server what listens
 * @returns the port
 */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * Ends a server and its connections.
 *
 * @param server what listens
 */
export async function stop(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

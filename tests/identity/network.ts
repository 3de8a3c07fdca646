/**
 * The names of a test and the ports behind them: a proxy for HTTP CONNECT stands in for the name service, so that
 * clients speak TLS with the very names that certificates and issuers hold.
 *
 * @module
 */

import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Certificate } from "../../src/test/mod.ts";

/** Who can reach what. */
export interface Network {
  /** The proxy that knows the names, for other processes: `HTTPS_PROXY`. */
  readonly proxyUrl: string;
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
export function startNetwork(authority: Certificate): Network {
  const ports = new Map<string, number>();
  const clients = new Map<string, Deno.HttpClient>();
  const tunnels = startTunnels((host) => ports.get(host) ?? ports.get(host.replace(/^[^.]*/, "*")));
  const proxyUrl = `http://127.0.0.1:${tunnels.port}`;
  return {
    proxyUrl,
    name: (host, port) => void ports.set(host, port),
    client(certificate) {
      const id = certificate?.key ?? "";
      const client = clients.get(id) ?? Deno.createHttpClient({
        caCerts: [authority.pem],
        proxy: { url: proxyUrl },
        ...(certificate ? { cert: certificate.pem, key: certificate.key } : {}),
      });
      clients.set(id, client);
      return client;
    },
    async close() {
      for (const client of clients.values()) client.close();
      await tunnels.close();
    },
  };
}

interface Tunnels {
  readonly port: number;
  close(): Promise<void>;
}

/** A proxy for HTTP CONNECT (RFC 9110 9.3.6). */
function startTunnels(portOf: (host: string) => number | undefined): Tunnels {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const tunnels = new Set<Promise<void>>();
  const join = async (client: Deno.Conn) => {
    connections.add(client);
    let server: Deno.Conn | undefined;
    try {
      const port = portOf(await readTarget(client));
      if (port === undefined) return;
      server = await Deno.connect({ hostname: "127.0.0.1", port });
      connections.add(server);
      await client.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
      await Promise.race([pump(client, server), pump(server, client)]);
    } catch {
      // one side has gone away
    } finally {
      for (const one of [client, server]) if (one) close(one, connections);
    }
  };
  const accepting = (async () => {
    for await (const client of listener) {
      const tunnel = join(client).finally(() => tunnels.delete(tunnel));
      tunnels.add(tunnel);
    }
  })();
  return {
    port: listener.addr.port,
    async close() {
      listener.close();
      for (const one of connections) close(one, connections);
      await Promise.all([accepting, ...tunnels]);
    },
  };
}

/** The host of the first line; the client says nothing more before it is answered. */
async function readTarget(client: Deno.Conn): Promise<string> {
  let text = "";
  const buffer = new Uint8Array(4096);
  while (!text.includes("\r\n\r\n")) {
    const length = await client.read(buffer);
    if (length === null) throw new Error("The client has gone away");
    text += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return /^CONNECT ([^: ]+)/.exec(text)?.[1] ?? "";
}

async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
    for (let sent = 0; sent < length;) sent += await to.write(buffer.subarray(sent, length));
  }
}

function close(connection: Deno.Conn, connections: Set<Deno.Conn>): void {
  if (connections.delete(connection)) connection.close();
}

/**
 * Listens on a free port of this machine; connections that are cut end silently.
 *
 * @param server what listens
 * @returns the port
 */
export async function listen(server: Server): Promise<number> {
  server.on("connection", (socket: Socket) => void socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * Ends a server and its connections.
 *
 * @param server what listens
 */
export async function stop(server: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

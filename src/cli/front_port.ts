/**
 * The port of servers that replace each other: it stays open, and each connection goes to the server that is there. A
 * connection is never refused, and none waits at a server that has stopped to accept it.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/** Where a port is. */
export interface PortPlace {
  readonly port: number;
  readonly hostname: string;
}

const BUFFER_BYTES = 65_536;

/** A port that hands its connections on. */
export class FrontPort {
  readonly #listener: Deno.TcpListener;
  /** The port of the server that is there. */
  #target: number;

  /**
   * Opens the port.
   *
   * @param place where it is; port 0 takes a free one
   * @param target the port, on this machine, of the server that is there
   * @throws ConfigurationError where the port is in use
   */
  constructor(place: PortPlace, target: number) {
    try {
      this.#listener = Deno.listen(place);
    } catch (cause) {
      if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
      const text = `Port ${place.port} is in use: choose another by --port, PORT or "fw.server.port"`;
      throw new ConfigurationError(text, {}, { cause });
    }
    this.#target = target;
    void this.#accept();
  }

  /** The port. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Sends connections that come from now on to another server. */
  handTo(target: number): void {
    this.#target = target;
  }

  /** Takes no more connections. */
  close(): void {
    this.#listener.close();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void connect(client, this.#target);
  }
}

/** Joins a connection with one to a server; each side ends when the other does. */
async function connect(client: Deno.TcpConn, target: number): Promise<void> {
  let server: Deno.TcpConn | undefined;
  try {
    server = await Deno.connect({ port: target, hostname: "127.0.0.1" });
    client.setNoDelay();
    server.setNoDelay();
    await Promise.all([copy(client, server), copy(server, client)]);
  } catch {
    // one side is gone: nobody waits for the rest
  } finally {
    for (const connection of [client, server]) closed(connection);
  }
}

async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
    for (let written = 0; written < read;) written += await to.write(buffer.subarray(written, read));
  }
  await to.closeWrite();
}

function closed(connection: Deno.TcpConn | undefined): void {
  try {
    connection?.close();
  } catch {
    // it was closed already
  }
}

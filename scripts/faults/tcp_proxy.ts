/**
 * A proxy on 127.0.0.1 whose connections can be cut and stalled.
 *
 * @module
 */

/** Forwards connections to a server until told otherwise. */
export class TcpProxy {
  readonly #listener: Deno.TcpListener;
  readonly #target: { readonly hostname: string; readonly port: number };
  readonly #open: Set<Deno.TcpConn> = new Set();
  readonly #accepting: Promise<void>;
  readonly #pumps: Set<Promise<void>> = new Set();
  #isRefusing = false;
  #resume: PromiseWithResolvers<void> | undefined;

  /** @param target the server, `host:port` */
  constructor(target: string) {
    const at = target.lastIndexOf(":");
    this.#target = { hostname: target.slice(0, at), port: Number(target.slice(at + 1)) };
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  /** Where to connect, `host:port`. */
  get address(): string {
    return `127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  /** Ends all connections; new ones are forwarded again. */
  cut(): void {
    for (const connection of this.#open) close(connection);
  }

  /** Ends all connections and accepts no new ones. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  /** Accepts connections again. */
  admit(): void {
    this.#isRefusing = false;
  }

  /** Keeps back all bytes until `resume`. */
  stall(): void {
    this.#resume ??= Promise.withResolvers();
  }

  /** Forwards what was kept back. */
  resume(): void {
    this.#resume?.resolve();
    this.#resume = undefined;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.resume();
    this.#listener.close();
    // Also one that was accepted and is not forwarded yet.
    this.refuse();
    await this.#accepting;
    await Promise.all(this.#pumps);
  }

  async #accept(): Promise<void> {
    for (;;) {
      let client: Deno.TcpConn;
      try {
        client = await this.#listener.accept();
      } catch {
        return;
      }
      if (this.#isRefusing) close(client);
      else this.#track(this.#forward(client));
    }
  }

  #track(work: Promise<void>): void {
    const pump = work.finally(() => this.#pumps.delete(pump));
    this.#pumps.add(pump);
  }

  async #forward(client: Deno.TcpConn): Promise<void> {
    this.#open.add(client);
    let server: Deno.TcpConn | undefined;
    try {
      server = await Deno.connect(this.#target);
      this.#open.add(server);
      await Promise.race([this.#copy(client, server), this.#copy(server, client)]);
    } catch {
      // A connection that breaks is what this proxy is for.
    }
    for (const connection of [client, server]) {
      if (connection) {
        close(connection);
        this.#open.delete(connection);
      }
    }
  }

  async #copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    const chunk = new Uint8Array(64 * 1024);
    for (;;) {
      const size = await from.read(chunk).catch(() => null);
      if (size === null) return;
      await this.#resume?.promise;
      const writer = to.writable.getWriter();
      try {
        await writer.write(chunk.slice(0, size));
      } catch {
        return;
      } finally {
        writer.releaseLock();
      }
    }
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}

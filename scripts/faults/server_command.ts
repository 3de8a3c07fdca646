/**
 * What it takes to start a server of a fault test.
 *
 * @module
 */

/** A program and how it is started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Below the ports that systems give to connections, or one of those would take it before it is used. */
const PORTS = { from: 10_000, to: 30_000 } as const;

/** A port of 127.0.0.1 that nobody uses at the moment. */
export function freePort(): number {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

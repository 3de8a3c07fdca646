/**
 * What stands in front of several processes: each request goes to the next one.
 *
 * @module
 */

/** A proxy. */
export interface RoundRobin {
  /** Without trailing slash. */
  readonly url: string;
  /** Sends requests to these from now on; none: answers 503. */
  use(urls: readonly string[]): void;
  stop(): Promise<void>;
}

/** What belongs to a connection and not to its messages (RFC 9110 7.6.1). */
const HOP_BY_HOP = ["connection", "keep-alive", "host", "content-length", "transfer-encoding"];

/** Starts a proxy on a free port. */
export function startRoundRobin(): RoundRobin {
  let targets: readonly string[] = [];
  let next = 0;
  const client = Deno.createHttpClient({});
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    if (targets.length === 0) return new Response(null, { status: 503 });
    const target = targets[next++ % targets.length]!;
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of HOP_BY_HOP) headers.delete(name);
    const body = request.body === null ? null : await request.bytes();
    const init = { method: request.method, headers, body, redirect: "manual", client } as const;
    try {
      const response = await fetch(`${target}${pathname}${search}`, init);
      return new Response(response.body, response);
    } catch (error) {
      return new Response(String(error), { status: 502 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    use: (urls) => targets = urls,
    async stop() {
      await server.shutdown();
      client.close();
    },
  };
}

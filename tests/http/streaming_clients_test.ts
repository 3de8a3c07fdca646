import assert from "node:assert/strict";
import { eventually } from "../contract/channel.ts";
import { BUFFERED, ENGINE_NAMES, type Large, ROWS, settled, withLarge } from "../odata/large_results.ts";

/** Serves a runtime on a port. */
async function withServer({ runtime }: Large, run: (port: number) => Promise<void>): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
  try {
    await run(server.addr.port);
  } finally {
    await server.shutdown();
  }
}

/** Sends GET over a connection of its own. */
async function connect(port: number, path: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  return connection;
}

for (const engine of ENGINE_NAMES) {
  Deno.test(`a client that closes its connection in the middle leaves nothing open (${engine})`, () =>
    withLarge(engine, (large) =>
      withServer(large, async (port) => {
        for (let i = 0; i < 3; i++) {
          const connection = await connect(port, "/odata/v4/s/Books");
          await connection.read(new Uint8Array(64));
          connection.close();
          await settled(large.busy);
        }
        const response = await fetch(`http://127.0.0.1:${port}/odata/v4/s/Books`);
        assert.equal((await response.json()).value.length, ROWS);
        await settled(large.busy);
        assert.deepEqual(large.errors, []);
      })));

  Deno.test(`a client that reads nothing is given up, and its connection is closed (${engine})`, () =>
    withLarge(engine, (large) =>
      withServer(large, async (port) => {
        const connection = await connect(port, "/odata/v4/s/Books?$expand=peers");
        await eventually(() => large.errors.length > 0);
        await settled(large.busy);
        let text = "";
        try {
          for await (const part of connection.readable.pipeThrough(new TextDecoderStream())) text += part;
        } catch {
          // reset by the server
        }
        assert.ok(text.length > BUFFERED);
        // the end of a body in parts
        assert.equal(text.endsWith("0\r\n\r\n"), false);
        assert.match(large.errors[0], /does not take the next part/);
      }), { limits: { stalledStreamMs: 500 } }));
}

import assert from "node:assert/strict";
import { withServerEvents } from "../../src/deno/server_events.ts";

Deno.test("a server has the events and the address of servers of Node.js, and tells of connections that never come", async () => {
  const warnings: string[] = [];
  const plain = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response("hi"));
  const server = withServerEvents(plain, (text) => warnings.push(text));
  const { port } = plain.addr;
  assert.deepEqual(server.address(), { address: "127.0.0.1", port, family: "IPv4" });
  const listener = () => {};
  assert.equal(server.on("connection", listener), server);
  assert.deepEqual(warnings, [], "of nothing else");
  assert.equal(server.on("upgrade", listener).on("upgrade", () => {}), server);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /WebSocket/);
  assert.equal(server.removeListener("upgrade", listener), server);
  assert.equal(server.listenerCount("upgrade"), 1);
  const closed = new Promise((resolve) => server.once("close", () => resolve("closed")));
  await new Promise<void>((resolve) => server.close(resolve));
  assert.equal(await closed, "closed");
});

Deno.test("the address of a server says of which family it is", () => {
  for (const [hostname, family] of [["0.0.0.0", "IPv4"], ["::1", "IPv6"]] as const) {
    const plain = { addr: { hostname, port: 7 }, finished: new Promise(() => {}) };
    const { address } = withServerEvents(
      plain as unknown as Parameters<typeof withServerEvents>[0],
      () => {},
    );
    assert.deepEqual(address(), { address: hostname, port: 7, family });
  }
});

/** The port of servers that replace each other. */

import assert from "node:assert/strict";
import { FrontPort } from "../../src/cli/front_port.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { PATIENCE_MS } from "../contract/within.ts";

const hostname = "127.0.0.1";
const LOCAL = { port: 0, hostname };

/** A server that says its name, then what it is told, until that ends. */
function echo(name: string): Deno.TcpListener {
  const listener = Deno.listen(LOCAL);
  const answer = async (connection: Deno.TcpConn) => {
    await connection.write(new TextEncoder().encode(`${name}:`));
    await writeAll(connection, new TextEncoder().encode(await readAll(connection)));
    connection.close();
  };
  void (async () => {
    for await (const connection of listener) answer(connection).catch(() => connection.close());
  })();
  return listener;
}

async function readAll(connection: Deno.TcpConn): Promise<string> {
  const [decoder, bytes] = [new TextDecoder(), new Uint8Array(100_000)];
  let text = "";
  for (let read = await connection.read(bytes); read !== null; read = await connection.read(bytes)) {
    text += decoder.decode(bytes.subarray(0, read));
  }
  return text;
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length;) from += await connection.write(bytes.subarray(from));
}

/** Sends a text and that it has ended, and reads all that comes back. */
async function talk(port: number, text: string): Promise<string> {
  const connection = await Deno.connect({ port, hostname });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    connection.close();
  }, PATIENCE_MS / 4);
  try {
    await writeAll(connection, new TextEncoder().encode(text));
    await connection.closeWrite();
    return await readAll(connection);
  } finally {
    clearTimeout(late);
    assert.ok(!isLate, "a connection that does not end");
    connection.close();
  }
}

function unlessLate(error: unknown): string {
  if (error instanceof assert.AssertionError) throw error;
  return "";
}

Deno.test("a front port leads each connection to the server that is there when it comes", async () => {
  const [one, two] = [echo("one"), echo("two")];
  const front = new FrontPort(LOCAL, one.addr.port);
  assert.notEqual(front.port, one.addr.port);
  assert.equal(await talk(front.port, "hello"), "one:hello");
  const long = "x".repeat(300_000);
  assert.equal(await talk(front.port, long), `one:${long}`);
  const kept = await Deno.connect({ port: front.port, hostname });
  const read = async () => {
    const bytes = new Uint8Array(10);
    return new TextDecoder().decode(bytes.subarray(0, await kept.read(bytes) ?? 0));
  };
  assert.equal(await read(), "one:");
  front.handTo(two.addr.port);
  assert.equal(await talk(front.port, "hello"), "two:hello");
  await kept.write(new TextEncoder().encode("still"));
  await kept.closeWrite();
  assert.equal(await read(), "still", "a connection stays where it was");
  kept.close();
  two.close();
  assert.equal(await talk(front.port, "hello").catch(unlessLate), "", "nobody is there");
  const { port } = front;
  front.close();
  await assert.rejects(talk(port, "hello"));
  one.close();
});

Deno.test("a front port that is in use is a mistake that can be told", () => {
  using taken = Deno.listen(LOCAL);
  const { port } = taken.addr;
  assert.throws(() => new FrontPort({ port, hostname }, 1), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.message, `Port ${port} is in use: choose another by --port, PORT or "fw.server.port"`);
    return error.cause instanceof Deno.errors.AddrInUse;
  });
  assert.throws(
    () => new FrontPort({ port: 0, hostname: "256.0.0.1" }, 1),
    (error) => !(error instanceof ConfigurationError),
  );
});

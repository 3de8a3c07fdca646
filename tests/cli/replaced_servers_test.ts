/** Servers that replace each other while a project is watched: scripts of a shell stand for them. */

import assert from "node:assert/strict";
import { ReplacedServers } from "../../src/cli/replaced_servers.ts";
import { withProject } from "../deno/project.ts";
import { SERVER, type Shown, withShell } from "./shell_processes.ts";

interface Watched extends Shown {
  readonly folder: string;
  readonly servers: ReplacedServers;
  /** Has the next server listen at a port. */
  readonly leadTo: (port: number) => void;
  /** What answers, on a connection of its own. */
  readonly answer: (port: string) => Promise<string>;
  readonly ports: readonly number[];
}

interface Given {
  readonly port?: number;
  readonly settings?: object;
  readonly files?: Readonly<Record<string, string>>;
}

async function watching(
  { port, settings = {}, files = {} }: Given,
  use: (watched: Watched) => Promise<void>,
): Promise<void> {
  const named = ["one", "two"].map((name) =>
    Deno.serve({ port: 0, onListen: () => {} }, () => new Response(name))
  );
  const ports = named.map(({ addr }) => addr.port);
  await withProject(
    { ".fwrc.json": JSON.stringify(settings), port: String(ports[0]), ...files },
    (folder) =>
      withShell(SERVER, async (shown) => {
        const servers = new ReplacedServers(folder, port);
        await use({
          ...shown,
          ...{ folder, servers, ports },
          leadTo: (port) => Deno.writeTextFileSync(`${folder}/port`, String(port)),
          answer: async (port) => {
            using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
            return await (await fetch(`http://127.0.0.1:${port}`, { client })).text();
          },
        });
      }),
  );
  for (const server of named) await server.shutdown();
}

const LISTENS = /server listening on http:\/\/localhost:(\d+) \(now\)\nmore\n/;

Deno.test("what a server prints is read from its start, and it ends by a signal as long as it does not listen", () =>
  withProject({}, async (folder) => {
    const { Command } = Deno;
    const output = new TransformStream<Uint8Array, Uint8Array>();
    const { promise: status, resolve } = Promise.withResolvers<{ readonly code: number }>();
    const ordered: string[] = [];
    const write = (bytes: Uint8Array) => void ordered.push(new TextDecoder().decode(bytes));
    const process = {
      ...{ stdin: new WritableStream({ write }), stdout: output.readable, status },
      kill: (signal: string) => resolve({ code: signal === "SIGTERM" ? 143 : 1 }),
    };
    Object.assign(Deno, {
      Command: function () {
        return { spawn: () => process };
      },
    });
    try {
      const servers = new ReplacedServers(folder, 0);
      assert.ok(output.readable.locked);
      assert.equal(await servers.stop(), 143);
      assert.deepEqual(ordered, ["begin\n"]);
    } finally {
      Object.assign(Deno, { Command });
      await output.writable.close();
    }
  }));

Deno.test("the port of a project that is watched leads to the server that is there, and then to the next one", () =>
  watching({ port: 0 }, async ({ servers, waitFor, output, answer, leadTo, ports, started, folder }) => {
    const [, port] = await waitFor(LISTENS);
    assert.ok(!ports.includes(Number(port)), "people are told the port that stays");
    assert.match(output(), /^told to begin\nserver listening on \S+ \(now\)\nmore\n$/);
    assert.equal(await answer(port), "one");
    assert.equal(started.length, 2, "the next one is there already");
    assert.deepEqual(started[0].slice(0, 3), ["run", "-A", "--unstable-net"]);
    assert.deepEqual(started[0].slice(-3), ["serve", folder, "--standby"]);
    leadTo(ports[1]);
    await servers.replace("a.cds", false);
    const [text] = await waitFor(
      /\na\.cds changed, starting again\n[^]*told to join\n[^]*server listening on \S+ \(now\)\nmore\n/,
    );
    assert.ok(text.includes(`localhost:${port} `), "the same port");
    assert.equal(await answer(port), "two");
    assert.equal(await servers.stop(), 6);
    assert.doesNotMatch(output(), /over[^]*told to join/, "the one before answers until then");
    assert.equal(started.length, 3);
    await assert.rejects(answer(port), TypeError, "the port is closed");
  }));

Deno.test("a server that began before the configuration changed is not the next one", () =>
  watching({ port: 0 }, async ({ servers, waitFor, started, output }) => {
    await waitFor(LISTENS);
    await servers.replace(".env", true);
    assert.equal(started.length, 3, "the one that waited is gone");
    await waitFor(/told to join\n[^]*server listening/);
    await servers.replace("a.cds", false);
    await waitFor(/a\.cds changed, starting again\n[^]*told to join\n[^]*server listening/);
    assert.equal(started.length, 5, "the next one waits again");
    await servers.stop();
    assert.equal(output().match(/told to join/g)?.length, 2);
  }));

Deno.test("a server goes on where the next one cannot start, and is replaced later", () =>
  watching({ port: 0 }, async ({ servers, waitFor, answer, leadTo, ports, folder, started }) => {
    const [, port] = await waitFor(LISTENS);
    await Deno.writeTextFile(`${folder}/broken`, "");
    leadTo(ports[1]);
    await servers.replace("a.cds", false);
    await waitFor(/told to join\nbroken\nThe server that was there goes on serving\n/);
    assert.equal(await answer(port), "one");
    assert.equal(started.length, 3);
    await Deno.remove(`${folder}/broken`);
    await servers.replace("a.cds", false);
    await waitFor(/starting again\n[^]*told to join\n[^]*server listening/);
    assert.equal(await answer(port), "two");
    assert.equal(await servers.stop(), 6);
    await waitFor(/over\n[^]*over\n/);
  }));

Deno.test("where no server listens yet the next one begins", () =>
  watching({ port: 0, files: { slow: "" } }, async ({ servers, waitFor, folder, answer, output }) => {
    await waitFor(/told to begin\n/);
    await Deno.remove(`${folder}/slow`);
    await Deno.writeTextFile(`${folder}/broken`, "");
    await servers.replace("a.cds", false);
    await waitFor(/a\.cds changed, starting again\n[^]*told to begin\nbroken\n/);
    assert.match(output(), /starting again\ngone\ntold to begin/, "the one before has ended");
    await Deno.remove(`${folder}/broken`);
    await servers.replace("b.cds", false);
    const [, port] = await waitFor(LISTENS);
    assert.equal(await answer(port), "one");
    assert.doesNotMatch(output(), /join|goes on serving/);
    assert.equal(await servers.stop(), 6);
  }));

Deno.test("the port of a project that is watched follows the configuration, and is told where it is in use", async () => {
  const free = () => {
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    return listener.addr.port;
  };
  const [first, second] = [free(), free()];
  await watching({ settings: { server: { port: first } } }, async ({ servers, waitFor, folder, answer }) => {
    await waitFor(new RegExp(`listening on http://localhost:${first} `));
    assert.equal(await answer(String(first)), "one");
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ server: { port: second } }));
    await servers.replace(".fwrc.json", true);
    await waitFor(new RegExp(`listening on http://localhost:${second} `));
    assert.equal(await answer(String(second)), "one");
    await assert.rejects(answer(String(first)), TypeError);
    await servers.stop();
  });
  using taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  await watching({ port: taken.addr.port }, async ({ servers, waitFor, ports, output }) => {
    await waitFor(new RegExp(`listening on http://localhost:${ports[0]} `));
    assert.match(
      output(),
      new RegExp(`\nCannot start: Port ${taken.addr.port} is in use: choose another by --port`),
    );
    await servers.stop();
  });
});

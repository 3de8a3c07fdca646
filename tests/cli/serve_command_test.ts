/** `fw serve` in this process: what keeps a server that another process has started, and what ends it. */

import assert from "node:assert/strict";
import { serveCommand } from "../../src/cli/serve_command.ts";
import type { Command } from "../../src/cli/parse_command.ts";
import { withProject } from "../deno/project.ts";
import { type Shown, withShell } from "./shell_processes.ts";

const FILES = {
  "srv/shop.cds": "service Shop { function one() returns Integer; }",
  ".fwrc.json": JSON.stringify({
    requires: { auth: { kind: "mocked" }, db: { kind: "sqlite", credentials: { url: "shop.sqlite" } } },
  }),
};

interface Serving extends Shown {
  /** Writes to the standard input. */
  say(text: string): void;
  /** Ends the standard input. */
  close(): void;
  /** What has happened, in this order: the end of the input, and that of the process. */
  readonly events: readonly string[];
  readonly done: Promise<unknown>;
}

/** Runs the command, which may end the process. */
async function serving(
  options: Command["options"],
  use: (serving: Serving) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
): Promise<void> {
  await withProject(files, (folder) =>
    withShell("", async (shown) => {
      const input = new TransformStream<Uint8Array, Uint8Array>();
      const writer = input.writable.getWriter();
      const events: string[] = [];
      const { exit, exitCode, serve, unrefTimer } = Deno;
      Object.defineProperty(Deno.stdin, "readable", { value: input.readable, configurable: true });
      Object.assign(Deno, {
        // this process has no ports that others share
        serve: (where: Deno.ServeTcpOptions, handler: Deno.ServeHandler) =>
          serve({ ...where, reusePort: false }, handler),
        // what a worker goes on telling would outlive the test
        unrefTimer: clearInterval,
        exit: (code: number) => {
          events.push(`exit ${code}`);
          throw new Error("exit");
        },
      });
      try {
        const done = serveCommand({ name: "serve", words: [folder], options }).catch((error: Error) =>
          error.message
        );
        await use({
          ...shown,
          ...{ events, done },
          waitFor: (pattern) =>
            Promise.race([
              shown.waitFor(pattern),
              done.then(() => assert.fail(`ended without ${pattern}: ${shown.output()}`)),
            ]),
          say: (text) => void writer.write(new TextEncoder().encode(text)),
          close: () => (events.push("closed"), void writer.close()),
        });
      } finally {
        Object.assign(Deno, { exit, exitCode, serve, unrefTimer });
        Reflect.deleteProperty(Deno.stdin, "readable");
      }
    }));
}

/** It answers, and ends in order with its input. */
async function answersUntilItsEnd({ close, done, events }: Serving, port: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/odata/v4/shop/`);
  assert.equal(response.status, 200);
  await response.body?.cancel();
  close();
  assert.equal(await done, "exit");
  assert.deepEqual(events, ["closed", "exit 0"]);
}

Deno.test("a worker serves until its input ends, and then answers what is under way", () =>
  serving({ worker: "begin", port: "0" }, async (server) => {
    const [, port] = await server.waitFor(/\0listening \{"port":(\d+)/);
    server.say("alive\n");
    await answersUntilItsEnd(server, port!);
  }));

Deno.test("a server that waits for its turn serves when it is told to, until its input ends", () =>
  serving({ standby: true }, async (server) => {
    assert.doesNotMatch(server.output(), /listening/);
    server.say("begin\n");
    const [, port] = await server.waitFor(/server listening on http:\/\/localhost:(\d+)/);
    await answersUntilItsEnd(server, port!);
  }));

Deno.test("a server that waits for its turn ends with its input, without having served", () =>
  serving({ standby: true }, async ({ close, events, done, output }) => {
    close();
    assert.equal(await done, "exit");
    assert.deepEqual(events, ["closed", "exit 0"]);
    assert.doesNotMatch(output(), /listening/);
  }));

Deno.test("a server that cannot start tells why, and ends with 1", async () => {
  const wrong = { "srv/shop.cds": "service Shop {" };
  await serving({ port: "0" }, async ({ done, errors, events }) => {
    assert.equal(await done, 1);
    assert.match(errors(), /^\nCannot start: .*shop\.cds:1:\d+: /);
    assert.deepEqual(events, []);
  }, wrong);
  await serving({ worker: "join", port: "0" }, async ({ done, errors, events }) => {
    await done;
    assert.match(errors(), /^\nCannot start: /);
    assert.deepEqual(events, ["exit 1"]);
  }, wrong);
});

Deno.test("a port that is none, and a number of workers that is none, are mistakes of the caller", async () => {
  for (const options of ["x", "0", "257", "-1", "1.5", true as const].map((workers) => ({ workers }))) {
    await assert.rejects(serveCommand({ name: "serve", words: ["/nowhere"], options }), {
      message: `Expected a number from 1 to 256 as --workers, but found "${options.workers}"`,
    });
  }
  await assert.rejects(serveCommand({ name: "serve", words: ["/nowhere"], options: { port: "x" } }), {
    name: "UsageError",
  });
});

Deno.test("workers are started on Linux, where processes share a port, and nowhere else", () =>
  withProject({}, (folder) =>
    withShell("exit 7", async ({ started }) => {
      const serve = () => serveCommand({ name: "serve", words: [folder], options: { workers: "256" } });
      const { build } = Deno;
      try {
        for (const os of ["darwin", "windows"]) {
          Object.defineProperty(Deno, "build", { value: { ...build, os } });
          await assert.rejects(serve, { message: /^--workers needs Linux/ });
        }
        assert.equal(started.length, 0);
        Object.defineProperty(Deno, "build", { value: { ...build, os: "linux" } });
        assert.equal(await serve(), 7);
        assert.equal(started.length, 1);
      } finally {
        Object.defineProperty(Deno, "build", { value: build });
      }
    })));

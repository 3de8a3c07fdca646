/** `fw watch` in this process: scripts of a shell stand for the servers that it starts. */

import assert from "node:assert/strict";
import { watchCommand, writeTypesFile } from "../../src/cli/watch_command.ts";
import { withProject } from "../deno/project.ts";
import { SERVER, type Shown, unlessFailed, withShell } from "./shell_processes.ts";

const FILES = {
  "db/schema.cds": "entity Books { key ID : Integer; }",
  ".fwrc.json": JSON.stringify({ types: "gen/types.ts" }),
  "gen/keep": "",
  port: "4711",
};

interface Watching extends Shown {
  readonly folder: string;
  readonly code: Promise<number>;
  /** Writes a file of the project. */
  readonly write: (file: string, text: string) => Promise<void>;
  /** How often servers were told to serve. */
  readonly served: () => number;
}

async function watching(
  files: Readonly<Record<string, string>>,
  use: (watching: Watching) => Promise<void>,
  script = SERVER,
): Promise<void> {
  await withProject(files, (given) =>
    withShell(script, async (shown) => {
      const folder = Deno.realPathSync(given);
      const code = watchCommand({ name: "watch", words: [folder], options: { port: "0" } });
      const waitFor = unlessFailed(shown.waitFor, code);
      try {
        await waitFor(/server listening on \S+ \(now\)\nmore\n/);
        await use({
          ...shown,
          ...{ folder, code, waitFor },
          write: (file, text) => Deno.writeTextFile(`${folder}/${file}`, text),
          served: () => shown.output().match(/told to/g)?.length ?? 0,
        });
      } finally {
        shown.signal("SIGINT");
      }
      assert.equal(await code, 6, "that of the server");
      assert.deepEqual(shown.listening(), []);
    }));
}

Deno.test("a project is served anew when one of its files changes, and its types are written", () =>
  watching(FILES, async ({ folder, write, waitFor, output, served, started }) => {
    const types = `${folder}/gen/types.ts`;
    assert.match(output(), new RegExp(`^wrote ${types}\n`));
    assert.match(await Deno.readTextFile(types), /Book/);
    assert.equal(served(), 1);
    await write("db/schema.cds", "entity Authors { key ID : Integer; }");
    await waitFor(new RegExp(`\n${folder}/db/schema\\.cds changed, starting again\n`));
    await waitFor(new RegExp(`starting again\n[^]*wrote ${types}\n`));
    assert.match(await Deno.readTextFile(types), /Author/);
    await waitFor(/told to join\n(?:[^]*\n)?server listening/);
    assert.equal(served(), 2, "types are no change of anybody");
    const before = started.length;
    await write("srv.js", "export {}");
    await waitFor(
      /srv\.js changed, starting again\n[^]*told to join\n[^]*server listening[^]*more\n/,
    );
    assert.equal(output().match(/wrote/g)?.length, 2, "types follow from models only");
    assert.equal(started.length, before + 1, "the server that waited is the next one");
  }));

Deno.test("changes of the configuration are known to the next server, and mistakes of the model are its to tell", () =>
  watching(FILES, async ({ write, waitFor, started, output }) => {
    await waitFor(/more\n/);
    const before = started.length;
    await write(".env", "A=1");
    await waitFor(/\.env changed, starting again\n[^]*told to join\n[^]*server listening/);
    assert.ok(started.length >= before + 2, "the one that waited was dropped");
    await write("db/schema.cds", "entity {");
    await waitFor(/schema\.cds changed, starting again\n/);
    assert.doesNotMatch(output(), /Error|expected/i);
  }));

Deno.test("what a model says but hardly means is told at the start, and again when it has changed", () => {
  const odd = (name: string) => `entity Books { key ID : Integer; @assert.format: 'x' ${name} : Integer; }`;
  return watching({ ...FILES, "db/schema.cds": odd("one") }, async ({ write, waitFor, output }) => {
    assert.match(output(), /^Warning: [^]*one[^]*@assert\.format, which has no effect/);
    await write("db/schema.cds", odd("other"));
    await waitFor(/starting again\n[^]*Warning: [^]*other[^]*@assert\.format, which has no effect/);
  });
});

Deno.test("types are written once the next server was told to serve, which reads the model meanwhile", () =>
  watching(FILES, async ({ write, waitFor, started }) => {
    const before = started.length;
    await write(".fwrc.json", JSON.stringify({ types: "gen/other.ts" }));
    await waitFor(/wrote \S+other\.ts\n/);
    assert.equal(started.length, before + 1, "in the place of the one that waited and takes its time to end");
  }, `trap 'sleep 0.2; exit' TERM; ${SERVER}`));

Deno.test("files that no server reads start nothing, and changes in one moment start one server", () =>
  watching(
    { ...FILES, "node_modules/a.js": "", "dist/a.cds": "", ".git/a.json": "" },
    async ({ write, waitFor, served }) => {
      for (
        const file of [
          "node_modules/a.js",
          "dist/a.cds",
          ".git/a.json",
          "a_test.ts",
          "a.test.js",
          "a.txt",
          "port",
        ]
      ) {
        await write(file, "4712");
      }
      await write("one.csv", "");
      await write("two.csv", "");
      await waitFor(/one\.csv changed, starting again\n[^]*told to join\n[^]*server listening/);
      assert.equal(served(), 2);
    },
  ));

Deno.test("a folder that is not there, or a port that is none, is told", () =>
  withShell("", async ({ output }) => {
    assert.equal(await watchCommand({ name: "watch", words: ["/nowhere/at/all"], options: {} }), 1);
    assert.equal(output(), "Cannot watch /nowhere/at/all: There is no such folder\n");
    await assert.rejects(watchCommand({ name: "watch", words: [], options: { port: "x" } }), {
      name: "UsageError",
    });
  }));

Deno.test("types are written where the configuration wants them, and only where they say something else", () =>
  withProject(FILES, async (folder) => {
    assert.equal(await writeTypesFile(`${folder}/`), `${folder}/gen/types.ts`);
    assert.equal(await writeTypesFile(folder), undefined);
    await Deno.writeTextFile(`${folder}/gen/types.ts`, "");
    assert.equal(await writeTypesFile(folder), `${folder}/gen/types.ts`);
    await Deno.writeTextFile(`${folder}/.fwrc.json`, "{}");
    assert.equal(await writeTypesFile(folder), undefined);
  }));

Deno.test("a project is found at the port of the command, else at that of its configuration", async () => {
  const free = () => {
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    return listener.addr.port;
  };
  const [own, given] = [free(), free()];
  const files = { ...FILES, ".fwrc.json": JSON.stringify({ server: { port: own } }) };
  for (const [options, port] of [[{}, own], [{ port: String(given) }, given]] as const) {
    await withProject(files, (folder) =>
      withShell(SERVER, async ({ waitFor, signal }) => {
        const code = watchCommand({ name: "watch", words: [folder], options });
        const [, told] = await waitFor(/server listening on \S+:(\d+) /);
        signal("SIGTERM");
        assert.equal(await code, 6);
        assert.equal(Number(told), port);
      }));
  }
});

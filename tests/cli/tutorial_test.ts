/** The tutorial as it stands there: each block of a shell is run, each block of a file is written. */

import assert from "node:assert/strict";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";
import { REPOSITORY, withProject } from "../deno/project.ts";

/** Blocks of the page, with the files that the lines before them name. */
async function readBlocks(): Promise<{ kind: string; text: string; file?: string }[]> {
  const page = await Deno.readTextFile(`${REPOSITORY}/docs/tutorial.md`);
  return [...page.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)\n```/gs)].map(([, before, kind, text]) => ({
    kind,
    text,
    file: /\bin `([^`]+)`/i.exec(before)?.[1],
  }));
}

/** A shell in a folder, which finds `fw` where it was installed. */
class Shell {
  cwd: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.cwd = cwd;
    this.#env = { NO_COLOR: "1", PATH: `${cwd}/../bin:${Deno.env.get("PATH")}`, ...env };
  }

  spawn(text: string): Deno.ChildProcess {
    return new Deno.Command("bash", {
      args: ["-ec", text],
      cwd: this.cwd,
      env: this.#env,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
  }

  async run(text: string): Promise<string> {
    const { code, stdout } = await this.spawn(text).output();
    const output = new TextDecoder().decode(stdout);
    assert.equal(code, 0, `${text}\n${output}`);
    return output;
  }

  /** Runs what serves until a test of it is done. */
  async whileServing(text: string, test: () => Promise<void>): Promise<void> {
    const child = this.spawn(`exec ${text}`);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (let seen = ""; !seen.includes("server listening on");) {
        const { value, done } = await reader.read();
        assert.ok(!done, seen);
        seen += value;
      }
      // what it goes on to print must not fill the pipe
      void (async () => {
        while (!(await reader.read()).done);
      })();
      await test();
    } finally {
      child.kill("SIGTERM");
      await child.status;
    }
  }
}

/** Asks until the answer is the one that a change leads to. */
async function until(expected: (status: number) => boolean, ask: () => Promise<Response>): Promise<unknown> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await ask();
    const body = await response.json();
    if (expected(response.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the change had no effect");
}

function freePort(): string {
  const listener = Deno.listen({ port: 0 });
  listener.close();
  return String((listener.addr as Deno.NetAddr).port);
}

Deno.test({
  name: "the tutorial leads from nothing to a service in production, typed line by line",
  ignore: !server.isThere,
}, () =>
  withProject({ "clone/.keep": "" }, async (root) => {
    const [install, init, model, curl, handler, test, runTests, sqlite, dryRun, production, start, ...more] =
      await readBlocks();
    assert.equal(more.length, 0, "all blocks of the page are typed");
    const port = freePort();
    const shell = new Shell(`${root}/clone`, { PORT: port });
    const write = ({ file, text }: typeof model) => Deno.writeTextFile(`${shell.cwd}/${file}`, `${text}\n`);
    const inClone = new Shell(REPOSITORY, {});
    await inClone.run(install.text.replace("-n fw", `-n fw --root ${root}`));

    const [make, , watch] = init.text.split("\n");
    await shell.run(make);
    shell.cwd = `${root}/my-shop`;
    await shell.whileServing(watch, async () => {
      await write(model);
      const created = curl.text.replace("localhost:4004", `localhost:${port}`);
      const notes = `http://localhost:${port}/odata/v4/notes/Notes`;
      const headers = { authorization: `Basic ${btoa("bob:")}`, "content-type": "application/json" };
      await until((status) => status === 200, () => fetch(notes, { headers }));
      assert.equal(JSON.parse(await shell.run(created)).text, "Buy milk");
      await write(handler);
      const finished = await until((status) => status === 200, async () => {
        const { ID } = JSON.parse(await shell.run(created));
        return await fetch(`${notes}/${ID}/NotesService.finish`, { method: "POST", headers, body: "{}" });
      });
      assert.equal((finished as { done: boolean }).done, true);
    });
    await write(test);
    // the types of a new project and its tests are checked by the test of fw init
    assert.match(await shell.run(`${runTests.text} --no-check`), /ok \| 4 passed \| 0 failed/);

    await shell.run(sqlite.text);
    assert.match(await shell.run(dryRun.text), /CREATE TABLE "shop_Notes"/);
    await shell.run(production.text);
    const schema = uniqueName();
    try {
      const config = JSON.stringify({
        requires: { db: { credentials: { url: null, ...credentials(schema) } } },
      });
      const [, deploy, serve] = start.text.split("\n");
      const live = new Shell(shell.cwd, { PORT: port, FW_CONFIG: config });
      assert.match(await live.run(deploy), /Deployed with \d+ statements/);
      await live.whileServing(`env ${serve}`, async () => {
        const statusOf = async (path: string) => {
          const response = await fetch(`http://localhost:${port}${path}`);
          await response.body?.cancel();
          return response.status;
        };
        assert.equal(await statusOf("/health"), 200);
        assert.equal(await statusOf("/odata/v4/catalog/Books"), 401, "as the page says");
      });
    } finally {
      await dropSchemas(schema);
    }
  }));

/** What the command of a machine starts: a script of a shell stands for the version of a project. */

import assert from "node:assert/strict";
import { runInstalled } from "../../src/cli/installed.ts";
import { VERSION } from "../../src/fw/version.ts";
import { withProject } from "../deno/project.ts";
import { withShell } from "./shell_processes.ts";

const CONFIGURATION = JSON.stringify({ imports: { "@fw/runtime": "jsr:@fw/runtime@^0.1.0" } });

Deno.test("in a project its own version runs, with its configuration, and its exit code counts", () =>
  withProject({ "shop/deno.json": CONFIGURATION, "other/deno.jsonc": CONFIGURATION }, async (root) => {
    const started = async (...args: readonly string[]) => {
      let words: readonly string[] = [];
      await withShell("exit 7", async (shown) => {
        assert.equal(await runInstalled(args), 7);
        assert.deepEqual(shown.listening(), [], "signals end this process again");
        assert.equal(shown.started.length, 1);
        words = shown.started[0];
      });
      return words;
    };
    const words = await started("serve", `${root}/shop`, "--port", "0");
    assert.deepEqual(words.slice(0, 3), ["run", "-A", "--quiet"]);
    assert.match(words[3], /^--v8-flags=\S+$/);
    assert.deepEqual(words.slice(4), [
      `--config=${root}/shop/deno.json`,
      "jsr:@fw/runtime@^0.1.0/cli",
      ...["serve", `${root}/shop`, "--port", "0"],
    ]);
    const first = await started("data", "export", `${root}/other`, `${root}/shop`);
    assert.equal(first[4], `--config=${root}/other/deno.jsonc`);
  }));

Deno.test("the project hears the signals that this process gets, and decides when it ends", () =>
  withProject({ "deno.json": CONFIGURATION }, async (root) => {
    for (const [name, code] of [["SIGINT", 5], ["SIGTERM", 6]] as const) {
      const script = `trap 'exit 5' INT; trap 'exit 6' TERM; echo > ${root}/ready; ` +
        `n=0; while [ $n -lt 40 ]; do sleep 0.05; n=$((n+1)); done; exit 9`;
      await withShell(script, async ({ signal, listening }) => {
        const watcher = Deno.watchFs(root);
        const ended = runInstalled(["serve", root]);
        assert.deepEqual(listening(), ["SIGINT", "SIGTERM"]);
        for await (const { paths } of watcher) if (paths.some((path) => path.endsWith("/ready"))) break;
        signal(name);
        assert.equal(await ended, code);
      });
      await Deno.remove(`${root}/ready`);
    }
  }));

Deno.test("outside of projects this version runs", () =>
  withShell("exit 7", async ({ output, started }) => {
    const { cwd } = Deno;
    Object.assign(Deno, { cwd: () => "/" });
    try {
      assert.equal(await runInstalled(["version"]), 0);
      assert.equal(await runInstalled(["help", "/nowhere/--x", "--y"]), 2);
    } finally {
      Object.assign(Deno, { cwd });
    }
    assert.ok(output().startsWith(`${VERSION}\n`));
    assert.deepEqual(started, []);
  }));

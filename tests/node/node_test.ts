/**
 * What is published runs under Node as well (design 1). `TEST_NODE` names another Node than that of the path.
 */

import assert from "node:assert/strict";
import { REPOSITORY } from "../deno/project.ts";
import { bundleModules } from "../edge/bundle_modules.ts";

const NODE = Deno.env.get("TEST_NODE") ?? "node";
/** SQLite with aggregate functions. */
const LEAST = [22, 16];

async function run(command: string, ...args: readonly string[]): Promise<{ success: boolean; text: string }> {
  try {
    const options: Deno.CommandOptions = { args: [...args], cwd: REPOSITORY };
    const { success, stdout, stderr } = await new Deno.Command(command, options).output();
    return { success, text: new TextDecoder().decode(success ? stdout : stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { success: false, text: `there is no ${command}` };
    throw error;
  }
}

const { success, text } = await run(NODE, "--version");
const [major = 0, minor = 0] = success ? text.slice(1).split(".").map(Number) : [];
const isThere = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
if (!isThere) {
  console.warn(`Tests are skipped: they need Node ${LEAST.join(".")} or later, found ${text.trim()}`);
}

Deno.test({
  name: "the bookshop over a compiled model answers under Node, in memory and with SQLite (design 1)",
  ignore: !isThere,
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "fw-node-" });
    try {
      const [bundle] = await bundleModules(["tests/node/bookshop.ts"], ["--node"]);
      for (
        const [kind, url] of [["memory", ":memory:"], ["sqlite", ":memory:"], [
          "sqlite",
          `${folder}/shop.sqlite`,
        ]]
      ) {
        const { success, text } = await run(NODE, bundle!, kind!, url!);
        assert.ok(success, text);
        const answers = text.trim().split("\n").map((line) => JSON.parse(line));
        assert.deepEqual(
          answers.map(([status]) => status),
          [200, 200, 200, 401, 201, 204, 200],
          `${kind} ${url}`,
        );
        assert.deepEqual(answers[0][1].value, [{
          ID: 201,
          title: "Wuthering Heights",
          author: { ID: 103, name: "Emily Brontë" },
        }]);
        assert.deepEqual(answers[1][1].value, [{ n: 48, m: 24.5 }]);
        assert.deepEqual(answers[2][1].value, [{ ID: 283 }, { ID: 201 }]);
        assert.equal(answers[6][1].stock, 11);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

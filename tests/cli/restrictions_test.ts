/** Mistakes in restrictions end every command that reads the model (auth 7). */

import assert from "node:assert/strict";
import { SMALL, withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

const WRONG = {
  ...SMALL,
  "srv/cat_service.cds":
    "using { shop } from '../db/schema';\nservice CatService {\n  @restrict: [{ grant: 'REED', to: 'a' }]\n  entity Books as projection on shop.Books;\n  function hello() returns String;\n}\n",
};
const MISTAKE = /srv\/cat_service\.cds:4:\d+: "REED" in grant .*did you mean "READ"/;

Deno.test("fw compile and fw build end at a restriction that cannot be understood, with its place", () =>
  withProject(WRONG, async (folder) => {
    for (const args of [["compile", folder], ["compile", folder, "--to", "sql"], ["build", folder]]) {
      const { code, output } = await runCommand(...args);
      assert.equal(code, 1, output);
      assert.match(output, MISTAKE, args.join(" "));
    }
  }));

Deno.test("fw serve ends and fw watch waits at a restriction that cannot be understood, with its place", () =>
  withProject(WRONG, async (folder) => {
    const { code, output } = await runCommand("serve", folder, "--port", "0");
    assert.equal(code, 1, output);
    assert.match(output, MISTAKE);
    const watching = startCli("watch", folder, "--port", "0");
    try {
      await watching.waitFor(MISTAKE);
    } finally {
      await watching.close();
    }
  }));

/** The table of commands: each has its help, and its code is loaded when it is asked for. */

import assert from "node:assert/strict";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "./run_command.ts";

Deno.test("every command has usage of its own, as fw help prints it, and something to run", async () => {
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const { help, run } = await entry.load();
    assert.match(help, new RegExp(`^Usage: fw ${name}\\b`));
    assert.equal(typeof run, "function", name);
    assert.deepEqual(await runCommand("help", name), { code: 0, output: `${help}\n` }, name);
    assert.deepEqual(await runCommand(name, "--help"), { code: 0, output: `${help}\n` }, name);
  }
});

Deno.test("the list of commands names each with what it does", async () => {
  const { output } = await runCommand("help");
  for (const [name, { about }] of Object.entries(COMMANDS)) {
    assert.ok(output.includes(`\n  fw ${name.padEnd(13)}${about}\n`), name);
  }
});

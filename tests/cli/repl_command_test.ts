/** `fw repl` in this process: a script of a shell stands for the loop. */

import assert from "node:assert/strict";
import { replCommand } from "../../src/cli/repl_command.ts";
import { withProject } from "../deno/project.ts";
import { type Shown, withShell } from "./shell_processes.ts";

interface Ended extends Pick<Shown, "started" | "output"> {
  readonly code: number;
  /** What the loop read. */
  readonly input: string;
}

/** Runs the loop, which ends with a code; pieces are what stands on the standard input, undefined: a terminal. */
async function looped(code: number, pieces: readonly string[] | undefined): Promise<Ended> {
  let ended: Ended | undefined;
  await withProject({}, async (folder) => {
    const read = pieces ? `cat > ${folder}/input;` : "";
    await withShell(`${read} exit ${code}`, async ({ started, output, listening }) => {
      const { isTerminal } = Deno.stdin;
      Object.assign(Deno.stdin, { isTerminal: () => pieces === undefined });
      const value = ReadableStream.from((pieces ?? []).map((one) => new TextEncoder().encode(one)));
      Object.defineProperty(Deno.stdin, "readable", { value, configurable: true });
      try {
        const given = await replCommand({ name: "repl", words: [folder], options: {} });
        const input = pieces ? Deno.readTextFileSync(`${folder}/input`) : "";
        ended = { code: given, input, started, output };
        assert.deepEqual(listening(), [], "Ctrl+C ends this process again");
        assert.ok(started[0].at(-1)!.endsWith(`.startRepl(${JSON.stringify(folder)})`));
      } finally {
        Object.assign(Deno.stdin, { isTerminal });
        Reflect.deleteProperty(Deno.stdin, "readable");
      }
    });
  });
  return ended!;
}

Deno.test("fw repl hands its input on, with a last line that ends the loop", async () => {
  const { code, input, started, output } = await looped(0, ["1 + 1\n", "2 + 2\n"]);
  assert.deepEqual([code, input, output()], [0, "1 + 1\n2 + 2\nDeno.exit()\n", ""]);
  assert.deepEqual(started[0].slice(0, 3), ["repl", "--quiet", "-A"]);
  assert.match(
    started[0].at(-1)!,
    /^--eval=await \(await import\("file:.*\/src\/cli\/start_repl\.ts"\)\)\.startRepl\(/,
  );
  assert.equal((await looped(3, ["1\n", "2"])).input, "1\n2\nDeno.exit()\n");
  assert.equal((await looped(3, [])).input, "Deno.exit()\n");
});

Deno.test("fw repl ends with the code of the loop, and says where its input ended too early", async () => {
  assert.equal((await looped(3, ["1\n"])).code, 3);
  const early = await looped(65, ["(1\n"]);
  assert.deepEqual([early.code, early.output()], [
    ...[1, "The input ends in the middle of an expression, which was not evaluated\n"],
  ]);
  const typed = await looped(65, undefined);
  assert.deepEqual([typed.code, typed.output()], [65, ""], "at a terminal everybody sees that");
});

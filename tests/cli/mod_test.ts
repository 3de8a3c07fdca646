import assert from "node:assert/strict";
import { VERSION } from "../../src/fw/version.ts";
import { runCommand } from "./run_command.ts";

Deno.test("a command that is none is a mistake of its caller, who is shown what there is; help and version are not", async () => {
  const cases: readonly (readonly [words: readonly string[], code: number, printed: RegExp])[] = [
    [[], 2, /fw help/],
    [["help"], 0, /fw help/],
    [["help", "serve"], 0, /fw serve/],
    [["version"], 0, new RegExp(`^${RegExp.escape(VERSION)}\n$`)],
    [["help", "sevre"], 2, /"sevre".*"serve".*\(fw help\)/],
    [["sevre"], 2, /"sevre".*"serve".*\(fw help\)/],
    [["serve", "--nothing"], 2, /--nothing.*\(fw help serve\)/],
    [["build", "--workers", "2"], 2, /fw build takes no option "--workers", but --.*\(fw help build\)/],
    [["build", "a", "b"], 2, /takes one argument, but found "a", "b".*\(fw help build\)/],
    [["explain", "a", "b", "c"], 2, /fw explain takes 2 arguments, but found "a", "b", "c": /],
  ];
  for (const [words, code, printed] of cases) {
    const { code: ended, output } = await runCommand(...words);
    assert.equal(ended, code, words.join(" "));
    assert.match(output, printed, words.join(" "));
  }
});

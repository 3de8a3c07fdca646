/** What shells read to complete words of commands. */

import assert from "node:assert/strict";
import { completionsCommand } from "../../src/cli/completions_command.ts";
import { printedBy } from "../deno/project.ts";

const TABLE = {
  serve: { about: "serve: a project's services", options: ["port", "profile"] },
  version: { about: "tell", options: [] },
};

const printed = async (shell: string) => {
  const { code, output } = await printedBy(() =>
    completionsCommand({ name: "completions", words: [shell], options: {} }, TABLE)
  );
  assert.equal(code, 0);
  return output;
};

Deno.test("bash completes commands, then the options of the command", async () => {
  const text = await printed("bash");
  assert.match(text, /compgen -W "serve version help" --/);
  assert.match(text, /\n {4}serve\) words="--port --profile --help" ;;\n {4}version\) words="--help" ;;\n/);
  assert.match(text, /\n {4}help\) words="serve version" ;;\n {2}esac\n/);
});

Deno.test("zsh and fish show what commands do, without what these shells read as signs", async () => {
  const zsh = await printed("zsh");
  assert.match(zsh, /\n {4}'serve:serve {2}a projects services'\n {4}'version:tell'\n {2}\)\n/);
  assert.match(
    zsh,
    /\n {4}serve\) compadd -- --port --profile --help ;;\n {4}version\) compadd -- --help ;;\n/,
  );
  assert.deepEqual((await printed("fish")).trimEnd().split("\n"), [
    "complete -c fw -n __fish_use_subcommand -a serve -d 'serve  a projects services'",
    "complete -c fw -n '__fish_seen_subcommand_from serve' -l port",
    "complete -c fw -n '__fish_seen_subcommand_from serve' -l profile",
    "complete -c fw -n __fish_use_subcommand -a version -d 'tell'",
  ]);
});

Deno.test("another shell is a mistake of the caller", () => {
  for (const shell of ["fisch", ""]) {
    assert.throws(() => completionsCommand({ name: "completions", words: [shell], options: {} }, TABLE), {
      name: "UsageError",
    });
  }
});

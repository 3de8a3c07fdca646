/** Words of the command line, by themselves. */

import assert from "node:assert/strict";
import { assertPort, parseCommand, unknownWord } from "../../src/cli/parse_command.ts";

Deno.test("ports are whole numbers from 0 to 65535", () => {
  for (const port of [undefined, "0", "1", "65535", "0080"]) {
    assert.doesNotThrow(() => assertPort(port === undefined ? {} : { port }));
  }
  for (const port of ["65536", "-1", "1.5", "x", "1e9"]) {
    assert.throws(() => assertPort({ port }), {
      name: "UsageError",
      message: `Expected a port number after --port, but found "${port}"`,
    });
  }
});

Deno.test("an unknown word is told with the one that was meant, also by other tools, or all that are expected", () => {
  const known = ["serve", "deploy", "build", "env"];
  const told = (word: string, words = known) => unknownWord("command", word, words).message;
  assert.deepEqual(["start", "migrate", "serv", "config", "bundle"].map((word) => told(word)), [
    'Unknown command "start"; did you mean "serve"?',
    'Unknown command "migrate"; did you mean "deploy"?',
    'Unknown command "serv"; did you mean "serve"?',
    'Unknown command "config"; did you mean "env"?',
    'Unknown command "bundle"; did you mean "build"?',
  ]);
  assert.equal(told("start", ["env"]), 'Unknown command "start": expected one of env');
  assert.equal(told("toString"), `Unknown command "toString": expected one of ${known.join(", ")}`);
  assert.equal(told(""), "Expected a word: one of serve, deploy, build, env");
});

Deno.test("options stand anywhere, with values behind = or in the next word", () => {
  const parsed = (...args: readonly string[]) => {
    const { name, words, options } = parseCommand(args);
    return [name, words.join(), JSON.stringify(options)];
  };
  assert.deepEqual(parsed("--to=a=b", "compile", "x", "--dest", "y", "z"), [
    "compile",
    "x,z",
    '{"to":"a=b","dest":"y"}',
  ]);
  assert.deepEqual(parsed("deploy", "--dry-run", "--to", "-"), ["deploy", "", '{"dry-run":true,"to":"-"}']);
  assert.deepEqual(parsed("deploy", "--to=two\nlines"), ["deploy", "", '{"to":"two\\nlines"}']);
  assert.deepEqual(parsed("serve", "-h"), ["help", "serve", '{"help":true}']);
  assert.deepEqual(parsed("serve", "-V"), ["version", "serve", '{"version":true}']);
  assert.deepEqual(parsed(), ["", "", "{}"]);
  for (
    const [arg, message] of [
      ["--to=", "Expected a value after --to"],
      ["--nothingnearthis", 'Unknown option "--nothingnearthis"'],
      ["--toString", 'Unknown option "--toString"'],
      ["-x=1", 'Unknown option "-x=1"'],
      ["--force=1", 'The option "--force" takes no value'],
    ]
  ) assert.throws(() => parseCommand(["a", arg]), { name: "UsageError", message });
});

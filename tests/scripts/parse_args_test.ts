/** Arguments of tasks: what the usage names, and nothing else. */

import assert from "node:assert/strict";
import { parseArgs, taskArgs } from "../../scripts/parse_args.ts";

const USAGE = "deno task x [section] [--sample N] [--only PATH,…] [--json]";

Deno.test("arguments are options with a value, flags, and other words", () => {
  for (
    const [args, options, rest] of [
      [[], {}, []],
      [["--sample", "3", "--json", "a"], { sample: "3", json: true }, ["a"]],
      [["--", "--sample=3", "b", "--only="], { sample: "3", only: "" }, ["b"]],
      [["a", "--only", "src/a,src/b"], { only: "src/a,src/b" }, ["a"]],
      [["--only", "--json"], { only: "--json" }, []],
      [["--only=a=b"], { only: "a=b" }, []],
    ] as const
  ) assert.deepEqual(parseArgs(args, USAGE), { options, rest }, args.join(" "));
});

Deno.test("options that the usage does not name are refused, with those there are and the nearest one", () => {
  const expected = "expected --sample, --only, --json";
  for (
    const [args, message] of [
      [["--samples", "3"], `There is no option --samples, ${expected}, did you mean --sample?`],
      [["--verbose"], `There is no option --verbose, ${expected}`],
      [["--section=1"], `There is no option --section, ${expected}`],
      [["--json", "--sample"], "--sample takes a value"],
      [["--json=yes"], "--json takes no value"],
    ] as const
  ) assert.throws(() => parseArgs(args, USAGE), { name: "TypeError", message }, args.join(" "));
});

/** What a task prints, and its exit code, where its arguments end it. */
function ended(
  args: readonly string[],
): { readonly code: number | undefined; readonly printed: readonly string[] } {
  const { exit, args: own } = Deno;
  const { log, error } = console;
  const printed: string[] = [];
  let code: number | undefined;
  Object.defineProperty(Deno, "args", { value: args, configurable: true });
  Object.defineProperty(Deno, "exit", {
    value: (given: number) => {
      code = given;
      throw new Error("ended");
    },
    ...{ configurable: true, writable: true },
  });
  console.log = (line: string) => void printed.push(`log: ${line}`);
  console.error = (line: string) => void printed.push(`error: ${line}`);
  try {
    taskArgs(USAGE);
  } catch (thrown) {
    assert.equal((thrown as Error).message, "ended");
  } finally {
    Object.assign(console, { log, error });
    Object.defineProperty(Deno, "exit", { value: exit, configurable: true, writable: true });
    Object.defineProperty(Deno, "args", { value: own, configurable: true });
  }
  return { code, printed };
}

Deno.test("--help prints the usage and ends a task, an unknown option ends it with exit code 2", () => {
  assert.deepEqual(ended(["--json", "--help"]), { code: 0, printed: [`log: Usage: ${USAGE}`] });
  const { code, printed } = ended(["--jsn"]);
  assert.deepEqual([code, printed.length], [2, 1]);
  assert.match(printed[0]!, /^error: There is no option --jsn, .*did you mean --json\?$/);
  assert.deepEqual(ended(["--json"]), { code: undefined, printed: [] });
});

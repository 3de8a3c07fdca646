/**
 * The command line in the process of a test: without the time that a process takes to start.
 *
 * @module
 */

import { main } from "../../src/cli/mod.ts";
import type { Ended } from "../deno/project.ts";

const WRITERS = ["log", "info", "warn", "error", "debug"] as const;

/**
 * Runs a command; gives its exit code and what it prints. `--profile` needs a process of its own: it becomes a variable of
 * the environment, which all test files that run side by side have in common.
 */
export async function runCommand(...args: readonly string[]): Promise<Ended> {
  const writers = WRITERS.map((name) => [name, console[name]] as const);
  let output = "";
  for (const name of WRITERS) {
    console[name] = (...values: readonly unknown[]) => void (output += `${values.map(String).join(" ")}\n`);
  }
  try {
    const code = await main(args);
    return { code, output };
  } finally {
    Object.assign(console, Object.fromEntries(writers));
  }
}

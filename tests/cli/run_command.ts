/**
 * The command line in the process of a test: without the time that a process takes to start.
 *
 * @module
 */

import { main } from "../../src/cli/mod.ts";
import type { Ended } from "../deno/project.ts";

const WRITERS = ["log", "info", "warn", "error", "debug"] as const;

/** Runs a command; gives its exit code and what it prints. */
export async function runCommand(...args: readonly string[]): Promise<Ended> {
  const writers = WRITERS.map((name) => [name, console[name]] as const);
  const profile = Deno.env.get("FW_ENV");
  let output = "";
  for (const name of WRITERS) {
    console[name] = (...values: readonly unknown[]) => void (output += `${values.map(String).join(" ")}\n`);
  }
  try {
    const code = await main(args);
    return { code, output };
  } finally {
    Object.assign(console, Object.fromEntries(writers));
    if (profile === undefined) Deno.env.delete("FW_ENV");
    else Deno.env.set("FW_ENV", profile);
  }
}

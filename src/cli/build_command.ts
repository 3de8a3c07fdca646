/**
 * `fw build [folder]`
 *
 * @module
 */

import { buildProject } from "../deno/build_project.ts";
import type { Command } from "./parse_command.ts";

/** Writes the compiled model of a project. */
export async function buildCommand({ words }: Command): Promise<number> {
  console.log(`wrote ${await buildProject(words[0] ?? Deno.cwd())}`);
  return 0;
}

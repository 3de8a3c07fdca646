/**
 * `fw build [folder]`
 *
 * @module
 */

import { buildProject } from "../deno/build_project.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { describeMistakes } from "./describe_mistakes.ts";
import type { Command } from "./parse_command.ts";

/** Writes the compiled model of a project. */
export async function buildCommand({ words }: Command): Promise<number> {
  try {
    console.log(`wrote ${await buildProject(words[0] ?? Deno.cwd())}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(describeMistakes(error));
    return 1;
  }
}

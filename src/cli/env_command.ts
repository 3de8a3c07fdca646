/**
 * `fw env [folder]`
 *
 * @module
 */

import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { redact } from "../log/redact.ts";
import { describeMistakes } from "./describe_mistakes.ts";
import type { Command } from "./parse_command.ts";

/** Prints the effective configuration as JSON; what stands under the name of a secret is masked. */
export function envCommand({ words }: Command): Promise<number> {
  try {
    const { env } = readConfiguration(words[0] ?? Deno.cwd());
    console.log(JSON.stringify(redact(env), null, 2));
    return Promise.resolve(0);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(describeMistakes(error));
    return Promise.resolve(1);
  }
}

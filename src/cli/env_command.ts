/**
 * `fw env [folder] [--profile NAME]`
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { denoKinds } from "../deno/deno_kinds.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { redact } from "../log/redact.ts";
import { describeMistakes } from "./describe_mistakes.ts";
import type { Command } from "./parse_command.ts";

/** Prints the effective configuration as JSON; what stands under the name of a secret is masked. */
export function envCommand({ words }: Command): Promise<number> {
  try {
    const { env } = readConfiguration(words[0] ?? Deno.cwd());
    console.log(JSON.stringify(redact({ ...env, requires: withKinds(env) }, Infinity), null, 2));
    return Promise.resolve(0);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(describeMistakes(error));
    return Promise.resolve(1);
  }
}

/** What is required, with the kinds that count where none is named. */
function withKinds({ requires, production }: Environment): Environment["requires"] {
  const { defaultDatabase, defaultChannel, productionChannel } = denoKinds;
  const defaults = { db: defaultDatabase, messaging: production ? productionChannel : defaultChannel };
  const filled = Object.entries(defaults).filter(([name]) => requires[name]).map(([name, kind]) =>
    [name, { kind, ...requires[name] }] as const
  );
  return { ...requires, ...Object.fromEntries(filled) };
}

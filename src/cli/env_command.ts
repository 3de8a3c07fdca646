/**
 * `fw env [folder] [--profile NAME]`
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { denoKinds } from "../deno/deno_kinds.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { redact } from "../log/redact.ts";
import { existingFolder } from "./existing_folder.ts";
import type { Command } from "./parse_command.ts";

/** Prints the effective configuration as JSON; what stands under the name of a secret is masked. */
export async function envCommand({ words: [folder = Deno.cwd()] }: Command): Promise<number> {
  const { env, warnings } = readConfiguration(await existingFolder(folder));
  for (const warning of warnings) console.error(`Warning: ${warning}`);
  console.log(JSON.stringify(redact({ ...env, requires: withKinds(env) }, Infinity), null, 2));
  return 0;
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

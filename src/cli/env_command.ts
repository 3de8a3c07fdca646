/**
 * `fw env [folder] [--profile NAME]`
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { denoKinds } from "../deno/deno_kinds.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { redact } from "../log/redact.ts";
import { existingFolder } from "./project_files.ts";
import { guaranteesOf } from "../deno/guarantees_of.ts";
import { highlighted } from "./terminal_text.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help env` prints. */
export const ENV_HELP = `Usage: fw env [folder] [--profile NAME]

Prints the configuration in effect as JSON, with secrets masked, and what the channels of messaging services promise.

Examples: fw env
          fw env my-shop --profile production`;

/** Prints the effective configuration as JSON; what stands under the name of a secret is masked. */
export async function envCommand({ words: [folder = Deno.cwd()] }: Command): Promise<number> {
  const root = await existingFolder(folder);
  const { env, warnings, name } = readConfiguration(root);
  for (const warning of warnings) console.error(`${highlighted("Warning:", "warning")} ${warning}`);
  const requires = withKinds(env);
  const promised = await guaranteesOf({
    env,
    root,
    application: typeof env.name === "string" ? env.name : name,
  });
  const shown = Object.entries(requires).map(([one, entry]) =>
    [one, Object.hasOwn(promised, one) ? { ...entry, guarantees: promised[one] } : entry] as const
  );
  console.log(JSON.stringify(redact({ ...env, requires: Object.fromEntries(shown) }, Infinity), null, 2));
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

/**
 * `fw deploy [folder] [--to DATABASE] [--dry-run] [--allow-loss]`
 *
 * @module
 */

import { deployProject } from "../deno/deploy_project.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help deploy` prints. */
export const DEPLOY_HELP = `Usage: fw deploy [folder] [options]

Brings the database of a project to what its model says, and fills tables that are empty with the initial data.
What was deployed before decides what is to be done: nothing that rows hold gets lost unless it is allowed.

  --to DATABASE    instead of the configured one: sqlite:db.sqlite, postgres://user:password@host/database
  --dry-run        print the SQL and what would get lost, and change nothing
  --allow-loss     drop tables and columns that the model no longer has, convert values to narrower types
  --tenant ID      whose, with multitenancy
  --profile NAME   whose configuration

Something that has another name only keeps its values: @fw.renamedFrom: 'oldName' at the element or entity.`;

/** Deploys a project. */
export async function deployCommand({ words: [folder = Deno.cwd()], options }: Command): Promise<number> {
  const { to, tenant } = options as Readonly<Record<string, string | undefined>>; // both take values
  const dryRun = options["dry-run"] === true;
  const mode = options["allow-loss"] === true ? "lossy" : "lossless";
  const { statements, losses, obstacles, filled } = await deployProject(folder, {
    to,
    tenant,
    mode,
    dryRun,
  });
  if (dryRun) {
    for (const statement of statements) console.log(`${statement};\n`);
    for (const loss of losses) console.log(`-- would lose ${loss}`);
    for (const obstacle of obstacles) console.log(`-- cannot be done: ${obstacle}`);
    if (statements.length === 0) console.log("-- nothing to do");
    return losses.length > 0 && mode === "lossless" || obstacles.length > 0 ? 1 : 0;
  }
  const count = statements.length === 1 ? "1 statement" : `${statements.length} statements`;
  console.log(statements.length === 0 ? "The database is up to date" : `Deployed with ${count}`);
  for (const loss of losses) console.log(`lost ${loss}`);
  for (const entity of filled) console.log(`initial rows of ${entity}`);
  return 0;
}

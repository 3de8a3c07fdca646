/**
 * `fw deploy [folder] [--to DATABASE] [--dry-run] [--allow-loss] [--plan FILE] [--apply FILE] [--history]`
 *
 * @module
 */

import { deploymentsOf, deployProject } from "../deno/deploy_project.ts";
import { readText } from "../deno/text_files.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { DeployOptions, DeployReport, ReviewedPlan } from "../service/database.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { Command } from "./parse_command.ts";
import { showProgress } from "./terminal_text.ts";
import { counted } from "../util/counted.ts";

/** What `fw help deploy` prints. */
export const DEPLOY_HELP = `Usage: fw deploy [folder] [options]

Brings the database of a project to what its model says, and fills tables that are empty with the initial data.
What was deployed before decides what is to be done: nothing that rows hold gets lost unless it is allowed.

  --to DATABASE    instead of the configured one: sqlite:db.sqlite, postgres://user:password@host/database
  --dry-run        print the SQL and what would get lost, and change nothing
  --allow-loss     drop tables and columns that the model no longer has, convert values to narrower types
  --plan FILE      write what would be done to a file, for review, and change nothing
  --apply FILE     do exactly what such a file says; refused where the database or the model has changed since
  --online         PostgreSQL: keep those who use the tables waiting as little as possible; indexes are built, and rows
                   that are there checked for new references, equal values and null, behind the transaction
  --history        print what earlier deployments have done, the latest first
  --tenant ID      whose, with multitenancy
  --profile NAME   whose configuration

Something that has another name only keeps its values: @fw.renamedFrom: 'oldName' at the element or entity.

Examples: fw deploy --to sqlite:db.sqlite --dry-run
          fw deploy --profile production`;

/** How long a step may take before it is told that it is under way. */
const LONG_MS = 1_000;
const PLAN_FORMAT = 1;

/** Deploys a project. */
export async function deployCommand({ words: [folder = Deno.cwd()], options }: Command): Promise<number> {
  const { to, tenant, plan, apply } = options as Readonly<Record<string, string | undefined>>; // all take values
  const isLossy = options["allow-loss"] === true;
  if (options.history === true) return await printHistory(folder, { to, tenant });
  const clash = [plan && "plan", apply && "apply", options["dry-run"] && "dry-run"].filter(Boolean);
  if (clash.length > 1) throw new ConfigurationError(`--${clash[0]} and --${clash[1]} exclude each other`);
  if (apply !== undefined) return await applyPlan(folder, { to, tenant, file: apply });
  const mode = isLossy ? "lossy" : "lossless";
  const dryRun = options["dry-run"] === true || plan !== undefined;
  const online = options.online === true;
  if (!dryRun) return await deploy(folder, { to, tenant, mode, online });
  const report = await deployProject(folder, { to, tenant, mode, dryRun, online });
  if (plan !== undefined) await writePlan(plan, report, { mode, online });
  else printPlan(report);
  if (plan !== undefined) console.log(`${countOf(report.statements)} to be reviewed in ${plan}`);
  for (const loss of plan === undefined ? [] : report.losses) console.log(`would lose ${loss}`);
  for (const obstacle of plan === undefined ? [] : report.obstacles) {
    console.log(`cannot be done: ${obstacle}`);
  }
  return report.losses.length > 0 && mode === "lossless" || report.obstacles.length > 0 ? 1 : 0;
}

interface Where {
  readonly to?: string;
  readonly tenant?: string;
}

async function deploy(folder: string, target: Where & DeployOptions): Promise<number> {
  const progress = stepsTold();
  let report: DeployReport;
  try {
    report = await deployProject(folder, { ...target, onStep: progress.onStep });
  } finally {
    progress.end();
  }
  const { statements, losses, filled } = report;
  console.log(
    statements.length === 0 ? "The database is up to date" : `Deployed with ${countOf(statements)}`,
  );
  for (const loss of losses) console.log(`lost ${loss}`);
  for (const entity of filled) console.log(`initial rows of ${entity}`);
  return 0;
}

/** Tells which step is under way, where one takes long. */
function stepsTold(): { readonly onStep: NonNullable<DeployOptions["onStep"]>; readonly end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told: { readonly text: string; readonly start: number } | undefined;
  const end = () => {
    clearTimeout(timer);
    showProgress();
    if (told) console.log(`${told.text} took ${((performance.now() - told.start) / 1000).toFixed(1)} s`);
    told = undefined;
  };
  return {
    onStep(sql, step, steps) {
      end();
      showProgress(`step ${step} of ${steps}`);
      const start = performance.now();
      timer = setTimeout(() => {
        told = { text: `step ${step} of ${steps}`, start };
        showProgress();
        console.log(`step ${step} of ${steps}: ${sql.split("\n", 1)[0]}`);
      }, LONG_MS);
    },
    end,
  };
}

function printPlan({ statements, losses, obstacles }: DeployReport): void {
  for (const statement of statements) console.log(`${statement};\n`);
  for (const loss of losses) console.log(`-- would lose ${loss}`);
  for (const obstacle of obstacles) console.log(`-- cannot be done: ${obstacle}`);
  if (statements.length === 0) console.log("-- nothing to do");
}

async function writePlan(
  file: string,
  { state, statements, losses, obstacles }: DeployReport,
  how: Pick<DeployOptions, "mode" | "online">,
): Promise<void> {
  const plan = { format: PLAN_FORMAT, ...how, state, losses, obstacles, statements };
  await Deno.writeTextFile(file, `${JSON.stringify(plan, null, 2)}\n`);
}

async function applyPlan(
  folder: string,
  { file, ...where }: Where & { readonly file: string },
): Promise<number> {
  const { mode, online, ...expected } = readPlan(file);
  return await deploy(folder, { ...where, mode, online, expected });
}

function readPlan(file: string): ReviewedPlan & Pick<DeployOptions, "mode" | "online"> {
  let plan: unknown;
  try {
    plan = JSON.parse(readText(file));
  } catch (cause) {
    throw new ConfigurationError(`Expected a plan, but found: ${(cause as Error).message}`, { file }, {
      cause,
    });
  }
  const { format, mode, online, state, statements, losses } = isPlainObject(plan) ? plan : {};
  const isPlan = format === PLAN_FORMAT && (mode === "lossy" || mode === "lossless") &&
    typeof state === "string" &&
    isTexts(statements) && isTexts(losses);
  if (!isPlan) throw new ConfigurationError('Expected a plan as "fw deploy --plan" writes it', { file });
  return { mode, online: online === true, state, statements, losses };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

async function printHistory(folder: string, where: Where): Promise<number> {
  const deployments = await deploymentsOf(folder, where);
  for (const { at, statements, losses } of deployments) {
    console.log(`${at}  ${countOf(statements)}`);
    for (const statement of statements) console.log(`  ${statement.replaceAll("\n", "\n  ")};`);
    for (const loss of losses) console.log(`  -- lost ${loss}`);
  }
  if (deployments.length === 0) console.log("No deployments");
  return 0;
}

function countOf(statements: readonly string[]): string {
  return counted(statements.length, "statement");
}

/**
 * The fault test of drafts: a process is killed at any statement of an activation; then there is either the draft or what
 * became of it.
 *
 * @module
 */

import postgres from "postgres";
import type { FaultReport } from "./harness.ts";
import type { DraftsTask } from "./drafts_worker.ts";

const SCRIPT = new URL("./drafts_worker.ts", import.meta.url).pathname;
const CONFIGURATION = new URL("../../deno.json", import.meta.url).pathname;
const SCHEMA = "fw_faults_drafts";

/** How large a run is. */
export interface DraftFaultOptions {
  readonly kills: number;
  /** PostgreSQL in the place of SQLite: how to reach it. */
  readonly postgres?: Readonly<Record<string, unknown>>;
}

/**
 * Processes that activate drafts and kill themselves, one after the other.
 *
 * @param folder an empty folder
 * @param scenario name for the report
 * @param options sizes
 */
export async function killActivations(
  folder: string,
  scenario: string,
  { kills: wanted, postgres: given }: DraftFaultOptions,
): Promise<FaultReport> {
  const startedAt = Date.now();
  if (given) await dropSchema(given);
  const journal = `${folder}/drafts.journal`;
  Deno.writeTextFileSync(journal, "");
  const database = given ? { ...given, schema: SCHEMA } : `${folder}/drafts.sqlite`;
  const run = async (task: DraftsTask) => {
    const { code, signal } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", "--config", CONFIGURATION, SCRIPT, JSON.stringify(task)],
    }).output();
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`A process ended with ${signal ?? code}`);
    return signal === "SIGKILL";
  };
  let kills = 0;
  while (kills < wanted) if (await run({ database, journal, killRate: 0.02, count: 200 })) kills++;
  await run({ database, journal, killRate: 0, count: 1 });
  if (given) await dropSchema(given);
  const lines = Deno.readTextFileSync(journal).split("\n");
  const [begun, answered, faults] = ["i ", "a ", "f "].map((start) =>
    lines.filter((line) => line.startsWith(start)).map((line) => line.slice(2))
  );
  return {
    scenario,
    emitted: begun!.length,
    acknowledged: answered!.length,
    handledOnce: answered!.length,
    lost: faults!.filter((fault) => /lost|gone/.test(fault)).length,
    phantom: faults!.filter((fault) => /half|there|differ|no draft/.test(fault)).length,
    duplicates: 0,
    outOfOrder: 0,
    kills,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    faults: faults!,
  };
}

async function dropSchema(given: Readonly<Record<string, unknown>>): Promise<void> {
  const sql = postgres({ ...given, max: 1, onnotice: () => {} });
  await sql.unsafe(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
  await sql.end();
}

/**
 * The fault test of instances that stand still: those of one group, while they have its lock.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import { entries, type FaultReport, judge, until, untilDrained, withEffects, Worker } from "./harness.ts";

const TOPIC = "Faults.happened";
const GROUP = "g";
/** Time without progress after which messages count as lost. */
const DRAIN_MS = 30_000;
/** How long a process may take to start on a busy machine, and a holder to be found. */
const START_MS = 60_000;

/** How large a run is. */
export interface StopPlan {
  /** Messages of the writer. */
  readonly messages: number;
  /** How often the holder of the lock is stopped, and for how long. */
  readonly stops: number;
  readonly stopMs: number;
  /** Time after which the other instance takes over. */
  readonly ackWaitMs: number;
  /** Milliseconds per message. */
  readonly slowMs: number;
}

/**
 * Two instances of a group with an inbox; the one that has the lock is stopped again and again, and goes on later.
 *
 * @param folder an empty folder
 * @param scenario name for the report
 * @param plan sizes
 */
export async function stopLockHolders(
  folder: string,
  scenario: string,
  { messages, stops, stopMs, ackWaitMs, slowMs }: StopPlan,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const file = `${folder}/box`;
  const broker = { kind: "file-based-messaging", file, ackWaitMs, format: "cloudevents" };
  const common = { box: file, broker, topic: TOPIC };
  const journal = `${folder}/${GROUP}.journal`;
  const database = `${folder}/${GROUP}.db`;
  const readers = [0, 1].map(() =>
    new Worker({ ...common, role: "reader", name: GROUP, journal, database, slowMs })
  );
  const sent = `${folder}/w.journal`;
  const writer = new Worker({
    ...{ ...common, role: "writer", name: "w", journal: sent, count: messages, paceMs: slowMs },
  });
  const stood: string[] = [];
  for (let stop = 0; stop < stops; stop++) {
    const handled = entries(journal, "h").length;
    await until(() => entries(journal, "h").length > handled, START_MS);
    const holder = await stopHolder(readers, { folder: `${file}.d`, database });
    const term = newestTerm(`${file}.d`);
    const before = new Set(entries(journal, "h")).size;
    const [goesOn] = await Promise.all([
      until(() => newestTerm(`${file}.d`) > term && new Set(entries(journal, "h")).size > before, START_MS),
      pause(stopMs),
    ]);
    const why = newestTerm(`${file}.d`) > term ? "handled nothing" : "had no other instance take over";
    if (!goesOn) stood.push(`stop ${stop + 1}: the group ${why}`);
    holder.resume();
  }
  await writer.ended;
  await untilDrained([sent], [journal], DRAIN_MS);
  await Promise.all(readers.map((reader) => reader.stop()));
  const run = { writers: [sent], groups: [journal], kills: stops, startedAt };
  const report = withEffects(judge(scenario, run), [database]);
  return { ...report, faults: [...report.faults, ...stood] };
}

/**
 * Stops one reader after the other until one of them stands still with the lock of the group, but not in the middle of a
 * transaction: then the database, which is theirs together, would keep the others waiting, whatever the channel does.
 */
async function stopHolder(
  readers: readonly Worker[],
  { folder, database }: { readonly folder: string; readonly database: string },
): Promise<Worker> {
  const files = [database, `${database}-shm`];
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    for (const reader of readers) {
      reader.suspend();
      const isHolder = hasLock(reader.pid, "FLOCK", `${folder}/${lockName(folder)}`);
      if (isHolder && !files.some((file) => hasLock(reader.pid, "POSIX", file))) return reader;
      reader.resume();
      await pause(3);
    }
  }
  throw new Error("No instance was found with the lock");
}

/** Whether the kernel says that a process has locked a file for writing. */
function hasLock(pid: number, kind: "FLOCK" | "POSIX", path: string): boolean {
  const { ino } = Deno.statSync(path);
  const held = new RegExp(`: ${kind} +\\w+ +WRITE ${pid} [0-9a-f]+:[0-9a-f]+:${ino} `);
  return held.test(Deno.readTextFileSync("/proc/locks"));
}

function newestTerm(folder: string): number {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  return Math.max(
    0,
    ...names.map((name) => Number(new RegExp(`^${GROUP}\\.lock-(\\d+)$`).exec(name)?.[1] ?? 0)),
  );
}

function lockName(folder: string): string {
  const term = newestTerm(folder);
  return `${GROUP}.lock${term === 0 ? "" : `-${term}`}`;
}

/**
 * The fault tests of the file channel (`messaging` 9).
 *
 * @module
 */

import { entries, type FaultReport, judge, until, untilDrained, Worker } from "./harness.ts";
import { pause } from "../../src/util/time.ts";
import type { WorkerTask } from "./worker.ts";

const TOPIC = "Faults.happened";
const DEVELOPMENT = new URL("./development_worker.ts", import.meta.url).pathname;
/** Time without progress after which messages count as lost. */
const DRAIN_MS = 30_000;
/** How long a killed process may take until it works again, on a busy machine. */
const START_MS = 60_000;

/** How large a run of writers and readers is. */
export interface KillOptions {
  readonly writers: number;
  /** Messages of each writer. */
  readonly messages: number;
  readonly groups: number;
  /** Kills of readers and, if not excluded, writers, at random, within the time. */
  readonly kills: number;
  readonly withinMs: number;
  readonly killWriters?: boolean;
  readonly killReaders?: boolean;
  /** Writers are applications in the default setup of development: their database is in memory. */
  readonly inDevelopment?: boolean;
  readonly segmentBytes?: number;
  readonly slowMs?: number;
  readonly failEvery?: number;
  /** Pause of the writers after each message. */
  readonly paceMs?: number;
}

/**
 * Writers and readers that are killed while they work.
 *
 * @param folder an empty folder
 * @param scenario name for the report
 * @param options sizes
 */
export async function killReadersAndWriters(
  folder: string,
  scenario: string,
  options: KillOptions,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const { segmentBytes, slowMs, failEvery } = options;
  const common = { box: `${folder}/box`, topic: TOPIC, segmentBytes };
  const writers = range(options.writers).map((n) =>
    new Worker({
      ...{ ...common, role: "writer", name: `w${n}`, journal: `${folder}/w${n}.journal` },
      ...{
        count: options.messages,
        paceMs: options.paceMs,
        bytes: n === 0 && options.writers > 1 ? 2_000 : 100,
      },
    }, options.inDevelopment ? DEVELOPMENT : undefined)
  );
  const readers = range(options.groups).map((n) =>
    new Worker({
      ...{ ...common, role: "reader", name: `g${n}`, journal: `${folder}/g${n}.journal`, slowMs, failEvery },
    })
  );
  const victims = [
    ...options.killReaders === false ? [] : readers,
    ...options.killWriters === false ? [] : writers,
  ];
  const intervalMs = options.withinMs / (options.kills + 1);
  for (let kill = 0; kill < options.kills; kill++) {
    await pause(intervalMs);
    // One that has not done anything since its last start is spared: killing it would test nothing.
    const order = victims.map((_, n) => victims[(kill + n) % victims.length]);
    await until(() => order.some((victim) => victim.hasProgressed && victim.kill()), START_MS);
  }
  await Promise.all(writers.map((writer) => writer.ended));
  const journals = writers.map(({ task }) => task.journal);
  const groups = readers.map(({ task }) => task.journal);
  await untilDrained(journals, groups, DRAIN_MS);
  await Promise.all(readers.map((reader) => reader.stop()));
  const kills = [...writers, ...readers].reduce((sum, worker) => sum + worker.kills, 0);
  return judge(scenario, { writers: journals, groups, kills, startedAt, isOrdered: failEvery === undefined });
}

/**
 * Programs that know nothing of the channel append lines without a lock.
 *
 * @param folder an empty folder
 * @param lines lines of each of three programs
 */
export async function foreignWriters(folder: string, lines: number): Promise<FaultReport> {
  const startedAt = Date.now();
  const box = `${folder}/box`;
  const reader = new Worker({
    role: "reader",
    box,
    topic: TOPIC,
    name: "g",
    journal: `${folder}/g.journal`,
  });
  const code = `const [box, journal, name, count] = Deno.args;
    for (let n = 0; n < Number(count); n++) {
      const id = name + ":" + n + ":x";
      Deno.writeTextFileSync(journal, "i " + id + "\\n", { append: true });
      const body = JSON.stringify({ data: { id, sequence: n } });
      await Deno.writeTextFile(box, "\\n${TOPIC} " + body, { append: true });
      Deno.writeTextFileSync(journal, "a " + id + "\\n", { append: true });
    }`;
  Deno.writeTextFileSync(`${folder}/foreign.js`, code);
  const journals = range(3).map((n) => `${folder}/f${n}.journal`);
  await Promise.all(journals.map((journal, n) => {
    const args = ["run", "-A", `${folder}/foreign.js`, box, journal, `f${n}`, String(lines)];
    return new Deno.Command(Deno.execPath(), { args }).output();
  }));
  const groups = [reader.task.journal];
  await untilDrained(journals, groups, DRAIN_MS);
  await reader.stop();
  return judge("foreign writers", { writers: journals, groups, kills: 0, startedAt });
}

/**
 * Writers of very long lines are killed in the middle; what stands beside the torn lines is delivered.
 *
 * @param folder an empty folder
 * @param options number of kills, bytes of a line
 */
export async function tornLines(
  folder: string,
  options: { readonly kills: number; readonly bytes: number },
): Promise<FaultReport> {
  const startedAt = Date.now();
  const box = `${folder}/box`;
  const maxMessageBytes = options.bytes * 2;
  const base = { box, topic: TOPIC, maxMessageBytes };
  const reader = new Worker({ ...base, role: "reader", name: "g", journal: `${folder}/g.journal` });
  const small: WorkerTask = {
    ...{ ...base, role: "writer", name: "small", journal: `${folder}/small.journal` },
    ...{ count: 500, bytes: 50 },
  };
  const neighbour = new Worker(small);
  const large = new Worker({
    ...{ ...base, role: "writer", name: "large", journal: `${folder}/large.journal` },
    ...{ count: options.kills + 5, bytes: options.bytes },
  });
  for (let kill = 0; kill < options.kills; kill++) {
    const begun = entries(large.task.journal, "i").length;
    await until(() => entries(large.task.journal, "i").length > begun, 3_000);
    large.kill();
    await pause(50);
  }
  await Promise.all([large.ended, neighbour.ended]);
  const journals = [large.task.journal, neighbour.task.journal];
  const groups = [reader.task.journal];
  await untilDrained(journals, groups, DRAIN_MS);
  await reader.stop();
  return judge("torn lines", { writers: journals, groups, kills: large.kills, startedAt });
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, n) => n);
}

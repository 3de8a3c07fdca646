/**
 * Runs workers of the fault tests as real processes, kills them, and judges their journals.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { pause } from "../../src/util/time.ts";
import type { WorkerTask } from "./worker.ts";

const WORKER = new URL("./worker.ts", import.meta.url).pathname;
const CONFIGURATION = new URL("../../deno.json", import.meta.url).pathname;

/** What a run of a scenario showed. */
export interface FaultReport {
  readonly scenario: string;
  readonly emitted: number;
  readonly acknowledged: number;
  readonly handledOnce: number;
  readonly lost: number;
  /** Messages that were not handled in time and that the broker still has for their group. */
  readonly pending?: number;
  readonly phantom: number;
  /** Deliveries of messages that were delivered before. */
  readonly duplicates: number;
  /** Effects of messages that had an effect before; not counted where there is no inbox. */
  readonly duplicateEffects?: number;
  readonly outOfOrder: number;
  readonly kills: number;
  readonly seconds: number;
  /** What else was measured, in words. */
  readonly figures?: readonly string[];
  /** What was promised and did not hold. */
  readonly faults: readonly string[];
}

/** Pause between two looks at all journals: a look reads them as a whole. */
const COUNT_EVERY_MS = 100;

/** How often a process may end by an error of its own. */
const FAILURES = 3;

/** What every worker is told. */
type AnyTask = Pick<WorkerTask, "role" | "journal" | "from" | "count">;

/** A worker that is started again after each kill. */
export class Worker<T extends AnyTask = WorkerTask> {
  readonly task: T;
  /** How often it was killed from outside. */
  kills = 0;
  /** How often it was started again. */
  restarts = 0;
  readonly #script: string;
  #failures = 0;
  #process: Deno.ChildProcess;
  #isStopped = false;
  /** Killed, and not started again yet. */
  #isDying = false;
  #journalSize = 0;
  #ended: Promise<void>;

  /**
   * @param task what it does; a writer goes on behind its last acknowledged message
   * @param script what runs in the process
   */
  constructor(task: T, script = WORKER) {
    this.task = task;
    this.#script = script;
    this.#process = start(script, task);
    this.#ended = this.#watch();
  }

  /** Resolves when a writer has emitted everything, or when the worker was stopped. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Kills the process without warning; it is started again. Returns whether it was alive. */
  kill(): boolean {
    try {
      this.#process.kill("SIGKILL");
      this.kills++;
      this.#isDying = true;
      return true;
    } catch {
      // It ended by itself meanwhile.
      return false;
    }
  }

  /** Id of the process. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Lets the process stand still, with everything that it has locked. */
  suspend(): void {
    this.#process.kill("SIGSTOP");
  }

  /** Lets the process go on. */
  resume(): void {
    this.#process.kill("SIGCONT");
  }

  /** Whether the journal has grown since the process was started. */
  get hasProgressed(): boolean {
    return !this.#isDying && journalSize(this.task.journal) > this.#journalSize;
  }

  /** Ends the process for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
    await this.#ended;
  }

  async #watch(): Promise<void> {
    for (;;) {
      const { success, signal } = await this.#process.status;
      if (success || this.#isStopped) return;
      if (signal === null && ++this.#failures > FAILURES) {
        throw new Error(`A worker fails: ${this.task.journal}`);
      }
      this.#journalSize = journalSize(this.task.journal);
      this.restarts++;
      this.#process = start(this.#script, remaining(this.task));
      this.#isDying = false;
    }
  }
}

/** Judges the journals of a scenario with several writers and groups. */
export function judge(
  scenario: string,
  run: {
    readonly writers: readonly string[];
    readonly groups: readonly string[];
    readonly kills: number;
    readonly startedAt: number;
    readonly batch?: number;
    readonly isOrdered?: boolean;
    /** Messages that the broker still has for the groups. */
    readonly pending?: number;
  },
): FaultReport {
  const emitted = new Set(run.writers.flatMap((file) => entries(file, "i")));
  const acknowledged = new Set(run.writers.flatMap((file) => entries(file, "a")));
  const sums = { handledOnce: 0, lost: 0, phantom: 0, duplicates: 0, outOfOrder: 0 };
  for (const group of run.groups) {
    const handled = entries(group, "h");
    const distinct = new Set(handled);
    sums.handledOnce += distinct.size;
    sums.lost += [...acknowledged].filter((id) => !distinct.has(id)).length;
    sums.phantom += [...distinct].filter((id) => !emitted.has(id)).length;
    sums.duplicates += handled.length - distinct.size;
    sums.outOfOrder += countOutOfOrder([...distinct]);
  }
  const pending = Math.min(sums.lost, run.pending ?? 0);
  sums.lost -= pending;
  const faults: string[] = [];
  if (pending > 0) faults.push(`${pending} messages not handled, the broker has them still`);
  if (sums.lost > 0) faults.push(`${sums.lost} messages lost`);
  if (sums.phantom > 0) faults.push(`${sums.phantom} messages nobody emitted`);
  if (run.isOrdered !== false && sums.outOfOrder > 0) faults.push(`${sums.outOfOrder} messages out of order`);
  const allowed = run.kills * (run.batch ?? 64);
  if (sums.duplicates > allowed) faults.push(`${sums.duplicates} duplicates, at most ${allowed} promised`);
  const seconds = Math.round((Date.now() - run.startedAt) / 100) / 10;
  return {
    scenario,
    emitted: emitted.size,
    acknowledged: acknowledged.size,
    ...sums,
    ...run.pending === undefined ? {} : { pending },
    kills: run.kills,
    seconds,
    faults,
  };
}

/**
 * Adds what the databases of readers with an inbox tell: one row per effect.
 *
 * @param report what the journals showed
 * @param databases files of the databases
 */
export function withEffects(report: FaultReport, databases: readonly string[]): FaultReport {
  let duplicateEffects = 0;
  for (const file of databases) {
    const database = new DatabaseSync(file);
    const { rows, messages } = database
      .prepare("select count(*) as rows, count(distinct message) as messages from faults_Effects")
      .get() as { rows: number; messages: number };
    database.close();
    duplicateEffects += rows - messages;
  }
  const faults = duplicateEffects > 0 ? [`${duplicateEffects} messages had more than one effect`] : [];
  return { ...report, duplicateEffects, faults: [...report.faults, ...faults] };
}

/** Entries of a journal by their mark. */
export function entries(journal: string, mark: "i" | "a" | "h" | "p"): string[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(journal);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  // A line without its end was cut off by a kill: the step it tells of counts as not done.
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line.startsWith(`${mark} `))
    .map((line) => line.slice(2));
}

/** Waits until a condition holds; gives up after a time. */
export async function until(condition: () => boolean, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (condition()) return true;
    await pause(20);
  }
  return condition();
}

/**
 * Waits until every group has handled everything that was acknowledged.
 *
 * @param writers journals of the writers
 * @param groups journals of the groups
 * @param ms gives up when no other message was handled for so long
 */
export async function untilDrained(
  writers: readonly string[],
  groups: readonly string[],
  ms: number,
): Promise<void> {
  let least = Infinity;
  for (let end = Date.now() + ms; Date.now() < end;) {
    const count = countMissing(writers, groups);
    if (count === 0) return;
    if (count < least) end = Date.now() + ms;
    least = Math.min(least, count);
    await pause(COUNT_EVERY_MS);
  }
}

function countMissing(writers: readonly string[], groups: readonly string[]): number {
  const acknowledged = new Set(writers.flatMap((file) => entries(file, "a")));
  return groups.reduce((sum, group) => sum + acknowledged.difference(new Set(entries(group, "h"))).size, 0);
}

function journalSize(journal: string): number {
  try {
    return Deno.statSync(journal).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

function start(script: string, task: AnyTask): Deno.ChildProcess {
  const args = ["run", "-A", "--no-check", "--config", CONFIGURATION, script, JSON.stringify(task)];
  return new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "inherit" }).spawn();
}

function remaining<T extends AnyTask>(task: T): T {
  if (task.role === "reader") return task;
  const last = entries(task.journal, "a").at(-1);
  const next = last === undefined ? task.from ?? 0 : sequenceOf(last) + 1;
  const end = (task.from ?? 0) + (task.count ?? 0);
  return { ...task, from: next, count: Math.max(0, end - next) };
}

function countOutOfOrder(ids: readonly string[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const id of ids) {
    const writer = id.split(":", 1)[0];
    const sequence = sequenceOf(id);
    if (sequence < (last.get(writer) ?? -1)) count++;
    else last.set(writer, sequence);
  }
  return count;
}

function sequenceOf(id: string): number {
  return Number(id.split(":")[1]);
}

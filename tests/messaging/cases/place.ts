/**
 * Folders and processes of a messaging scenario.
 *
 * @module
 */

import assert from "node:assert/strict";
import { eventually } from "../../contract/channel.ts";
import { printedBy } from "../../deno/project.ts";
import { type RunningProcess, startProcess } from "../../deno/project_processes.ts";
import { boxLines, inFolder } from "../services.ts";
import { type CaseEntry, type CaseTask, runTask } from "./process.ts";

const SCRIPT = new URL("./process.ts", import.meta.url).pathname;

/** A process that receives. */
export interface Receiver {
  /** What it handled so far. */
  entries(): CaseEntry[];
  /** Waits until it has handled so many messages. */
  handled(count: number): Promise<CaseEntry[]>;
  readonly process: RunningProcess;
}

/** What belongs to a scenario. */
export interface Place {
  /** The folder of the scenario. */
  readonly folder: string;
  /** The message box. */
  readonly box: string;
  /** Runs an application that emits to its end; gives what it logged. */
  emit(task: Partial<CaseTask> & Pick<CaseTask, "emit">): Promise<string>;
  /** Starts a process that receives. */
  receive(task: Partial<CaseTask> & Pick<CaseTask, "receive">): Promise<Receiver>;
}

/** The configuration of a file channel. */
export function fileMessaging(box: string, options: Readonly<Record<string, unknown>> = {}) {
  return { messaging: { kind: "file-based-messaging", file: box, ...options } };
}

/** Runs a scenario in a folder of its own, and ends its processes. */
export async function withPlace(
  run: (place: Place) => Promise<void>,
  variables: (folder: string) => Record<string, string> = () => ({}),
): Promise<void> {
  await inFolder(async (folder) => {
    const processes: RunningProcess[] = [];
    const box = `${folder}/box`;
    const whole = (task: Partial<CaseTask>, name: string) => ({
      name,
      requires: fileMessaging(box),
      ...task,
    });
    const own = variables(folder);
    const start = (task: Partial<CaseTask>, name: string) => {
      const args = ["--no-check", SCRIPT, JSON.stringify(whole(task, name))];
      const process = startProcess({ args, variables: own, timeoutMs: 60_000 });
      processes.push(process);
      return process;
    };
    let journals = 0;
    const place: Place = {
      folder,
      box,
      emit: async (task) => {
        // only variables need another process: who receives is one
        const { code, output } = Object.keys(own).length > 0
          ? await start(task, "sender").ended
          : await printedBy(() => runTask(whole(task, "sender")));
        assert.equal(code, 0, output);
        return output;
      },
      receive: async (task) => {
        const journal = task.journal ?? `${folder}/journal-${++journals}`;
        const process = start({ ...task, journal }, "receiver");
        await process.waitFor(/^receiving$/m);
        const entries = () => wholeLines(journal).map((line) => JSON.parse(line) as CaseEntry);
        const handled = async (count: number) => {
          await eventually(() => entries().length >= count).catch((error) => {
            throw new Error(`${entries().length} of ${count} handled:\n${process.output()}`, {
              cause: error,
            });
          });
          return entries();
        };
        return { entries, handled, process };
      },
    };
    try {
      await run(place);
    } finally {
      for (const process of processes) await process.close();
    }
  });
}

/** The lines of a journal; the last one may still be on its way. */
function wholeLines(journal: string): string[] {
  try {
    return Deno.readTextFileSync(journal).split("\n").slice(0, -1);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Topic, data and headers of the lines of a box. */
export function boxMessages(
  box: string,
): { topic: string; data: unknown; headers: Record<string, unknown> }[] {
  return boxLines(box).map((line) => {
    const gap = line.indexOf(" ");
    return { topic: line.slice(0, gap), ...JSON.parse(line.slice(gap)) };
  });
}

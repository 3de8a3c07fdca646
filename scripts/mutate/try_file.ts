/**
 * Runs the tests of one file with a change on.
 *
 * @module
 */

import { type Lane, timeoutMsOf } from "./lane.ts";
import { type FileRun, MUTANT_VARIABLE, type RunFile } from "./messages.ts";
import { partReaching, type TestReach } from "./reach.ts";

/** How the tests of one file went with a change on; `unseen`: they passed without reaching it. */
export type FileOutcome = "noticed" | "timed out" | "passed" | "unseen" | "out of time";

/** Which change is tried, where, and when to end though nothing is known: without it, when all is known. */
export interface Trial {
  readonly id: number;
  readonly lane: Lane;
  readonly end?: number;
}

/**
 * Those tests of one file that reach a change, in a host that built without it what stays built. Where a failure stays when the
 * change is off again, a process of its own tells whose failure it is: that of this change, of one before, or of a file that does
 * not run twice.
 */
export async function tryFile(reach: TestReach, trial: Trial): Promise<FileOutcome> {
  const { id, lane, end = Infinity } = trial;
  if (reach.isApart) return await tryApart(reach, trial);
  const { tests, ms } = partReaching(reach, id);
  const leftMs = end - Date.now();
  const timeoutMs = Math.min(timeoutMsOf(ms), leftMs);
  if (leftMs <= 0) return "out of time";
  const without = { file: reach.test, mutant: 0, tests };
  if (!await passes(without, lane, timeoutMs)) return await tryApart(reach, trial);
  const host = await lane.open();
  const run = await host.run({ ...without, mutant: id }, timeoutMs);
  if (!run) {
    lane.renew();
    return leftMs <= timeoutMs ? "out of time" : "timed out";
  }
  if (run.failure === undefined) return reaches(run, id) ? "passed" : "unseen";
  const again = await host.run(without, timeoutMs);
  if (again && again.failure === undefined) return "noticed";
  lane.renew();
  return await tryApart(reach, trial);
}

function reaches({ hits, tests }: FileRun, id: number): boolean {
  return [{ hits }, ...tests].some((run) => run.hits.includes(id));
}

/** Whether tests of a file pass in a host without a change, in a new one where the host is spoiled. */
async function passes(without: Required<RunFile>, lane: Lane, timeoutMs: number): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const host = await lane.open();
    if (host.hasPassed(without.file, without.tests)) return true;
    const run = await host.run(without, timeoutMs);
    if (run && run.failure === undefined) return true;
    lane.renew();
  }
  return false;
}

/** One file in a host beside, which had the change on from its start. What fails there has to fail in a process of its own, too. */
export async function tryAnew(
  reach: TestReach,
  trial: Trial,
): Promise<Exclude<FileOutcome, "unseen">> {
  const { id, lane, end = Infinity } = trial;
  const leftMs = end - Date.now();
  if (leftMs <= 0) return "out of time";
  const host = await lane.aside.open();
  const timeoutMs = Math.min(timeoutMsOf(reach.ms), leftMs);
  const run = await host.run({ file: reach.test, mutant: id }, timeoutMs);
  if (run && run.failure === undefined) return "passed";
  lane.aside.renew();
  return await tryApart(reach, trial);
}

/** One file in a process of its own. */
async function tryApart(
  { test, ms }: TestReach,
  { id, lane, end = Infinity }: Trial,
): Promise<Exclude<FileOutcome, "unseen">> {
  const leftMs = end - Date.now();
  if (leftMs <= 0) return "out of time";
  const { code, timedOut } = await lane.box.runTests([test], {
    timeoutMs: Math.min(timeoutMsOf(ms), leftMs),
    env: { [MUTANT_VARIABLE]: String(id) },
  });
  if (timedOut) return leftMs <= timeoutMsOf(ms) ? "out of time" : "timed out";
  return code === 0 ? "passed" : "noticed";
}

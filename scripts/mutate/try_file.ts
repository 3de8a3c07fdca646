/**
 * Runs the tests of one file with a change on.
 *
 * @module
 */

import { type Lane, timeoutMsOf } from "./lane.ts";
import { MUTANT_VARIABLE } from "./messages.ts";
import type { TestReach } from "./reach.ts";

/** How the tests of one file went with a change on; `unseen`: they passed without reaching it. */
export type FileOutcome = "noticed" | "timed out" | "passed" | "unseen" | "out of time";

/** Which change is tried, where, and when to end though nothing is known: without it, when all is known. */
export interface Trial {
  readonly id: number;
  readonly lane: Lane;
  readonly end?: number;
}

/**
 * One file in a host that built without a change what stays built. Where a failure stays when the change is off again, a process of
 * its own tells whose failure it is: that of this change, of one before, or of a file that does not run twice.
 */
export async function tryFile(reach: TestReach, trial: Trial): Promise<FileOutcome> {
  const { test, ms, isApart } = reach;
  const { id, lane, end = Infinity } = trial;
  if (isApart) return await tryApart(reach, trial);
  const leftMs = end - Date.now();
  const timeoutMs = Math.min(timeoutMsOf(ms), leftMs);
  if (leftMs <= 0) return "out of time";
  if (!await passesWithout(test, lane, timeoutMs)) return await tryApart(reach, trial);
  const host = await lane.open();
  const run = await host.run({ file: test, mutant: id }, timeoutMs);
  if (!run) {
    lane.renew();
    return leftMs <= timeoutMs ? "out of time" : "timed out";
  }
  if (run.failure === undefined) return run.hits.includes(id) ? "passed" : "unseen";
  const again = await host.run({ file: test, mutant: 0 }, timeoutMs);
  if (again && again.failure === undefined) return "noticed";
  lane.renew();
  return await tryApart(reach, trial);
}

/** Whether a file passes in a host without a change, in a new one where the host is spoiled. */
async function passesWithout(test: string, lane: Lane, timeoutMs: number): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const host = await lane.open();
    if (host.passed.has(test)) return true;
    const run = await host.run({ file: test, mutant: 0 }, timeoutMs);
    if (run && run.failure === undefined) return true;
    lane.renew();
  }
  return false;
}

/** One file in a host that had the change on from its start. What fails there has to fail in a process of its own, too. */
export async function tryAnew(
  reach: TestReach,
  trial: Trial,
): Promise<Exclude<FileOutcome, "unseen">> {
  const { id, lane, end = Infinity } = trial;
  const leftMs = end - Date.now();
  if (leftMs <= 0) return "out of time";
  const host = await lane.open();
  const timeoutMs = Math.min(timeoutMsOf(reach.ms), leftMs);
  const run = await host.run({ file: reach.test, mutant: id }, timeoutMs);
  if (run && run.failure === undefined) return "passed";
  lane.renew();
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

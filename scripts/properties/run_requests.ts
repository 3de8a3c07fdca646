/**
 * The property of all requests, for a number of runs.
 *
 * @module
 */

import fc from "fast-check";
import type { Runtime } from "../../mod.ts";
import { randomRequests } from "./random_requests.ts";
import { type Tally, Verifier } from "./verify_request.ts";
import { vocabulariesOf } from "./vocabulary.ts";

/** How often, and from which seed. */
export interface RunOptions {
  readonly runs: number;
  readonly seed: number;
  /** Called after each ten thousand requests. */
  readonly onProgress?: (tally: Tally) => void;
}

const PER_REPORT = 10_000;

/**
 * Sends random requests: no 5xx but 501, no stack, SQL or path in an answer, no change by a rejected request.
 *
 * @param runtime the application, over SQLite; its data change and are restored at the end
 * @throws Error with seed and the smallest request found that breaks the property
 */
export async function runRequests(runtime: Runtime, { runs, seed, onProgress }: RunOptions): Promise<Tally> {
  await runtime.start();
  const verifier = new Verifier(runtime);
  const property = fc.asyncProperty(
    randomRequests(vocabulariesOf(runtime)),
    async (request) => {
      await verifier.verify(request);
      if (verifier.tally.requests % PER_REPORT === 0) onProgress?.(verifier.tally);
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
  await runtime.reset();
  return verifier.tally;
}

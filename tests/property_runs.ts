/**
 * How often property tests run.
 *
 * @module
 */

/** Parameters of `fc.assert`. */
export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed: number;
}

/**
 * A small share with a fixed seed; `deno task properties` sets other numbers in `FW_PROPERTY_RUNS` and
 * `FW_PROPERTY_SEED`.
 *
 * @param numRuns runs of a usual test
 * @param seed seed of a usual test
 */
export function propertyRuns(numRuns: number, seed: number): PropertyRuns {
  const runs = Number(Deno.env.get("FW_PROPERTY_RUNS") ?? 0);
  return { numRuns: Math.max(numRuns, runs), seed: Number(Deno.env.get("FW_PROPERTY_SEED") ?? seed) };
}

/**
 * What every conformance suite gives.
 *
 * @module
 */

/** The outcome of a suite. */
export interface SuiteResult {
  readonly suite: string;
  readonly passed: number;
  readonly total: number;
  /** Ids of the cases that fail. */
  readonly failed: readonly string[];
  /** Further lines to print before the total. */
  readonly notes?: readonly string[];
}

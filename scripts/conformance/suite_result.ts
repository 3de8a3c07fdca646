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
  /** Figures outside of the total. */
  readonly apart?: Readonly<Record<string, { readonly passed: number; readonly total: number }>>;
  /** Further lines to print before the total. */
  readonly notes?: readonly string[];
}

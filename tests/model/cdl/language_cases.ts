/**
 * The constructs of CDL with the CSN they stand for, written by hand from csn-cqn and checked one by one.
 *
 * @module
 */

import cases from "./language_cases.json" with { type: "json" };

/** A text and what a part of its model is. */
export interface LanguageCase {
  /** The part of the language. */
  readonly section: string;
  /** Whether the part is of the parsed or the inferred model. */
  readonly form: string;
  /** `definitions`, or the name of a definition with the members below it. */
  readonly at: string;
  readonly text: string;
  readonly csn: unknown;
}

/** All cases. */
export const LANGUAGE_CASES: readonly LanguageCase[] = cases;

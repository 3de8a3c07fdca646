/**
 * Errors of URLs: of text that the grammar does not allow, and of what goes beyond a limit.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { meantBy } from "./other_languages.ts";

/** What a syntax error tells. */
export interface SyntaxProblem {
  /** Characters before the problem in the raw URL. */
  readonly offset: number;
  /** The text found; empty at the end. */
  readonly found: string;
  /** What may stand there, in words. */
  readonly expected?: string;
  /** A known name near to what was found. */
  readonly nearest?: string;
}

const FOUND_MAX = 40;

/**
 * Creates the error for text that the grammar does not allow.
 *
 * @param problem where it is and what would be right
 * @returns a 400
 */
export function syntaxError(problem: SyntaxProblem): ServiceError {
  const { found, expected } = problem;
  const nearest = meantBy(found) ?? problem.nearest;
  const text = found === ""
    ? "the end"
    : `"${found.length > FOUND_MAX ? found.slice(0, FOUND_MAX) + "…" : found}"`;
  let message = `Syntax error at offset ${problem.offset}: found ${text}`;
  if (expected !== undefined) message += `, expected ${expected}`;
  if (nearest !== undefined) message += `; did you mean "${nearest}"?`;
  return new ServiceError({ status: 400, code: "400", message });
}

/**
 * Creates the error.
 *
 * @param what what is too much
 * @param limit the most that is allowed
 * @param offset where, in the raw URL
 * @returns a 400
 */
export function limitError(what: string, limit: number, offset: number): ServiceError {
  return new ServiceError({
    status: 400,
    code: "400",
    message: `${what} at offset ${offset}, the limit is ${limit}`,
  });
}

/**
 * Wrong words at the command line.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";

/** Words that a command does not take: told in one line, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * A word that is none of those expected.
 *
 * @param what of a kind: `command`
 * @param word what was found
 * @param known what is expected
 */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  const nearest = nearestName(word, known);
  const hint = nearest === undefined
    ? `: expected one of ${known.join(", ")}`
    : `; did you mean "${nearest}"?`;
  return new UsageError(`Unknown ${what} "${word}"${hint}`);
}

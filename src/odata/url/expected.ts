/**
 * What a parser expected, in words.
 *
 * @module
 */

import type { IParserErrorMessageProvider, TokenType } from "chevrotain";

const MOST = 6;

function label(type: TokenType): string {
  return type.LABEL ?? type.name;
}

function words(types: readonly TokenType[]): string {
  const labels = [...new Set(types.flatMap((type) => label(type).split(", ")))];
  // Where a literal and a name may stand, any operand may.
  if (labels.includes("a literal") && labels.includes("a name")) return "an operand";
  if (labels.length > MOST) labels.splice(MOST, Infinity, "…");
  return labels.length < 2 ? labels.join("") : `${labels.slice(0, -1).join(", ")} or ${labels.at(-1)}`;
}

/** Makes the message of an error out of labels: only what was expected; the rest is added by the caller. */
export const EXPECTED_MESSAGES: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => words([expected]),
  buildNotAllInputParsedMessage: () => "an operator or the end",
  buildNoViableAltMessage: ({ expectedPathsPerAlt }) =>
    words(expectedPathsPerAlt.flat().map((path) => path[0])),
  buildEarlyExitMessage: ({ expectedIterationPaths }) => words(expectedIterationPaths.map((path) => path[0])),
};

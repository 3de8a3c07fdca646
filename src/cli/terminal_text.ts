/**
 * What a person at the terminal reads about mistakes.
 *
 * @module
 */

import { terminalStyle } from "../deno/terminal_style.ts";
import { applicationFrames, callersFirst, splitStack, thrownAt } from "../util/caller_frames.ts";

/** Codes of colours for standard error. */
const COLOURS = { error: 31, warning: 33 } as const;

/**
 * A text that stands out on standard error, where that is a terminal.
 *
 * @param text one line
 * @param as what it is
 */
export function highlighted(text: string, as: keyof typeof COLOURS): string {
  return terminalStyle().colours ? `\x1b[${COLOURS[as]}m${text}\x1b[0m` : text;
}

/**
 * An error that nobody expected, with its place in the files of the user and its stack: their files first, and ours only where
 * `FW_STACK` asks for them.
 *
 * @param error what was thrown
 * @param isCause whether it is the cause of another one, which has the frames that matter
 */
export function shownError(error: unknown, isCause = false): string {
  if (!(error instanceof Error) || typeof error.stack !== "string") return String(error);
  const { head, frames } = splitStack(error.stack, error.message);
  const shown = terminalStyle().shortStacks ? applicationFrames(frames, isCause) : callersFirst(frames);
  const cause = error.cause === undefined ? [] : [`  caused by: ${shownError(error.cause, true)}`];
  const place = thrownAt(error);
  const at = place === undefined ? "" : `${place.file}:${place.line}:${place.column}: `;
  return [at + head, ...shown, ...cause].join("\n");
}

/**
 * Shows what is under way in a line of its own, which the next call replaces: for whoever watches a terminal.
 *
 * @param text what is done, and how much of it there is; without it the line is taken away
 */
export function showProgress(text = ""): void {
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
}

/** Writes all bytes to the standard output, which may take them in several pieces. */
export function writeBytes(bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) from += Deno.stdout.writeSync(bytes.subarray(from));
}

/**
 * What the cursors of the engines have in common: how many rows they give at a time, and when they give none.
 *
 * @module
 */

/** Rows of a group at most where they are objects. */
export const CURSOR_ROWS = 100;
/** Characters of JSON text that end a group where they are text. */
export const CURSOR_TEXT = 64 * 1024;

/** The error for reading on where the cursor was closed before its end: what was read is not all there is. */
export function cursorClosed(): Error {
  return new Error("The cursor was closed before its end");
}

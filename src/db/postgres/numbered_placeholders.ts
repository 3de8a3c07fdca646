/**
 * Placeholders of SQL text that handlers write.
 *
 * @module
 */

import { ASIDE } from "../plain_sql.ts";

/** Literals, quoted names and comments, which stay as they are; or a placeholder. */
const PARTS = new RegExp(String.raw`${ASIDE}|\?`, "g");

/**
 * Replaces `?` by `$1`, `$2`, …
 *
 * @param text SQL
 */
export function numberedPlaceholders(text: string): string {
  let count = 0;
  return text.replace(PARTS, (part) => part === "?" ? `$${++count}` : part);
}

/**
 * Mistakes with the lines they are in.
 *
 * @module
 */

import { readTextIfExists } from "../deno/read_text_if_exists.ts";
import type { ConfigurationError, ErrorPlace } from "../errors/configuration_error.ts";

/** Lines longer than this are shown in part: they were made by a machine. */
const LINE_LENGTH = 160;

/**
 * All mistakes of an error, each with its line and a caret below what is meant.
 *
 * @param error what was thrown
 */
export function describeMistakes(error: ConfigurationError): string {
  return [error, ...error.others].map((one) => describePlace(one.text, one)).join("\n");
}

/**
 * A message with its place, the line there, and a caret below what is meant.
 *
 * @param text the message
 * @param place where; without a file that can be read, only the message is given
 */
export function describePlace(text: string, { file, line, column }: ErrorPlace): string {
  const at = [file, line, column].filter((part) => part !== undefined).join(":");
  const message = at ? `${at}: ${text}` : text;
  if (file === undefined || line === undefined || column === undefined) return message;
  const source = readTextIfExists(file)?.split(/\r?\n/)[line - 1];
  if (source === undefined) return message;
  const start = column > LINE_LENGTH ? column - LINE_LENGTH / 2 : 0;
  const shown = source.slice(start, start + LINE_LENGTH);
  const before = shown.slice(0, column - 1 - start).replace(/[^\t]/g, " ");
  const [word] = /^(?:[\w$]+|!\[[^\]]*\]|'[^']*'|.)?/.exec(shown.slice(column - 1 - start)) ?? [""];
  const number = String(line);
  const margin = " ".repeat(number.length);
  return `${message}\n  ${number} | ${shown}\n  ${margin} | ${before}${"^".repeat(Math.max(word.length, 1))}`;
}

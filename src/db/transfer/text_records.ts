/**
 * Splitting text that comes piece by piece: whole lines, or whole records of CSV.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { separatorOf } from "../csv.ts";

/** Characters that one record, or one line, may have. */
const LONGEST = 64 * 1024 * 1024;

/** Some text of a file. */
export interface TextPart {
  readonly text: string;
  /** The line that it begins with. */
  readonly line: number;
}

/** Finds the end of the last whole record in a text; 0 where there is none. Called with more of the same text each time. */
type FindEnd = (text: string) => number;

/**
 * Whole lines.
 *
 * @param source pieces of text
 * @param file for messages
 * @throws ConfigurationError for a line that is too long
 */
export function textLines(source: AsyncIterable<string>, file: string): AsyncGenerator<TextPart> {
  return wholeParts(source, file, (text) => text.lastIndexOf("\n") + 1);
}

/**
 * Whole records of CSV: a line end between quotes belongs to a field.
 *
 * @param source pieces of text
 * @param file for messages
 * @throws ConfigurationError for a record that is too long
 */
export function csvParts(source: AsyncIterable<string>, file: string): AsyncGenerator<TextPart> {
  let separator: string | undefined;
  return wholeParts(source, file, (text) => {
    if (separator === undefined && text.includes("\n")) separator = separatorOf(text);
    return separator === undefined ? 0 : endOfRecords(text, separator);
  });
}

/** A quote opens a field only where it is the first thing in it, as `parseCsv` has it. */
function endOfRecords(text: string, separator: string): number {
  let end = 0;
  for (let index = 0; index < text.length;) {
    while (text[index] === " ") index++;
    if (text[index] === '"') {
      index = behindQuotes(text, index + 1);
      if (index < 0) return end;
    }
    while (index < text.length && text[index] !== separator && text[index] !== "\n") index++;
    if (text[index] === "\n") end = index + 1;
    index++;
  }
  return end;
}

/** The place behind the closing quote; -1 where it has not come yet, or might be doubled. */
function behindQuotes(text: string, start: number): number {
  for (let index = start;;) {
    const closing = text.indexOf('"', index);
    if (closing < 0 || closing + 1 === text.length) return -1;
    if (text[closing + 1] !== '"') return closing + 1;
    index = closing + 2;
  }
}

async function* wholeParts(
  source: AsyncIterable<string>,
  file: string,
  findEnd: FindEnd,
): AsyncGenerator<TextPart> {
  let rest = "";
  let line = 1;
  let isFirst = true;
  for await (const piece of source) {
    rest += isFirst ? piece.replace(/^\uFEFF/, "") : piece;
    isFirst = false;
    const end = findEnd(rest);
    if (end === 0) {
      if (rest.length > LONGEST) throw new ConfigurationError("A record is too long", { file, line });
      continue;
    }
    const text = rest.slice(0, end);
    yield { text, line };
    line += text.split("\n").length - 1;
    rest = rest.slice(end);
  }
  if (rest !== "") yield { text: rest, line };
}

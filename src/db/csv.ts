/**
 * CSV text (RFC 4180).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/** A record with the line it begins at. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Splits CSV text into records. The separator is a comma, or a semicolon if the first line has one and no comma. Fields
 * may be quoted, with doubled quotes inside; blank lines are skipped; a byte-order mark is ignored.
 *
 * @param text the text
 * @param file name for messages
 * @throws ConfigurationError with file and line for an open quote or text after a closing one
 */
export function parseCsv(text: string, file: string): readonly CsvRecord[] {
  const source = text.replace(/^\uFEFF/, "");
  const first = source.slice(0, Math.max(source.indexOf("\n"), 0) || undefined);
  const separator = first.includes(";") && !first.includes(",") ? ";" : ",";
  const records: CsvRecord[] = [];
  let [index, line] = [0, 1];
  while (index < source.length) {
    const start = line;
    const fields: string[] = [];
    for (let more = true; more;) {
      const field = readField(source, index, { separator, file, line });
      fields.push(field.value);
      index = field.end;
      line += field.lines;
      more = source[index] === separator;
      if (more) index++;
    }
    if (source.startsWith("\r\n", index)) index += 2;
    else index++;
    line++;
    if (fields.length > 1 || fields[0].trim() !== "") records.push({ line: start, fields });
  }
  return records;
}

interface FieldPlace {
  readonly separator: string;
  readonly file: string;
  readonly line: number;
}

function readField(
  text: string,
  start: number,
  place: FieldPlace,
): { value: string; end: number; lines: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== place.separator && text[end] !== "\n") end++;
    if (text[end] === "\n" && text[end - 1] === "\r" && end > start) end--;
    return { value: text.slice(start, end), end, lines: 0 };
  }
  let value = "";
  for (let i = start + 1;;) {
    const quote = text.indexOf('"', i);
    if (quote < 0) {
      throw new ConfigurationError("Expected a closing quote, but found the end of the file", place);
    }
    value += text.slice(i, quote);
    if (text[quote + 1] === '"') {
      value += '"';
      i = quote + 2;
      continue;
    }
    const end = quote + 1;
    if (end < text.length && ![place.separator, "\r", "\n"].includes(text[end])) {
      throw new ConfigurationError(
        `Expected ${place.separator} or a line end after the quote, but found ${text[end]}`,
        place,
      );
    }
    return { value, end, lines: value.split("\n").length - 1 };
  }
}

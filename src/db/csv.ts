/**
 * CSV text (RFC 4180).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { FlatElement } from "../model/linked.ts";

/** A record with the line it begins at. */
export interface CsvRecord {
  readonly line: number;
  /** Texts; null for a field that is the word `null` without quotes. */
  readonly fields: readonly (string | null)[];
}

/** Takes remarks about what is read other than it stands. */
export type CsvRemark = (text: string, line: number) => void;

/**
 * Splits CSV text into records. The separator is that of the first line: the first comma, semicolon or tab outside of
 * quotes. Fields may be quoted, with doubled quotes inside; spaces around fields that are not quoted, and around quotes,
 * do not count; blank lines are skipped; a byte-order mark is ignored.
 *
 * @param text the text
 * @param file name for messages
 * @param remark takes what is read other than RFC 4180 says
 * @throws ConfigurationError with file and line for an open quote or text after a closing one
 */
export function parseCsv(text: string, file: string, remark: CsvRemark = () => {}): readonly CsvRecord[] {
  const source = text.replace(/^\uFEFF/, "");
  return readRecords(source, { separator: separatorOf(source), file, line: 1, remark });
}

/** The separator of CSV text by its first line: the first comma, semicolon or tab outside of quotes. */
export function separatorOf(source: string): string {
  return /^(?:[ ]*\r?\n)*(?:"(?:[^"]|"")*"|[^,;\t\r\n"])*([,;\t])/.exec(source)?.[1] ?? ",";
}

/**
 * Splits CSV text, or a part of it that ends with a record, into records.
 *
 * @param source the text
 * @param place separator, file, and the line that the text begins with
 * @throws ConfigurationError with file and line for an open quote or text after a closing one
 */
export function readRecords(source: string, place: FieldPlace): readonly CsvRecord[] {
  const { separator } = place;
  const records: CsvRecord[] = [];
  let [index, line] = [0, place.line];
  while (index < source.length) {
    const start = line;
    const fields: (string | null)[] = [];
    for (let more = true; more;) {
      const field = readField(source, index, { ...place, line });
      fields.push(field.value);
      index = field.end;
      line += field.lines;
      more = source[index] === separator;
      if (more) index++;
    }
    if (source.startsWith("\r\n", index)) index += 2;
    else index++;
    line++;
    if (fields.length > 1 || fields[0] !== "") records.push({ line: start, fields });
  }
  return records;
}

/** Where fields stand, and how they are separated. */
export interface FieldPlace {
  readonly separator: string;
  readonly file: string;
  readonly line: number;
  readonly remark: CsvRemark;
}

function readField(
  text: string,
  start: number,
  place: FieldPlace,
): { value: string | null; end: number; lines: number } {
  const quote = quoteAt(text, start, place);
  if (quote === undefined) {
    let end = start;
    while (end < text.length && text[end] !== place.separator && text[end] !== "\n") end++;
    const given = text.slice(start, end);
    if (text[end] === "\n" && text[end - 1] === "\r" && end > start) end--;
    const value = given.trim();
    if (value !== given.replace(/\r$/, "")) place.remark("Spaces around fields are left out", place.line);
    return { value: value === "null" ? null : value, end, lines: 0 };
  }
  let value = "";
  for (let i = quote + 1;;) {
    const closing = text.indexOf('"', i);
    if (closing < 0) {
      throw new ConfigurationError("Expected a closing quote, but found the end of the file", place);
    }
    value += text.slice(i, closing);
    if (text[closing + 1] === '"') {
      value += '"';
      i = closing + 2;
      continue;
    }
    let end = closing + 1;
    while (text[end] === " " && place.separator !== " ") end++;
    if (end < text.length && ![place.separator, "\r", "\n"].includes(text[end])) {
      throw new ConfigurationError(
        `Expected ${place.separator} or a line end after the quote, but found ${text[end]}`,
        place,
      );
    }
    return { value, end, lines: value.split("\n").length - 1 };
  }
}

/** Where a quoted field begins, maybe behind spaces. */
function quoteAt(text: string, start: number, { remark, line }: FieldPlace): number | undefined {
  let index = start;
  while (text[index] === " ") index++;
  if (text[index] !== '"') return undefined;
  if (index > start) remark("Spaces around fields are left out", line);
  return index;
}

/** Where a value stands. */
interface TextPlace {
  readonly file: string;
  readonly line?: number;
  /** Takes columns with such texts, which are kept; without it they are refused. */
  readonly tooLong?: CsvRemark;
}

/**
 * Whether a value is a text of more characters than declared; a surrogate pair is one.
 *
 * @param value of an initial row
 * @param column its column
 */
export function isTooLong(value: unknown, { type: { builtin, length } }: FlatElement): boolean {
  const most = length ?? Infinity;
  return typeof value === "string" && builtin === "cds.String" && value.length > most &&
    [...value].length > most;
}

/**
 * Remarks or refuses a text that is too long.
 *
 * @throws ConfigurationError with file and line where nothing takes the remark
 */
export function checkLength(
  value: unknown,
  column: FlatElement,
  { file, line = 1, tooLong }: TextPlace,
): void {
  if (!isTooLong(value, column)) return;
  const problem =
    `"${column.name}" has a text longer than the ${column.type.length} characters of its declaration`;
  if (!tooLong) throw new ConfigurationError(problem, { file, line });
  tooLong(problem, line);
}

/**
 * Files with rows, read piece by piece and written line by line.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { type CsvRecord, readRecords, separatorOf } from "../csv.ts";
import { recordReader, rowOfJson } from "../initial_data.ts";
import { encodeBase64 } from "../../util/bytes.ts";

/** Formats of files with rows, by the endings of their names. */
export type RowFormat = "csv" | "jsonl";

/** A row, and where it stands. */
export interface PlacedRow {
  readonly row: Row;
  readonly line: number;
}

/** A file with rows. */
interface RowFile {
  readonly file: string;
  readonly format: RowFormat;
  readonly entity: LinkedEntity;
}

/**
 * Reads rows.
 *
 * @param source text of the file, piece by piece
 * @param file its name and format, and whose rows it has
 * @throws ConfigurationError with file and line for what is no row of the entity
 */
export async function* readRows(source: AsyncIterable<string>, file: RowFile): AsyncGenerator<PlacedRow> {
  if (file.format === "csv") yield* csvRows(source, file);
  else yield* jsonRows(source, file);
}

async function* csvRows(source: AsyncIterable<string>, { file, entity }: RowFile): AsyncGenerator<PlacedRow> {
  let separator: string | undefined;
  let read: ((record: CsvRecord) => Row | undefined) | undefined;
  const mistake = (what: string, line: number) => {
    throw new ConfigurationError(what, { file, line });
  };
  const place = { file, mistake, remark: () => {} };
  for await (const { text, line } of csvParts(source, file)) {
    separator ??= separatorOf(text);
    for (const record of readRecords(text, { separator, line, file, remark: () => {} })) {
      if (read === undefined) {
        read = recordReader(entity, record, place);
        continue;
      }
      const row = read(record);
      if (row) yield { row, line: record.line };
    }
  }
}

async function* jsonRows(
  source: AsyncIterable<string>,
  { file, entity }: RowFile,
): AsyncGenerator<PlacedRow> {
  for await (const part of textLines(source, file)) {
    const lines = part.text.split("\n");
    for (let index = 0; index < lines.length; index++) {
      const line = part.line + index;
      const text = lines[index].trim();
      if (text !== "") yield { row: jsonRow(text, { file, line, entity }), line };
    }
  }
}

function jsonRow(
  text: string,
  { file, line, entity }: { readonly file: string; readonly line: number; readonly entity: LinkedEntity },
): Row {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(`Expected a row in JSON: ${(cause as Error).message}`, { file, line }, {
      cause,
    });
  }
  if (!isPlainObject(given)) throw new ConfigurationError("Expected an object in JSON", { file, line });
  const mistake = (what: string) => {
    throw new ConfigurationError(what, { file, line });
  };
  try {
    return rowOfJson(entity, given, { file, line, mistake, remark: () => {} });
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.line !== undefined) throw error;
    throw new ConfigurationError(error.text, { file, line }, { cause: error });
  }
}

/** Characters that one record, or one line, may have. */
const LONGEST = 64 * 1024 * 1024;

/** Some text of a file. */
interface TextPart {
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
function textLines(source: AsyncIterable<string>, file: string): AsyncGenerator<TextPart> {
  return wholeParts(source, file, (text) => text.lastIndexOf("\n") + 1);
}

/**
 * Whole records of CSV: a line end between quotes belongs to a field.
 *
 * @param source pieces of text
 * @param file for messages
 * @throws ConfigurationError for a record that is too long
 */
function csvParts(source: AsyncIterable<string>, file: string): AsyncGenerator<TextPart> {
  let separator: string | undefined;
  return wholeParts(source, file, (text) => {
    // blank lines have no separators
    if (separator === undefined && text.trimStart().includes("\n")) separator = separatorOf(text);
    return separator === undefined ? 0 : endOfRecords(text, separator);
  });
}

/** A quote opens a field only where it is the first thing in it, as `parseCsv` has it. */
function endOfRecords(text: string, separator: string): number {
  let end = 0;
  for (let index = 0; index < text.length;) {
    while (text[index] === " ") index++;
    if (text[index] === '"') {
      const behind = behindQuotes(text, index + 1);
      if (behind === undefined) return end;
      index = behind;
    }
    while (index < text.length && text[index] !== separator && text[index] !== "\n") index++;
    if (text[index] === "\n") end = index + 1;
    index++;
  }
  return end;
}

/** The place behind the closing quote; undefined where it has not come yet, or might be doubled. */
function behindQuotes(text: string, start: number): number | undefined {
  for (let index = start;;) {
    const closing = text.indexOf('"', index);
    if (closing < 0 || closing + 1 === text.length) return undefined;
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

/** What a field of CSV needs quotes for: separators, quotes, line ends, spaces at its ends, and the word for null. */
const QUOTED = /[",;\t\r\n]|^ | $|^null$|^\uFEFF/;

/**
 * The text in front of all rows: CSV names its columns.
 *
 * @param columns their names
 */
export function headOf(columns: readonly string[], format: RowFormat): string {
  return format === "csv" ? `${columns.map(csvField).join(",")}\n` : "";
}

/**
 * The line of a row. An empty text and null are the same in CSV; JSON keeps them apart.
 *
 * @param row the row
 * @param columns names of its columns in order
 */
export function lineOf(row: Row, columns: readonly string[], format: RowFormat): string {
  if (format === "csv") return `${columns.map((name) => csvField(row[name])).join(",")}\n`;
  return `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, plain(row[name])])))}\n`;
}

function csvField(given: unknown): string {
  const value = plain(given);
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  return typeof value === "bigint" ? value.toString() : value;
}

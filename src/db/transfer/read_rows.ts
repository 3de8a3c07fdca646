/**
 * Rows of files that are read piece by piece.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { type CsvRecord, readRecords, separatorOf } from "../csv.ts";
import { recordReader, rowOfJson } from "../initial_data.ts";
import { csvParts, textLines } from "./text_records.ts";

/** Formats of files with rows, by the endings of their names. */
export type RowFormat = "csv" | "jsonl";

/** A row, and where it stands. */
export interface PlacedRow {
  readonly row: Row;
  readonly line: number;
}

/** A file with rows. */
export interface RowFile {
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
    return rowOfJson(entity, given, { file, mistake, remark: () => {} });
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.line !== undefined) throw error;
    throw new ConfigurationError(error.text, { file, line }, { cause: error });
  }
}

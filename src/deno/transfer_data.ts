/**
 * Rows of the database of a project in files.
 *
 * @module
 */

import { entityOfFile } from "../db/initial_data.ts";
import {
  allRows,
  type InsertOptions,
  insertRows,
  type RowSource,
  transferableColumns,
  transferableEntities,
} from "../db/transfer/transfer_rows.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LinkedEntity, LinkedModel } from "../model/linked.ts";
import type { Database } from "../service/database.ts";
import { nearestName } from "../util/nearest_name.ts";
import { withDatabase } from "./deploy_project.ts";
import { fileError } from "./text_files.ts";
import { headOf, lineOf, readRows, type RowFormat } from "../db/transfer/row_files.ts";

/** Which database of a project. */
export interface TransferTarget {
  /** Instead of the configured one. */
  readonly to?: string;
  /** Whose, with multitenancy. */
  readonly tenant?: string;
}

/** What is written where. */
export interface ExportOptions extends TransferTarget {
  /** Names of entities; default: all that have a table. */
  readonly entities?: readonly string[];
  /** Folder of the files. */
  readonly folder: string;
  readonly format: RowFormat;
  /** Is told of each file, and now and then of its rows. */
  readonly onProgress?: (file: string, rows: number, isDone: boolean) => void;
}

/**
 * Writes rows to files that are named like those of initial data: one for each entity.
 *
 * @param project root of the project
 * @param options what, and where
 * @throws ConfigurationError for an unknown entity
 */
export async function exportData(project: string, options: ExportOptions): Promise<void> {
  const { to, tenant, entities, folder, format } = options;
  await withDatabase(project, { to, tenant, mayMake: false }, async (database, { runtime }) => {
    const chosen = chosenEntities(runtime.deployedModel, entities);
    await Deno.mkdir(folder, { recursive: true });
    for (const entity of chosen) {
      const file = `${folder}/${entity.name.replace(/\.texts$/, "_texts").replaceAll(".", "-")}.${format}`;
      await writeFile(database, entity, { ...options, file });
    }
  });
}

async function writeFile(
  database: Database,
  entity: LinkedEntity,
  { file, format, onProgress }: ExportOptions & { readonly file: string },
): Promise<void> {
  const columns = transferableColumns(entity);
  const encoder = new TextEncoder();
  using output = await Deno.open(file, { write: true, create: true, truncate: true });
  const writer = output.writable.getWriter();
  await writer.write(encoder.encode(headOf(columns, format)));
  let count = 0;
  for await (const rows of allRows(database, entity)) {
    await writer.write(encoder.encode(rows.map((row) => lineOf(row, columns, format)).join("")));
    count += rows.length;
    onProgress?.(file, count, false);
  }
  await writer.close();
  onProgress?.(file, count, true);
}

function chosenEntities(model: LinkedModel, names: readonly string[] | undefined): readonly LinkedEntity[] {
  const all = transferableEntities(model);
  return names?.map((name) => {
    const found = all.find((entity) => entity.name === name);
    if (found) return found;
    const nearest = nearestName(name, all.map((entity) => entity.name));
    throw new ConfigurationError(
      `There is no table of an entity "${name}"${
        nearest === undefined ? "" : `; did you mean "${nearest}"?`
      }`,
    );
  }) ?? all;
}

/** How files are read into a database. */
export interface ImportOptions extends TransferTarget, Pick<InsertOptions, "upsert"> {
  /** Is told how many rows of a file were stored. */
  readonly onProgress?: (file: string, rows: number) => void;
}

/**
 * Stores the rows of files, whose names tell their entities: all of them, or none.
 *
 * @param project root of the project
 * @param files CSV (`.csv`) and JSON lines (`.jsonl`)
 * @param options which database, and what becomes of rows that are there
 * @returns the number of rows of each file
 * @throws ConfigurationError with file and line of the first row that cannot be stored
 */
export async function importData(
  project: string,
  files: readonly string[],
  { to, tenant, upsert, onProgress }: ImportOptions = {},
): Promise<readonly number[]> {
  return await withDatabase(project, { to, tenant, mayMake: false }, async (database, { runtime }) => {
    const sources = files.map((file) => sourceOf(runtime.deployedModel, file));
    return await insertRows(database, sources, {
      upsert,
      onProgress: (source, rows) => onProgress?.(source.file, rows),
    });
  });
}

function sourceOf(model: LinkedModel, file: string): RowSource {
  const format = /\.(csv|jsonl)$/.exec(file)?.[1] as RowFormat | undefined;
  if (format === undefined) {
    throw new ConfigurationError("Expected a file that ends with .csv or .jsonl", { file });
  }
  const entity = entityOfFile(model, file.replace(/\.jsonl$/, ".json"));
  if (entity === undefined || !transferableEntities(model).includes(entity)) {
    const names = transferableEntities(model).map(({ name }) => name.replaceAll(".", "-"));
    const nearest = nearestName(file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, ""), names);
    const hint = nearest === undefined ? "" : ` (did you mean "${nearest}.${format}"?)`;
    throw new ConfigurationError(`There is no table of an entity for this file${hint}`, { file });
  }
  return { entity, file, rows: () => readRows(textOf(file), { file, format, entity }) };
}

async function* textOf(file: string): AsyncGenerator<string> {
  let input: Deno.FsFile;
  try {
    input = await Deno.open(file);
  } catch (error) {
    throw fileError(error, file, "Cannot be read");
  }
  yield* input.readable.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }));
}

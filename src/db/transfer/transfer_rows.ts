/**
 * Rows out of a database, and into it.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Column, Row, SelectQuery } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import type { Database, DatabaseTransaction } from "../../service/database.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { runInternally } from "../fill_tables.ts";
import type { PlacedRow } from "./row_files.ts";

/** Rows that are inserted together. */
const BATCH = 500;
/** Types whose values are read as text, as JavaScript would round them. */
const EXACT: ReadonlySet<string | undefined> = new Set(["cds.Decimal", "cds.Int64", "cds.Integer64"]);

/** The entities with a table of their own, but for those of the framework. */
export function transferableEntities(model: LinkedModel): readonly LinkedEntity[] {
  return persistentEntities(model).filter((entity) =>
    viewQuery(entity) === undefined && !entity.name.startsWith("fw.")
  );
}

/** The columns that rows of an entity can be written with. */
export function transferableColumns(entity: LinkedEntity): readonly string[] {
  return [...entity.$flat.values()].filter(({ virtual, element }) => !virtual && element.value === undefined)
    .map(({ name }) => name);
}

/**
 * Reads all rows of an entity in the order of its keys, in one state of the data.
 *
 * @param database the database
 * @param entity the entity
 */
export async function* allRows(database: Database, entity: LinkedEntity): AsyncGenerator<readonly Row[]> {
  const transaction = database.begin(new EventContext({ user: User.privileged }));
  const cursor = await transaction.openCursor?.(queryOf(entity), {}, { asText: false });
  try {
    if (cursor === undefined) {
      yield await transaction.run(queryOf(entity)) as readonly Row[];
      return;
    }
    for (let rows = await cursor.next(); rows.length > 0; rows = await cursor.next()) {
      yield rows as readonly Row[];
    }
  } finally {
    // closes the cursor, too
    await transaction.rollback();
  }
}

function queryOf(entity: LinkedEntity): SelectQuery {
  const columns = transferableColumns(entity).map((name): Column => {
    const { type } = entity.$flat.get(name)!;
    return EXACT.has(type.builtin)
      ? { ref: [name], as: name, cast: { type: "cds.String" } }
      : { ref: [name] };
  });
  const keys = entity.$flatKeys.map(({ name }) => ({ ref: [name] }));
  return {
    SELECT: { from: { ref: [entity.name] }, columns, ...keys.length > 0 && { orderBy: keys } },
  };
}

/** Rows that go into a database. */
export interface RowSource {
  readonly entity: LinkedEntity;
  /** For messages. */
  readonly file: string;
  /** Begins to read the rows; called again, from their beginning. */
  readonly rows: () => AsyncIterable<PlacedRow>;
}

/** How rows go into a database. */
export interface InsertOptions {
  /** Whether rows that are there already are changed; otherwise they are a mistake. */
  readonly upsert?: boolean;
  /** Is told how many rows of a source were stored. */
  readonly onProgress?: (source: RowSource, rows: number) => void;
}

/**
 * Stores rows: all of them, or none.
 *
 * @param database the database
 * @param sources the rows
 * @param options what becomes of rows that are there
 * @returns the number of rows of each source
 * @throws ConfigurationError with file and line of the first row that is none, or that the database refuses
 */
export async function insertRows(
  database: Database,
  sources: readonly RowSource[],
  options: InsertOptions = {},
): Promise<readonly number[]> {
  const refused = { batch: -1 };
  const begin = () => database.begin(new EventContext({ user: User.privileged }));
  try {
    return await runInternally(begin, (tx) => insertAll(tx, sources, { ...options, refused }));
  } catch (error) {
    if (refused.batch < 0) throw error;
    // the database does not tell which row of a batch it refuses: the rows before are stored again, those of the batch alone
    return await runInternally(
      begin,
      (tx) =>
        insertAll(tx, sources, { upsert: options.upsert, refused: { batch: -1 }, singly: refused.batch }),
    );
  }
}

interface Inserting extends InsertOptions {
  /** Where the number of a batch that the database refuses is noted. */
  readonly refused: { batch: number };
  /** The number of the batch whose rows are inserted one by one. */
  readonly singly?: number;
}

async function insertAll(
  tx: DatabaseTransaction,
  sources: readonly RowSource[],
  options: Inserting,
): Promise<readonly number[]> {
  const counts: number[] = [];
  let number = 0;
  for (const source of sources) {
    let count = 0;
    for await (const batch of batches(source.rows())) {
      if (number === options.singly) {
        for (const placed of batch) await insertBatch(tx, source, { batch: [placed], options, number });
      } else await insertBatch(tx, source, { batch, options, number });
      number++;
      count += batch.length;
      options.onProgress?.(source, count);
    }
    counts.push(count);
  }
  return counts;
}

async function insertBatch(
  tx: DatabaseTransaction,
  { entity, file }: RowSource,
  { batch, options, number }: {
    readonly batch: readonly PlacedRow[];
    readonly options: Inserting;
    readonly number: number;
  },
): Promise<void> {
  const body = { into: { ref: [entity.name] as [string] }, entries: batch.map(({ row }) => row) };
  try {
    await tx.run(options.upsert ? { UPSERT: body } : { INSERT: body });
  } catch (error) {
    if (options.singly !== number) options.refused.batch = number;
    const { message, code, target } = error as { message?: string; code?: string; target?: string };
    const reason = [message || code, target].filter((part) => part !== undefined && part !== "").join(", ");
    throw new ConfigurationError(`The row cannot be stored in "${entity.name}": ${reason}`, {
      file,
      line: batch[0]!.line,
    }, { cause: error });
  }
}

async function* batches(rows: AsyncIterable<PlacedRow>): AsyncGenerator<readonly PlacedRow[]> {
  let batch: PlacedRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

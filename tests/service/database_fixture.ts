/**
 * The small service on a database.
 *
 * @module
 */

import type { Row } from "../../src/cqn/cqn.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { DatabaseService } from "../../src/service/database_service.ts";
import { createHost, createService, type TestHost } from "./fixture.ts";

/** A host with a database, and the small service on it. */
export interface Shop {
  readonly host: TestHost;
  readonly db: DatabaseService;
  readonly service: ApplicationService;
  /** The stock of a book as the database has it, seen from outside of any transaction. */
  stockOf(book: number): Promise<unknown>;
}

/**
 * Runs a test with two books, 201 and 202, of which 10 each are in stock.
 *
 * @param run the test
 * @param register handlers of the service
 */
export async function withShop(
  run: (shop: Shop) => Promise<void>,
  register?: (service: ApplicationService, db: DatabaseService) => void,
): Promise<void> {
  const host = createHost();
  const database = createSqliteDatabase({ model: host.model, options: {} });
  const rows: Row[] = [201, 202].map((ID) => ({ ID, title: `Book ${ID}`, stock: 10, author_ID: 1 }));
  await database.deploy(new Map([["shop.Books", rows], ["shop.Authors", [{ ID: 1, name: "Jane" }]]]));
  const db = new DatabaseService({ name: "db", host, database: () => database, opened: () => database });
  host.db = db;
  const service = createService((srv) => register?.(srv, db), host);
  const stockOf = async (book: number) => {
    const row = await db.read("shop.Books", book) as unknown as Row | null;
    return row?.stock;
  };
  try {
    await run({ host, db, service, stockOf });
  } finally {
    await database.close();
  }
}

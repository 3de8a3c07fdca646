/**
 * The small service on a database.
 *
 * @module
 */

import type { Row } from "../../src/cqn/cqn.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import type { Database } from "../../src/service/database.ts";
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
  const database = writingJson(await createMemoryDatabase({ model: host.model, options: {} }));
  const rows: Row[] = [201, 202].map((ID) => ({ ID, title: `Book ${ID}`, stock: 10, author_ID: 1 }));
  await database.deploy(new Map([["shop.Books", rows], ["shop.Authors", [{ ID: 1, name: "Jane" }]]]));
  const db = new DatabaseService({ name: "db", host, database: () => database });
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

/** The engine with the optional `readJson`, which engines that write JSON themselves have. */
function writingJson(engine: Database): Database {
  return {
    kind: engine.kind,
    begin(context) {
      const transaction = engine.begin(context);
      return {
        run: (query, params) => transaction.run(query, params),
        async readJson(query, params) {
          const rows = await transaction.run(query, params) as Row[];
          return { json: JSON.stringify(rows), rows: rows.length };
        },
        commit: () => transaction.commit(),
        rollback: () => transaction.rollback(),
      };
    },
    deploy: (data) => engine.deploy(data),
    reset: (data) => engine.reset(data),
    close: () => engine.close(),
  };
}

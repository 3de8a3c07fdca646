/**
 * A shop for the time of one test.
 *
 * @module
 */

import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { openShop, type Shop, type ShopOptions } from "./fixture_host.ts";

/** Headers of an answer with JSON. */
export const JSON_HEADERS = { "content-type": "application/json", "odata-version": "4.0" };

/** Headers of an error in English. */
export const ERROR_HEADERS = { "content-language": "en", ...JSON_HEADERS };

/** Runs a test on a shop with SQLite in memory, unless the options name another engine. */
export async function withShop(
  run: (shop: Shop) => Promise<void>,
  options: ShopOptions = {},
): Promise<void> {
  const shop = await openShop({ database: createSqliteDatabase, ...options });
  try {
    await run(shop);
  } finally {
    await shop.close();
  }
}

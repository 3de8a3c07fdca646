/**
 * Where the shop of the fault tests keeps its rows, and what can be asked of it beside its servers.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";

/** A server of PostgreSQL. */
export interface PostgresPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Where tables are, unless there are tenants. */
  readonly schema?: string;
}

/** A row of a result. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** The database of a shop, or those of its tenants. */
export interface ShopDatabase {
  /** `requires.db` of its servers. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Removes what earlier runs have left, or this one. */
  clean(): Promise<void>;
  /** Rows of a table in all databases. */
  rows(text: (table: (name: string) => string) => string): Promise<readonly ResultRow[]>;
}

/** What is particular to a database on PostgreSQL. */
export interface PostgresShopOptions {
  readonly place: PostgresPlace;
  readonly tenants?: readonly string[];
  /** Port at which servers reach it, if it is another one. */
  readonly through?: number;
  /** Below `requires.db`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Where tables are, unless a place says so. */
export const SHOP_SCHEMA = "fw_faults_shop";

/** Schemas on PostgreSQL. */
export function postgresShop({ place, tenants, through, settings }: PostgresShopOptions): ShopDatabase {
  const { host, port, user, database, schema = SHOP_SCHEMA } = place;
  const schemas = tenants?.map((tenant) => `${schema}_${tenant}`) ?? [schema];
  const credentials = { host, port: through ?? port, user, database, schema };
  return {
    settings: { kind: "postgres", credentials, ...settings },
    async clean() {
      for (const schema of schemas) await querySql(place, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    },
    async rows(text) {
      const found: (readonly ResultRow[])[] = [];
      for (const schema of schemas) {
        found.push(await querySql(place, text((name) => `"${schema}"."${name}"`)));
      }
      return found.flat();
    },
  };
}

/**
 * A file of SQLite.
 *
 * @param url the file
 */
export function sqliteShop(url: string): ShopDatabase {
  return {
    settings: { kind: "sqlite", credentials: { url } },
    clean: () => Promise.resolve(),
    rows(text) {
      const database = new DatabaseSync(url);
      try {
        return Promise.resolve(database.prepare(text((name) => name)).all() as ResultRow[]);
      } finally {
        database.close();
      }
    },
  };
}

/** Runs SQL text on a server. */
export async function querySql(
  { host, port, user, database }: PostgresPlace,
  text: string,
): Promise<readonly ResultRow[]> {
  const sql = postgres({ host, port, user, database, max: 1, onnotice: () => {} });
  try {
    return [...await sql.unsafe(text)];
  } finally {
    await sql.end();
  }
}

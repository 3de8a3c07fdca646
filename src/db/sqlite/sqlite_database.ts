/**
 * SQLite as database: in memory or a file in WAL mode.
 *
 * In memory there is one connection: a transaction that has written keeps the others waiting, so that none sees what is
 * not committed. A file has one connection for writing and one for reading, which never waits.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { Database, DatabaseOptions } from "../../service/database.ts";
import { persistentEntities, renderDdl } from "../ddl/render_ddl.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../view_query.ts";
import { WriteLock } from "../write_lock.ts";
import { SqliteConnection } from "./connection.ts";
import { type SqliteHost, SqliteTransaction } from "./sqlite_transaction.ts";

const LOCK_TIMEOUT_MS = 15_000;

/**
 * Opens a SQLite database.
 *
 * @param options the model, and `credentials.url`: the path of a file, or `:memory:` (default); each
 *   tenant has a file of its own beside it
 */
export function createSqliteDatabase(options: DatabaseOptions): Database {
  return new SqliteDatabase(options);
}

class SqliteDatabase implements Database {
  readonly kind = "sqlite";
  readonly #model: LinkedModel;
  readonly #file: string;
  readonly #lock: WriteLock = new WriteLock(LOCK_TIMEOUT_MS);
  readonly #writer: SqliteConnection;
  readonly #host: SqliteHost;
  #reader: SqliteConnection | undefined;

  constructor({ model, options, tenant }: DatabaseOptions) {
    this.#model = model;
    this.#file = fileOfTenant(fileOf(options), tenant);
    this.#writer = new SqliteConnection({ file: this.#file, timeoutMs: LOCK_TIMEOUT_MS });
    this.#host = {
      model,
      compiled: new WeakMap(),
      reader: () => this.#readConnection(),
      acquireWriter: async () => {
        await this.#lock.acquire();
        return this.#writer;
      },
      releaseWriter: () => this.#lock.release(),
    };
  }

  begin(context: EventContext): SqliteTransaction {
    return new SqliteTransaction(this.#host, context);
  }

  async deploy(data: ReadonlyMap<string, readonly Row[]> = new Map()): Promise<void> {
    await this.#internally(async (tx) => {
      const existing = await this.#existing(tx);
      for (const statement of renderDdl(this.#model)) {
        const [, kind, name] = /^CREATE (TABLE|VIEW) "((?:[^"]|"")+)"/.exec(statement)!;
        if (existing.get(name.toLowerCase()) === "view") await tx.change(`DROP VIEW ${quote(name)}`, []);
        else if (existing.has(name.toLowerCase()) && kind === "TABLE") continue;
        await tx.change(statement, []);
      }
      await this.#fill(tx, data);
    });
  }

  async reset(data: ReadonlyMap<string, readonly Row[]> = new Map()): Promise<void> {
    await this.#internally(async (tx) => {
      for (const entity of persistentEntities(this.#model)) {
        if (!viewQuery(entity)) await tx.change(`DELETE FROM ${quote(sqlName(entity))}`, []);
      }
      await this.#fill(tx, data);
    });
  }

  close(): Promise<void> {
    this.#reader?.close();
    this.#writer.close();
    return Promise.resolve();
  }

  #readConnection(): SqliteConnection | Promise<SqliteConnection> {
    if (this.#file === ":memory:") {
      return this.#lock.isHeld ? this.#lock.free().then(() => this.#writer) : this.#writer;
    }
    return this.#reader ??= new SqliteConnection({
      file: this.#file,
      readOnly: true,
      timeoutMs: LOCK_TIMEOUT_MS,
    });
  }

  async #existing(tx: SqliteTransaction): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.sql("SELECT lower(name) AS name, type FROM sqlite_master") as readonly Row[];
    return new Map(rows.map((row) => [String(row.name), String(row.type)]));
  }

  /** Only tables without rows get initial data. */
  async #fill(tx: SqliteTransaction, data: ReadonlyMap<string, readonly Row[]>): Promise<void> {
    for (const [name, entries] of data) {
      const entity = this.#model.entity(name);
      if (!entity || entries.length === 0) continue;
      const [row] = await tx.sql(`SELECT 1 FROM ${quote(sqlName(entity))} LIMIT 1`) as readonly Row[];
      if (!row) await tx.run({ INSERT: { into: name, entries } });
    }
  }

  async #internally(run: (tx: SqliteTransaction) => Promise<void>): Promise<void> {
    const tx = this.begin(new EventContext({ user: User.anonymous }));
    try {
      await run(tx);
      await tx.commit();
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }
}

function fileOf(options: Readonly<Record<string, unknown>>): string {
  const { credentials, url } = options as {
    credentials?: { url?: unknown; database?: unknown };
    url?: unknown;
  };
  const given = credentials?.url ?? credentials?.database ?? url;
  return typeof given === "string" && given !== ""
    ? given.replace(/^sqlite:|^file:(?:\/\/)?/, "")
    : ":memory:";
}

/** `shop.sqlite` becomes `shop-t1.sqlite`; what may not stand in a file name, or differs by case only, is escaped. */
function fileOfTenant(file: string, tenant: string | undefined): string {
  if (tenant === undefined || file === ":memory:") return file;
  const name = tenant.replace(/[^a-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`);
  return file.replace(/(\.[^./\\]*)?$/, (ending) => `-${name}${ending}`);
}

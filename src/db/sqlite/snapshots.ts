/**
 * Connections for reading a database file.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { SqliteConnection } from "./connection.ts";

const KEPT = 8;
const LIMIT = 500;

const BEGIN = { sql: "BEGIN" };
const COMMIT = { sql: "COMMIT" };

/** Connections that read one state of the file each: what is committed later is not seen. */
export class Snapshots {
  readonly #open: () => SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  readonly #used: Set<SqliteConnection> = new Set();

  /**
   * @param file path of the database
   * @param timeoutMs how long a connection waits for others
   */
  constructor(file: string, timeoutMs: number) {
    this.#open = () => new SqliteConnection({ file, timeoutMs, readOnly: true });
  }

  /**
   * A connection that sees the state at its first read.
   *
   * @throws ServiceError 503 when too many are in use
   */
  take(): SqliteConnection {
    if (this.#used.size >= LIMIT) throw new ServiceError({ status: 503, message: "The database is busy" });
    const connection = this.#idle.pop() ?? this.#open();
    connection.change(BEGIN, []);
    this.#used.add(connection);
    return connection;
  }

  /** Gives a connection back. */
  give(connection: SqliteConnection): void {
    if (!this.#used.delete(connection)) return;
    connection.change(COMMIT, []);
    if (this.#idle.length < KEPT) this.#idle.push(connection);
    else connection.close();
  }

  /** Closes all connections. */
  close(): void {
    for (const connection of [...this.#idle, ...this.#used]) connection.close();
    this.#idle.length = 0;
    this.#used.clear();
  }
}

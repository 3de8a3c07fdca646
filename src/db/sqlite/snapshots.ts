/**
 * Connections for reading a database file.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { ConnectionOptions, SqliteConnection } from "./connection.ts";
import { openConnection } from "./watched_connection.ts";

const KEPT = 8;
const LIMIT = 500;

const BEGIN = { sql: "BEGIN" };
const COMMIT = { sql: "COMMIT" };

/** Connections that read one state of the file each: what is committed later is not seen. */
export class Snapshots {
  readonly #open: () => SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  /** How many use each. */
  readonly #used: Map<SqliteConnection, number> = new Map();

  /**
   * @param options how a connection is opened
   */
  constructor(options: ConnectionOptions) {
    this.#open = () => openConnection({ ...options, readOnly: true });
  }

  /**
   * A connection that sees the state at its first read.
   *
   * @throws ServiceError 503 when too many are in use
   */
  take(): SqliteConnection {
    if (this.#used.size >= LIMIT) throw new ServiceError({ status: 503, message: "The database is busy" });
    const connection = this.#idle.pop() ?? this.#open();
    connection.execute(BEGIN, []);
    this.#used.set(connection, 1);
    return connection;
  }

  /** Somebody else reads the same state: the connection is in use until both have given it back. */
  share(connection: SqliteConnection): void {
    this.#used.set(connection, this.#used.get(connection)! + 1);
  }

  /** Gives a connection back. */
  give(connection: SqliteConnection): void {
    const users = this.#used.get(connection);
    if (users === undefined) return;
    if (users > 1) return void this.#used.set(connection, users - 1);
    this.#used.delete(connection);
    connection.execute(COMMIT, []);
    if (this.#idle.length < KEPT) this.#idle.push(connection);
    else connection.close();
  }

  /** Closes all connections. */
  close(): void {
    for (const connection of [...this.#idle, ...this.#used.keys()]) connection.close();
    this.#idle.length = 0;
    this.#used.clear();
  }
}

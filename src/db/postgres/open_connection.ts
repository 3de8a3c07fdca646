/**
 * An open connection to PostgreSQL.
 *
 * @module
 */

import { Socket } from "node:net";
import pg from "pg";
import { isServiceError } from "../../errors/service_error.ts";
import type { ConnectionOptions } from "./connection_options.ts";
import { type BoundStatement, type Done, type KnownShapes, StatementQuery } from "./statement_query.ts";

/** Placeholders of a statement: their number is sent in two bytes. */
const MOST_VALUES = 65_535;
/** SQLSTATE of errors with which the server ends a connection. */
const ENDS = /^(?:57P0[1-5]|25P0[34])$/;
/** What the driver says of a server that cannot encrypt. */
const PLAIN_SERVER = /does not support SSL/;

/** What poolers say that keep no sessions. */
const POOLER = /unsupported startup parameter/;

/** There is no connection: it could not be made, was refused by the server, or has broken. */
export class ConnectionError extends Error {
  /** The code of the error of the system or the server, or `CONNECTION_CLOSED`. */
  readonly code: string;

  /** @param cause what the driver says */
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = (cause as { code?: string } | undefined)?.code ?? "CONNECTION_CLOSED";
  }
}

/** Once it has broken all statements on it fail. */
export class OpenConnection {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #known: KnownShapes = new Map();
  #hasEnded = false;

  private constructor(client: pg.Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    const ended = () => this.#hasEnded = true;
    client.on("error", ended).on("end", ended);
  }

  /** Whether it has ended, whoever ended it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether a statement of this name was prepared on it. */
  hasPrepared(name: string): boolean {
    return this.#known.has(name);
  }

  /** From now on it may be that a statement is not prepared. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /**
   * Connects.
   *
   * @param options where to
   * @throws ConnectionError
   */
  static async open({ config, mayBePlain }: ConnectionOptions): Promise<OpenConnection> {
    const socket = new Socket();
    // statements are sent without waiting for results, which the types of the driver do not know
    const client = new pg.Client({ ...config, pipeline: true, stream: () => socket } as pg.ClientConfig);
    const connection = new OpenConnection(client, socket);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      // the driver leaves it open where a login fails on this side
      socket.destroy();
      if (POOLER.test((error as Error).message)) throw new ConnectionError(behindPooler(error as Error));
      if (!mayBePlain || !PLAIN_SERVER.test((error as Error).message)) throw new ConnectionError(error);
      return await OpenConnection.open({ config: { ...config, ssl: false }, mayBePlain: false });
    }
  }

  /**
   * Runs a statement, behind those that were sent before.
   *
   * @param statement the statement
   * @param done is called in the end
   */
  send(statement: BoundStatement, done: Done): void {
    const count = statement.values.length;
    if (count > MOST_VALUES) {
      return done(new RangeError(`A statement has ${count} values; ${MOST_VALUES} are possible`));
    }
    this.#client.query(
      new StatementQuery(statement, this.#known, (error, result) => {
        done(error && this.#errorOf(error), result);
      }),
    );
  }

  /** What the server does not say itself, or says last, comes of a connection that is closed or about to be. */
  #errorOf(error: unknown): unknown {
    // an answer without room for its rows is ours
    if (isServiceError(error)) return error;
    if (!(error instanceof pg.DatabaseError)) return new ConnectionError(error);
    // nothing is sent any more, though the driver learns of the end only later
    if (ENDS.test(String((error as { code?: unknown }).code))) this.#hasEnded = true;
    return this.#hasEnded ? new ConnectionError(error) : error;
  }

  /**
   * Closes it when the statements that were sent have ended, or after some time, whatever goes on.
   *
   * @param ms how long they may take, in milliseconds
   */
  async close(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), ms);
    await this.#client.end();
    clearTimeout(timer);
  }
}

function behindPooler(cause: Error): Error {
  const hint = 'behind a pooler of transactions "fw.requires.db.pooler" must be true';
  return new Error(`${cause.message}: ${hint}`, { cause });
}

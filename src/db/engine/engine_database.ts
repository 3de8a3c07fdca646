/**
 * The database of all engines.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Row } from "../../cqn/cqn.ts";
import type {
  ClaimRequest,
  Database,
  DeployOptions,
  DeployReport,
  EngineState,
  PastDeployment,
} from "../../service/database.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { HISTORY_QUERY, pastDeployments } from "../evolution/deployment_history.ts";
import { refillTables, runInternally } from "../fill_tables.ts";
import { claimRows } from "../queue/claim_rows.ts";
import type { Compiled, Driver, Engine } from "./driver.ts";
import { EngineTransaction } from "./engine_transaction.ts";

/** Initial rows by entity name. */
type InitialRows = ReadonlyMap<string, readonly Row[]>;

/** How a database is made of an engine. */
export interface EngineDescription<S extends Compiled, D extends Driver<S>>
  extends Engine<S, D>, Pick<Database, "kind" | "needsNoContext" | "isVolatile" | "decimalDigits"> {
  /**
   * Brings tables and views to what the model says, and fills tables that are empty.
   *
   * @param inTransaction runs something as nobody in particular in a transaction of its own
   */
  readonly deploy: (
    inTransaction: InTransaction<S, D>,
    data: InitialRows | undefined,
    options: DeployOptions | undefined,
  ) => Promise<DeployReport>;
  /** Removes all there is; connections are closed afterwards, where it needs some. */
  readonly drop?: (inTransaction: InTransaction<S, D>) => Promise<void>;
  /** What is to be known of its servers. */
  readonly state?: () => Promise<Omit<EngineState, "templates">>;
  /** Closes all connections. */
  readonly close?: () => MaybePromise<void>;
}

/** Runs something as nobody in particular in a transaction of its own. */
export type InTransaction<S extends Compiled, D extends Driver<S>> = <T>(
  run: (tx: EngineTransaction<S, D>) => Promise<T>,
) => Promise<T>;

/** Begins transactions, deploys, claims queued work. */
export class EngineDatabase<S extends Compiled, D extends Driver<S>> implements Database {
  readonly kind: string;
  readonly needsNoContext: true | undefined;
  readonly isVolatile: boolean | undefined;
  readonly decimalDigits: number | undefined;
  readonly claim?: (request: ClaimRequest) => Promise<readonly Row[]>;
  readonly drop?: () => Promise<void>;
  readonly #engine: EngineDescription<S, D>;

  /** @param engine what is special about it */
  constructor(engine: EngineDescription<S, D>) {
    this.#engine = engine;
    this.kind = engine.kind;
    this.needsNoContext = engine.needsNoContext;
    this.isVolatile = engine.isVolatile;
    this.decimalDigits = engine.decimalDigits;
    const { turn, drop } = engine;
    if (drop) {
      this.drop = () => drop(this.#inTransaction).finally(() => this.close());
    }
    if (!turn) return;
    // what a worker leases in a partition decides what is free for the next one
    this.claim = (request) =>
      this.#inTransaction(async (tx) => {
        await tx.turn(`claim ${request.entity}`);
        return await claimRows(tx, request);
      });
  }

  begin(context: EventContext): EngineTransaction<S, D> {
    return new EngineTransaction(this.#engine, context);
  }

  deploy(data?: InitialRows, options?: DeployOptions): Promise<DeployReport> {
    return this.#engine.deploy(this.#inTransaction, data, options);
  }

  async deployments(): Promise<readonly PastDeployment[]> {
    try {
      return pastDeployments(await this.#inTransaction((tx) => tx.sql(HISTORY_QUERY)) as readonly Row[]);
    } catch (error) {
      const { message = "", cause } = error as Error;
      // a database that nothing was deployed to has no history
      if (/no such table|does not exist/.test(`${message} ${(cause as Error | undefined)?.message ?? ""}`)) {
        return [];
      }
      throw error;
    }
  }

  /** Who writes meanwhile may hold rows of one table and wait for those of another: whom the database sends away begins anew. */
  async reset(data: InitialRows = new Map()): Promise<void> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#inTransaction((tx) => refillTables(tx, data));
      } catch (error) {
        if (attempt === RESET_ATTEMPTS || !isConflict(error)) throw error;
      }
    }
  }

  async state(): Promise<EngineState> {
    const { queries, state } = this.#engine;
    return { templates: queries.compiled.templates.size, ...await state?.() };
  }

  async close(): Promise<void> {
    await this.#engine.close?.();
  }

  readonly #inTransaction: InTransaction<S, D> = (run) =>
    runInternally(() => this.begin(new EventContext({ user: User.anonymous })), run);
}

const RESET_ATTEMPTS = 5;

/** Whether others were in the way, behind whatever error. */
function isConflict(error: unknown): boolean {
  return isServiceError(error) ? error.status === 409 : error instanceof Error && isConflict(error.cause);
}

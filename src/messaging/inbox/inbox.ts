/**
 * The inbox (`messaging` 6.7): what was handled once is not handled again.
 *
 * @module
 */

import { currentContext } from "../../context/store.ts";
import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import { runInTransaction, transactionOf } from "../../service/transactions/transaction.ts";
import type { Message } from "../channel.ts";
import { MESSAGE_ID } from "../message_headers.ts";
import { INBOX_MESSAGES } from "../outbox/queue_model.ts";
import { equalities } from "../../cqn/conjunction.ts";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const CLEANING_MS = 60 * 60 * 1000;
const ID_LENGTH = 255;
const SOURCE_LENGTH = 1024;

/** What a message is known by. */
export interface MessageIdentity {
  /** Where ids are unique. */
  readonly source: string;
  /** Id of the message. */
  readonly id: string;
}

/** A message that another consumer handled meanwhile: what this one did is undone. */
export class DuplicateMessage extends Error {
  /** Names no message: it is for the inside only. */
  constructor() {
    super("The message was handled already");
  }
}

/** Remembers for seven days which messages a consumer group has handled. */
export class Inbox {
  readonly #db: DatabaseService;
  readonly #group: string;
  readonly #cleaned: Map<string | undefined, number> = new Map();

  /**
   * Reads nothing yet.
   *
   * @param db where handled messages are recorded
   * @param group the consumer group
   */
  constructor(db: DatabaseService, group: string) {
    this.#db = db;
    this.#group = group;
  }

  /**
   * Whether a message was handled, as the current transaction sees it.
   *
   * @param identity of the message
   */
  async has(identity: MessageIdentity): Promise<boolean> {
    const where = equalities({ ...identity, group: this.#group });
    const columns = [{ ref: ["status"] }];
    return await this.#run({ SELECT: { from: { ref: [INBOX_MESSAGES] }, columns, where, one: true } }) !==
      null;
  }

  /**
   * Records a message in the current transaction, as its last step: databases with one writer at a time are not kept by a
   * slow handler.
   *
   * @param identity of the message
   * @throws DuplicateMessage if another consumer was faster
   */
  async record(identity: MessageIdentity): Promise<void> {
    const entry: Row = {
      ...identity,
      group: this.#group,
      receivedAt: new Date().toISOString(),
      status: "handled",
    };
    try {
      await this.#run({ INSERT: { into: INBOX_MESSAGES, entries: [entry] } });
    } catch (error) {
      if (isServiceError(error) && error.status === 409) throw new DuplicateMessage();
      throw error;
    }
    this.#cleanLater();
  }

  /**
   * Forgets messages that are older than any channel delivers again.
   *
   * @param tenant whose
   */
  async clean(tenant: string | undefined): Promise<void> {
    const end = new Date(Date.now() - KEPT_MS).toISOString();
    const where: Xo[] = [{ ref: ["receivedAt"] }, "<", { val: end }];
    const context = new EventContext({ tenant, user: User.privileged });
    const run = () => this.#run({ DELETE: { from: { ref: [INBOX_MESSAGES] }, where } });
    await runInTransaction(context, run, this.#db.rootOptions);
  }

  /** After a commit, at most once an hour. */
  #cleanLater(): void {
    const context = currentContext();
    const tenant = context?.tenant;
    if (Date.now() - (this.#cleaned.get(tenant) ?? 0) < CLEANING_MS) return;
    this.#cleaned.set(tenant, Date.now());
    transactionOf(context)?.afterCommit(() => this.clean(tenant));
  }

  #run(query: Query): unknown {
    return this.#db.withEngine((engine) => engine.run(query));
  }
}

/**
 * What a message is known by: `source` and `id` of a CloudEvent, else the topic and the id that the framework gave it.
 *
 * @param message the message
 * @returns undefined if it has no usable id, as one that was written by hand
 */
export function identityOf({ topic, headers }: Message): MessageIdentity | undefined {
  const { specversion, source, id } = headers;
  const found = specversion === undefined ? { source: topic, id: headers[MESSAGE_ID] } : { source, id };
  return isText(found.id, ID_LENGTH) && typeof found.source === "string" &&
      found.source.length <= SOURCE_LENGTH
    ? found as MessageIdentity
    : undefined;
}

function isText(value: unknown, length: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= length && value.isWellFormed();
}

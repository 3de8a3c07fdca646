/**
 * A process of the fault tests with a database: emits in transactions, dispatches its outbox, or receives with an inbox.
 * It may kill itself between any two steps.
 *
 * @module
 */

import { createRuntime, INSERT } from "../../mod.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { Channel, ChannelFactory } from "../../src/messaging/channel.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";

/** What a worker does. */
export interface QueueTask {
  readonly role: "writer" | "reader";
  /** Readers: dispatch the outbox of the writers, or receive. */
  readonly isDispatcher?: boolean;
  readonly name: string;
  readonly box: string;
  /** The database: a file of SQLite, or credentials for PostgreSQL. */
  readonly database: string | Readonly<Record<string, unknown>>;
  /** Gets a line per step: `i` before a transaction, `a` after its commit, `p` when published, `h` at every call of the handler. */
  readonly journal: string;
  /** Writer: first sequence number and number of transactions; every tenth is rolled back. */
  readonly from?: number;
  readonly count?: number;
  /** How likely the process kills itself at each step. */
  readonly killRate?: number;
  /** Receivers store messages first. */
  readonly inboxed?: boolean;
}

/** The topic of all messages. */
export const TOPIC = "Faults.happened";
/** Keys of one writer, whose messages stay in order. */
export const KEYS = 5;
/** How long the rows of a dead worker wait. */
const LEASE_MS = 2_000;

const model: Csn = {
  definitions: Object.fromEntries(
    ["faults.Orders", "faults.Effects"].map((name) => [name, {
      kind: "entity" as const,
      elements: {
        ID: { key: true, type: "cds.UUID" },
        message: { type: "cds.String" },
        key: { type: "cds.String" },
        sequence: { type: "cds.Integer" },
        /** When its handling began. */
        at: { type: "cds.Timestamp", default: { ref: ["$now"] } },
      },
    }]),
  ),
};

interface Payload {
  readonly id: string;
  readonly key: string;
  readonly sequence: number;
}

async function work(task: QueueTask): Promise<void> {
  using journal = Deno.openSync(task.journal, { create: true, append: true });
  const write = (line: string) => void journal.writeSync(new TextEncoder().encode(`${line}\n`));
  const isSender = task.role === "writer" || task.isDispatcher === true;
  const runtime = createRuntime({
    model,
    name: isSender ? "sender" : "receiver",
    env: {
      requires: {
        auth: { kind: "dummy" },
        db: typeof task.database === "string"
          ? { kind: "sqlite", credentials: { url: task.database } }
          : { kind: "postgres", credentials: task.database, pool: { max: 4 } },
        messaging: {
          kind: "file-based-messaging",
          file: task.box,
          ...(task.inboxed ? { inboxed: true } : {}),
        },
      },
      outbox: { leaseMs: LEASE_MS },
      log: { levels: { default: "silent" } },
    },
    kinds: {
      databases: { sqlite: () => createSqliteDatabase, postgres: () => createPostgresDatabase },
      channels: { "file-based-messaging": () => fragile(task, write) },
    },
  });
  await runtime.start();
  const messaging = await runtime.connect("messaging") as MessagingService;
  if (!isSender) await receive(messaging, task, write);
  if (task.role === "writer") {
    await emitAll(runtime, messaging, { task, write });
    return await runtime.close();
  }
  await new Promise(() => setInterval(() => {}, 60_000));
}

/** The file channel, in a process that may die before and after each call. */
function fragile(task: QueueTask, write: (line: string) => void): ChannelFactory {
  return async (options) => {
    const channel: Channel = await createFileChannel(options);
    const { publish, subscribe } = channel;
    channel.publish = async (messages) => {
      maybeDie(task);
      await publish.call(channel, messages);
      for (const { data } of messages) write(`p ${(data as Payload).id}`);
      maybeDie(task);
    };
    channel.subscribe = (subscription, onDelivery) =>
      subscribe.call(channel, subscription, (delivery) =>
        onDelivery({
          message: delivery.message,
          deliveries: delivery.deliveries,
          ack: async () => {
            maybeDie(task);
            await delivery.ack();
            maybeDie(task);
          },
          nack: (settings) => delivery.nack(settings),
          extend: () => delivery.extend(),
        }));
    return channel;
  };
}

async function emitAll(
  runtime: Runtime,
  messaging: MessagingService,
  { task, write }: { readonly task: QueueTask; readonly write: (line: string) => void },
): Promise<void> {
  const { from = 0, count = 0, name } = task;
  for (let sequence = from; sequence < from + count; sequence++) {
    const id = `${name}:${sequence}:${crypto.randomUUID().slice(0, 8)}`;
    const payload: Payload = { id, key: `${name}-${sequence % KEYS}`, sequence };
    const isRolledBack = sequence % 10 === 9;
    write(`i ${id}`);
    const done = runtime.db!.tx(async () => {
      await INSERT.into("faults.Orders").entries({
        ID: crypto.randomUUID(),
        message: id,
        key: payload.key,
        sequence,
      });
      maybeDie(task);
      await messaging.emit(TOPIC, payload, { partitionkey: payload.key });
      maybeDie(task);
      if (isRolledBack) throw new RolledBack();
    });
    await done.catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    if (!isRolledBack) write(`a ${id}`);
  }
}

async function receive(
  messaging: MessagingService,
  task: QueueTask,
  write: (line: string) => void,
): Promise<void> {
  messaging.on(TOPIC, async ({ data }) => {
    const { id, key, sequence } = data as Payload;
    write(`h ${id}`);
    await INSERT.into("faults.Effects").entries({ ID: crypto.randomUUID(), message: id, key, sequence });
    maybeDie(task);
  });
  await messaging.exchange.settled();
}

function maybeDie({ killRate = 0 }: QueueTask): void {
  if (Math.random() < killRate) Deno.kill(Deno.pid, "SIGKILL");
}

class RolledBack extends Error {}

if (import.meta.main) await work(JSON.parse(Deno.args[0]) as QueueTask);

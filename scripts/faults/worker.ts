/**
 * A process of the fault tests: emits to, or receives from a file channel, and keeps a journal of what it did.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import type { ChannelFactory } from "../../src/messaging/channel.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { SILENT } from "./silent_log.ts";

/** What a worker does. */
export interface WorkerTask {
  readonly role: "writer" | "reader";
  /** The message box; empty where a broker is used. */
  readonly box: string;
  /** Configuration entry of a broker instead of a box. */
  readonly broker?: Readonly<Record<string, unknown>> & { readonly kind: string };
  /** Reader: file of a database in which the inbox and one row per handled message are kept. */
  readonly database?: string;
  /** Gets a line per step: `i <id>` before an emit, `a <id>` after it, `h <id>` when a message was handled. */
  readonly journal: string;
  /** Name of the writer, or consumer group of the reader. */
  readonly name: string;
  readonly topic: string;
  /** Writer: first sequence number, number of messages, bytes of padding. */
  readonly from?: number;
  readonly count?: number;
  readonly bytes?: number;
  /** Writer: milliseconds after each message. */
  readonly paceMs?: number;
  readonly segmentBytes?: number;
  readonly maxMessageBytes?: number;
  /** Reader: milliseconds per message; the first delivery of every n-th message throws. */
  readonly slowMs?: number;
  readonly failEvery?: number;
}

/** What a message of a fault test holds. */
interface Payload {
  readonly id: string;
  readonly sequence: number;
  readonly padding: string;
}

const EFFECTS: Csn = {
  definitions: {
    "faults.Effects": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.UUID" }, message: { type: "cds.String" } },
    },
  },
};

if (import.meta.main) await work(JSON.parse(Deno.args[0]) as WorkerTask);

async function work(task: WorkerTask): Promise<void> {
  if (task.role === "reader" && task.database !== undefined) return await receiveOnce(task, task.database);
  const { segmentBytes, maxMessageBytes } = task;
  const options = { file: task.box, group: task.name, segmentBytes, maxMessageBytes, ...task.broker };
  const create = task.broker ? await loadBroker(task.broker.kind) : createFileChannel;
  const channel = await create({
    name: "messaging",
    options: JSON.parse(JSON.stringify(options)),
    limits: DEFAULT_LIMITS,
    log: SILENT,
    channel: () => Promise.reject(new Error("No other channels")),
  });
  const host = {
    model: linkModel({ definitions: {} }),
    env: {},
    limits: DEFAULT_LIMITS,
    production: false,
    texts: () => undefined,
    log: () => SILENT,
  };
  const service = new MessagingService({
    name: "messaging",
    host,
    options,
    channel,
    retryDelayMs: (attempts) => attempts * 20,
  });
  using journal = Deno.openSync(task.journal, { create: true, append: true });
  const write = (line: string) => journal.writeSync(new TextEncoder().encode(`${line}\n`));
  if (task.role === "writer") {
    await emitAll(service, task, write);
    await service.close();
    return;
  }
  receiveAll(service, task, write);
  await service.start();
  await new Promise(() => setInterval(() => {}, 60_000));
}

/** Loads the kind of a broker: a process with a box starts without all the others, and is killed as often. */
async function loadBroker(kind: string): Promise<ChannelFactory> {
  const { denoKinds } = await import("../../src/deno/deno_kinds.ts");
  return await denoKinds.channels![kind]!();
}

async function emitAll(
  service: MessagingService,
  task: WorkerTask,
  write: (line: string) => void,
): Promise<void> {
  const padding = "x".repeat(task.bytes ?? 0);
  const from = task.from ?? 0;
  for (let sequence = from; sequence < from + (task.count ?? 0); sequence++) {
    // Every emit has its own id: one that was cut off by a kill is emitted again under another one.
    const id = `${task.name}:${sequence}:${crypto.randomUUID().slice(0, 8)}`;
    write(`i ${id}`);
    const headers = task.broker ? { partitionkey: task.name } : {};
    try {
      await service.emit(task.topic, { id, sequence, padding }, headers);
      write(`a ${id}`);
    } catch (error) {
      // A broker that was away for too long: again, as another message.
      if (!task.broker) throw error;
      sequence--;
    }
    if (task.paceMs) await new Promise((resolve) => setTimeout(resolve, task.paceMs));
  }
}

function receiveAll(service: MessagingService, task: WorkerTask, write: (line: string) => void): void {
  const failed = new Set<string>();
  service.on(task.topic, async ({ data }) => {
    const { id, sequence } = data as Payload;
    if (task.slowMs) await new Promise((resolve) => setTimeout(resolve, task.slowMs));
    if (task.failEvery && sequence % task.failEvery === 0 && !failed.has(id)) {
      failed.add(id);
      throw new Error("Failed on purpose");
    }
    write(`h ${id}`);
  });
}

/** Receives in a runtime with an inbox: one row per message that had an effect. */
async function receiveOnce(task: WorkerTask, database: string): Promise<void> {
  const { createRuntime, INSERT } = await import("../../mod.ts");
  const { denoKinds } = await import("../../src/deno/deno_kinds.ts");
  using journal = Deno.openSync(task.journal, { create: true, append: true });
  const runtime = createRuntime({
    model: EFFECTS,
    name: task.name,
    env: {
      requires: {
        auth: { kind: "dummy" },
        db: { kind: "sqlite", credentials: { url: database } },
        messaging: { ...task.broker, format: "cloudevents" },
      },
      log: { levels: { default: "silent" } },
    },
    kinds: denoKinds,
  });
  await runtime.start();
  const messaging = await runtime.connect("messaging") as MessagingService;
  messaging.on(task.topic, async ({ data }) => {
    const { id } = data as Payload;
    journal.writeSync(new TextEncoder().encode(`h ${id}\n`));
    if (task.slowMs) await new Promise((resolve) => setTimeout(resolve, task.slowMs));
    await INSERT.into("faults.Effects").entries({ ID: crypto.randomUUID(), message: id });
  });
  await messaging.exchange.settled();
  await new Promise(() => setInterval(() => {}, 60_000));
}

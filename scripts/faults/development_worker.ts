/**
 * A process of the fault tests that emits as an application in the default setup of development does: the database, and with it
 * the outbox, is in memory. What it says it has emitted survives it nevertheless.
 *
 * @module
 */

import { loadProject } from "../../src/deno/load_project.ts";
import type { WorkerTask } from "./worker.ts";

const MODEL = "service Faults { event happened : { id : String; sequence : Integer; padding : String; } }\n";
/** Of so many transactions the last one is rolled back: nobody may get its message. */
const ROLLED_BACK = 10;

/** A task of a writer with a box. */
async function emitAll(
  { name, box, topic, journal: path, from = 0, count = 0, bytes = 0 }: WorkerTask,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  Deno.writeTextFileSync(`${folder}/faults.cds`, MODEL);
  const { runtime } = await loadProject(folder, {
    variables: {},
    env: {
      requires: { messaging: { kind: "file-based-messaging", file: box } },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  const messaging = await runtime.connect("messaging");
  using journal = Deno.openSync(path, { create: true, append: true });
  const write = (line: string) => void journal.writeSync(new TextEncoder().encode(`${line}\n`));
  const padding = "x".repeat(bytes);
  for (let sequence = from; sequence < from + count; sequence++) {
    const id = `${name}:${sequence}:${crypto.randomUUID().slice(0, 8)}`;
    write(`i ${id}`);
    // alone, and in a transaction of the application
    if (sequence % 2 === 0) await messaging.emit(topic, { id, sequence, padding });
    else await runtime.db!.tx(() => messaging.emit(topic, { id, sequence, padding }));
    write(`a ${id}`);
    if (sequence % ROLLED_BACK === ROLLED_BACK - 1) await emitInVain();
  }
  await runtime.close();
  Deno.removeSync(folder, { recursive: true });

  async function emitInVain(): Promise<void> {
    const done = runtime.db!.tx(async () => {
      await messaging.emit(topic, { id: `${name}:0:in vain`, sequence: 0, padding });
      throw new RolledBack();
    });
    await done.catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  }
}

class RolledBack extends Error {}

if (import.meta.main) await emitAll(JSON.parse(Deno.args[0]) as WorkerTask);

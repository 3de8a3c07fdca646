/**
 * A process of the messaging scenarios: an application with the real kinds that emits, or receives and keeps a journal.
 *
 * @module
 */

import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { currentContext } from "../../../src/context/store.ts";
import { runInTransaction } from "../../../src/service/transactions/transaction.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { ServiceEvent } from "../../../src/service/requests/service_event.ts";

/** An event to emit. */
export interface CaseEmit {
  /** Service that emits; default: `messaging`. */
  readonly service?: string;
  readonly event: string;
  readonly data: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Context of the emitter. */
  readonly context?: { readonly id?: string; readonly tenant?: string };
}

/** Handlers to register. */
export interface CaseReceive {
  /** Service to register on; default: `messaging`. */
  readonly service?: string;
  readonly events: string | readonly string[];
  /** Name of the handler in the journal. */
  readonly handler?: string;
}

/** What the process does. */
export interface CaseTask {
  /** Name of the application. */
  readonly name: string;
  /** CDL. */
  readonly model?: string;
  /** Entries of `fw.requires`. */
  readonly requires: Readonly<Record<string, unknown>>;
  readonly emit?: readonly CaseEmit[];
  readonly receive?: readonly CaseReceive[];
  /** Gets a line of JSON per handled message; without it the line goes to the output, behind "handled". */
  readonly journal?: string;
  /** A handler that never ends, after its line. */
  readonly hangs?: boolean;
}

/** A line of a journal. */
export interface CaseEntry {
  readonly handler: string | null;
  readonly event: string;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly context: {
    readonly id: string;
    readonly user: string;
    readonly tenant: string | null;
    readonly isAnyRole: boolean;
  };
}

if (import.meta.main) Deno.exitCode = await runTask(JSON.parse(Deno.args[0]) as CaseTask);

/**
 * Emits what a task says, or receives until the end of the process.
 *
 * @returns the exit code of the process
 */
export async function runTask(task: CaseTask): Promise<number> {
  let code = 0;
  const { name, model = "", requires, emit = [], receive = [] } = task;
  const file = "m.cds";
  const runtime = createRuntime({
    name,
    kinds: denoKinds,
    profiles: ["test"],
    model: compileCdl([file], {
      readFile: (path) => path === file ? model : undefined,
      isFile: (path) => path === file,
    }),
    env: {
      requires: { auth: { kind: "dummy" }, db: null, ...requires },
      log: { levels: { default: "info" } },
    },
  });
  const { journal, hangs } = task;
  using output = journal === undefined ? undefined : Deno.openSync(journal, { create: true, append: true });
  for (const { service = "messaging", events, handler = null } of receive) {
    const target = await runtime.connect(service);
    target.on(typeof events === "string" ? events : [...events], async (msg: ServiceEvent) => {
      const { id, tenant = null, user } = currentContext()!;
      const { event, data, headers } = msg;
      const context = { id, user: user.id, tenant, isAnyRole: user.is("any-role") };
      const line = JSON.stringify({ handler, event, data, headers, context });
      if (output) output.writeSync(new TextEncoder().encode(`${line}\n`));
      else console.log("handled", line);
      if (hangs) await new Promise(() => {});
    });
  }
  await runtime.start();
  if (receive.length > 0) {
    console.log("receiving");
    return await new Promise<never>(() => setInterval(() => {}, 60_000));
  }
  for (const { service = "messaging", event, data, headers, context } of emit) {
    const emitter = await runtime.connect(service);
    const work = () => emitter.emit({ event, data, headers });
    const emitting = runInTransaction(new EventContext(context ?? {}), work, {
      log: runtime.log("messaging"),
    });
    await emitting.then(
      () => console.log("accepted", JSON.stringify(data)),
      (error) => {
        console.log("refused", error.code, error.message);
        code = 1;
      },
    );
  }
  await runtime.close();
  return code;
}

/**
 * Detached jobs (`api` 1, `fw.spawn`).
 *
 * @module
 */

import { EventContext, type EventContextProperties } from "../../context/event_context.ts";
import { toMilliseconds } from "../../util/time.ts";
import type { LifecycleEvent, LifecycleHook } from "../requests/service_event.ts";
import type { ServiceEnvironment } from "../service_environment.ts";
import { runInTransaction } from "./transaction.ts";

/** When and as whom a job runs. Nothing is inherited from the current request. */
export interface SpawnOptions extends EventContextProperties {
  /** Milliseconds, or a duration like `"10 s"`, between the starts of two runs; the job runs once without it. */
  readonly every?: number | string;
  /** Milliseconds, or a duration, before the first run. */
  readonly after?: number | string;
}

/** A detached job. */
export interface Job {
  /**
   * Registers what happens after each run.
   *
   * @param event `succeeded` with the result, `failed` with the error, or `done`
   * @param hook the function to call
   */
  on(event: Exclude<LifecycleEvent, "commit">, hook: LifecycleHook): Job;
  /** What `clearInterval` and `clearTimeout` stop the job by. */
  readonly timer: ReturnType<typeof setTimeout>;
  /** Starts no further run. */
  stop(): void;
}

/**
 * Runs a function outside of the current request, in a root transaction of its own. Failures are logged.
 *
 * @param host the runtime
 * @param options when and as whom; default: at once, as the default user
 * @param run the work
 * @throws TypeError for what is no duration
 */
export function spawn(host: ServiceEnvironment, options: SpawnOptions, run: () => unknown): Job {
  const log = host.log("service");
  const every = options.every === undefined ? undefined : toMilliseconds(options.every);
  const after = options.after === undefined ? undefined : toMilliseconds(options.after);
  const hooks: Record<string, LifecycleHook[]> = { succeeded: [], failed: [], done: [] };
  let running = false;

  async function call(event: string, value: unknown): Promise<void> {
    for (const hook of hooks[event]) await hook(value);
  }

  async function runOnce(): Promise<void> {
    // A run that takes longer than the interval is not overtaken by the next one.
    if (running) return;
    running = true;
    try {
      const result = await runInTransaction(new EventContext(options), run, { log, adopt: host.adopt });
      await call("succeeded", result);
    } catch (error) {
      log.error("A detached job failed:", error);
      await call("failed", error);
    } finally {
      running = false;
    }
    await call("done", undefined);
  }

  const start = () => void runOnce().catch((error) => log.error("A hook of a detached job failed:", error));
  let interval: ReturnType<typeof setInterval> | undefined;
  const timeout = setTimeout(() => {
    if (every !== undefined) interval = setInterval(start, every);
    if (every === undefined || after !== undefined) start();
  }, after ?? 0);

  const job: Job = {
    on(event, hook) {
      hooks[event].push(hook);
      return job;
    },
    get timer() {
      return interval ?? timeout;
    },
    stop() {
      clearTimeout(timeout);
      clearInterval(interval);
    },
  };
  return job;
}

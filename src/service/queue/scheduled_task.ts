/**
 * `srv.schedule(event, data).after().every().as()` (`api` 4).
 *
 * @module
 */

import { toMilliseconds } from "../../util/time.ts";
import type { QueuedWork, QueueTiming, WorkQueue } from "./work_queue.ts";

/**
 * A task under construction. Awaiting it stores it in the outbox, in the transaction of the caller; there is one task of a
 * name, and the last one stored wins.
 */
export class ScheduledTask implements PromiseLike<void> {
  readonly #queue: WorkQueue;
  #work: QueuedWork;
  #timing: QueueTiming;

  /**
   * Begins a task.
   *
   * @param queue where it is stored
   * @param work what it does
   */
  constructor(queue: WorkQueue, work: QueuedWork) {
    this.#queue = queue;
    this.#work = work;
    this.#timing = { task: work.event };
  }

  /**
   * Sets how long to wait before the first run.
   *
   * @param time milliseconds, or a duration like `"10 s"`, `"5 min"`, `"1h"`
   * @param unit unit of a number
   */
  after(time: number | string, unit?: string): this {
    this.#timing = { ...this.#timing, after: toMilliseconds(time, unit) };
    return this;
  }

  /**
   * Repeats the task: it runs again that long after the end of its last run.
   *
   * @param time milliseconds, or a duration like `"10 s"`, `"5 min"`, `"1h"`
   * @param unit unit of a number
   */
  every(time: number | string, unit?: string): this {
    this.#work = { ...this.#work, every: toMilliseconds(time, unit) };
    return this;
  }

  /**
   * Names the task; without it its event is its name.
   *
   * @param task the name
   */
  as(task: string): this {
    this.#timing = { ...this.#timing, task };
    return this;
  }

  /** Stores the task. */
  then<A = void, B = never>(
    onfulfilled?: ((value: void) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#store().then(onfulfilled, onrejected);
  }

  async #store(): Promise<void> {
    await this.#queue.enqueue(this.#work, this.#timing);
  }
}

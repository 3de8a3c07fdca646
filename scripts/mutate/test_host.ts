/**
 * A process in which test files run, with a change on or without one.
 *
 * @module
 */

import type { Box } from "./box.ts";
import { type FileRun, readLines, type RunFile } from "./messages.ts";

/** What is said of a file whose process ended. */
const ENDED: FileRun & { readonly failure: string } = {
  ...{ failure: "the process ended", ms: 0, hits: [], tests: [], memoryBytes: 0 },
};

/** A host of tests, which lives until it is disposed of, something hangs in it, or it ends itself. */
export class TestHost {
  /** Places of the tests that passed here without a change, by their files: what they build once and keep is built. */
  readonly #passed = new Map<string, Set<number>>();
  /** How much memory it had after its last run. */
  memoryBytes = 0;
  readonly #process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #answers: AsyncGenerator<string>;

  private constructor(process: Deno.ChildProcess, connection: Deno.UnixConn) {
    this.#process = process;
    this.#writer = connection.writable.getWriter();
    this.#answers = readLines(connection.readable);
  }

  /** Starts one in a copy of the tree whose texts have so many switches. */
  static async start(box: Box, switches: number): Promise<TestHost> {
    const path = Deno.makeTempFileSync({ dir: box.folder, suffix: ".sock" });
    Deno.removeSync(path);
    using listener = Deno.listen({ transport: "unix", path });
    const process = box.startHost([path, String(switches)]);
    try {
      const connection = await Promise.race([listener.accept(), process.status]);
      if ("code" in connection) throw new Error("a process for tests ended before it began");
      return new TestHost(process, connection);
    } finally {
      Deno.removeSync(path);
    }
  }

  /**
   * Runs the tests of a file.
   *
   * @returns `undefined` where it did not end in time; the process is of no use then, nor is it where it ended, which is a failure
   */
  async run(request: RunFile, timeoutMs: number): Promise<FileRun | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = timeoutMs < Infinity
      ? setTimeout(() => resolve(undefined), Math.max(0, timeoutMs))
      : undefined;
    try {
      const run = await Promise.race([this.#ask(request), late]);
      if (run) this.memoryBytes = run.memoryBytes;
      if (request.mutant === 0 && run && run.failure === undefined) this.#keepPassed(request, run);
      return run;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether tests of a file passed here without a change. */
  hasPassed(file: string, tests: readonly number[]): boolean {
    const passed = this.#passed.get(file);
    return passed !== undefined && tests.every((place) => passed.has(place));
  }

  #keepPassed({ file, tests }: RunFile, run: FileRun): void {
    const passed = new Set(tests ?? run.tests.keys());
    this.#passed.set(file, passed.union(this.#passed.get(file) ?? new Set()));
  }

  async #ask(request: RunFile): Promise<FileRun> {
    try {
      await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
      const answer = await this.#answers.next();
      if (!answer.done) return JSON.parse(answer.value);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { ...ENDED, failure: `${ENDED.failure}: ${error.message}` };
    }
    return ENDED;
  }

  /** Ends the process and those that its tests started. */
  [Symbol.dispose](): void {
    try {
      Deno.kill(-this.#process.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

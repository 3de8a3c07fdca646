/**
 * Processes that serve projects.
 *
 * @module
 */

import { type Ended, REPOSITORY } from "./project.ts";

/** A running process. */
export interface RunningProcess {
  /** Its id. */
  readonly pid: number;
  /** Everything written so far. */
  readonly output: () => string;
  /** Waits for a text written after the last one found; gives what matches. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: Deno.Signal): void;
  readonly ended: Promise<Ended>;
  /** Kills the process if it still runs, and waits for its end. */
  close(): Promise<void>;
}

/** How a process is started. */
export interface ProcessOptions {
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** What stands on its standard input. */
  readonly input?: string;
  /** What it may do; default: everything. */
  readonly permissions?: readonly string[];
}

/** Starts Deno with the import map of this repository. */
export function startProcess(
  { args, variables = {}, timeoutMs = 120_000, input, permissions = ["-A"] }: ProcessOptions,
): RunningProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...permissions, "--no-lock", ...args],
    cwd: REPOSITORY,
    env: { NO_COLOR: "1", PORT: "0", ...variables },
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) void new Blob([input]).stream().pipeTo(child.stdin);
  let output = "";
  let from = 0;
  let wake = () => {};
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      wake();
    }
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  let code: number | undefined;
  const ended = (async () => {
    const status = await child.status;
    await collected;
    code = status.code;
    wake();
    return { code: status.code, output };
  })();
  return {
    output: () => output,
    ended,
    async waitFor(pattern) {
      const deadline = Date.now() + timeoutMs;
      while (true) {
        const found = pattern.exec(output.slice(from));
        if (found) {
          from += found.index + found[0].length;
          return found;
        }
        const left = deadline - Date.now();
        if (code !== undefined || left <= 0) {
          throw new Error(`${code === undefined ? "Waited in vain" : "Ended"} before ${pattern}:\n${output}`);
        }
        let timer: ReturnType<typeof setTimeout> | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, left);
        });
        clearTimeout(timer);
      }
    },
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    async close() {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await ended;
    },
  };
}

/** Runs the command line with words. */
export function startCli(...args: readonly string[]): RunningProcess {
  return startProcess({ args: ["src/cli/mod.ts", ...args] });
}

/** The URL in the line that tells where a server listens. */
export async function urlOf(process: RunningProcess): Promise<string> {
  return (await process.waitFor(/listening on (http:\S+)/))[1];
}

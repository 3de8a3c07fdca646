/**
 * Scripts of a shell that stand for processes of Deno, which take seconds to start, and what a command prints meanwhile.
 *
 * @module
 */

import { PATIENCE_MS } from "../contract/within.ts";

/** Scripts of a shell do at once what they do. */
const WAIT_MS = PATIENCE_MS / 2;

/** Far more than any command prints in a test: one that goes round in a circle ends there. */
const MOST_OUTPUT = 5_000_000;

/** What happens while a command runs. */
export interface Shown {
  /** Everything printed so far. */
  readonly output: () => string;
  /** What of it are errors. */
  readonly errors: () => string;
  /** Waits until a text is printed; gives what matches. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Arguments of the processes that were started. */
  readonly started: readonly (readonly string[])[];
  /** Tells the command what a signal tells it. */
  signal(name: Deno.Signal): void;
  /** Delays of the timers that were set. */
  readonly delays: readonly number[];
  /** Signals that are listened to. */
  readonly listening: () => readonly string[];
}

/** A server that waits for its turn, listens where the file `port` of its folder says, and ends with its input. */
export const SERVER =
  `for last in "$@"; do [ "$last" = --standby ] && folder=$before; before=$last; done; cd "$folder"; ` +
  `read order || exit 8; ` +
  `[ -e slow ] && slow=1 && trap 'kill $!; sleep 0.1; echo gone; exit' TERM; echo "told to $order"; ` +
  `[ $slow ] && { sleep 60 >/dev/null & wait; }; [ -e broken ] && { echo broken; exit 3; }; ` +
  `printf 'server listening on http://loc'; printf 'alhost:%s (now)\\nmore\\n' $(cat port); cat >/dev/null; echo over; exit 6`;

/** Waits for what is printed as long as the command has not failed. */
export function unlessFailed(waitFor: Shown["waitFor"], command: Promise<unknown>): Shown["waitFor"] {
  const failed = new Promise<never>((_, reject) => command.catch(reject));
  return (pattern) => Promise.race([waitFor(pattern), failed]);
}

const WRITERS = ["log", "info", "warn", "error", "debug"] as const;

/** Uses something that starts processes: each is the script, with the arguments of the process as its own. */
export async function withShell(script: string, use: (shown: Shown) => Promise<void>): Promise<void> {
  const started: (readonly string[])[] = [];
  const listeners = new Map<string, () => void>();
  const delays: number[] = [];
  let output = "";
  let errors = "";
  let tell = Promise.withResolvers<void>();
  const print = (text: string) => {
    if (output.length > MOST_OUTPUT) throw new Error("Too much is printed");
    output += text;
    tell.resolve();
    tell = Promise.withResolvers();
  };
  const { Command: Started, addSignalListener, removeSignalListener } = Deno;
  class Shell extends Started {
    constructor(_path: string | URL, options: Deno.CommandOptions = {}) {
      const args = options.args ?? [];
      super("sh", { ...options, args: ["-c", script, "sh", ...args] });
      started.push(args);
    }
  }
  const { setTimeout: wait } = globalThis;
  const { writeSync } = Deno.stdout;
  const writers = Object.fromEntries(WRITERS.map((name) => [name, console[name]]));
  Object.assign(
    console,
    Object.fromEntries(
      WRITERS.map((name) => [name, (...texts: readonly unknown[]) => {
        const line = `${texts.join(" ")}\n`;
        if (name === "error") errors += line;
        print(line);
      }]),
    ),
  );
  Object.assign(Deno.stdout, {
    // a pipe may take less than it is given
    writeSync: (bytes: Uint8Array) => {
      const taken = bytes.subarray(0, 16);
      print(new TextDecoder("latin1").decode(taken));
      return taken.length;
    },
  });
  Object.assign(Deno, {
    Command: Shell,
    addSignalListener: (name: string, listener: () => void) => listeners.set(name, listener),
    removeSignalListener: (name: string, listener: () => void) =>
      listeners.get(name) === listener && listeners.delete(name),
  });
  Object.assign(globalThis, {
    setTimeout: (work: () => void, ms = 0) => (delays.push(ms), wait(work, ms)),
  });
  try {
    await use({
      output: () => output,
      errors: () => errors,
      started,
      delays,
      signal: (name) => listeners.get(name)?.(),
      listening: () => [...listeners.keys()],
      waitFor: async (pattern) => {
        const late = Promise.withResolvers<never>();
        const timer = wait(
          () => late.reject(new Error(`Nothing matches ${pattern} in:\n${output}`)),
          WAIT_MS,
        );
        try {
          for (;;) {
            const found = pattern.exec(output);
            if (found) return found;
            await Promise.race([tell.promise, late.promise]);
          }
        } finally {
          clearTimeout(timer);
        }
      },
    });
  } finally {
    Object.assign(Deno, { Command: Started, addSignalListener, removeSignalListener });
    Object.assign(Deno.stdout, { writeSync });
    Object.assign(console, writers);
    Object.assign(globalThis, { setTimeout: wait });
  }
}

/**
 * One process of several that serve a project, as seen by who has started it. Where it listens stands in a line of its output;
 * it ends when its input does, also where the process that has started it was killed.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { terminalStyle } from "../deno/terminal_style.ts";
import { pause } from "../util/time.ts";
import { configurationOptions } from "./project_configuration.ts";
import { writeBytes } from "./terminal_text.ts";

/** Where a worker listens. */
export interface WorkerListening {
  readonly port: number;
  /** Port of its measurements, on this machine. */
  readonly metricsPort?: number;
}

/** What begins the line that says it: no text of a log has it. */
const LISTENING = "\0listening ";
/** A line that says that the worker does what is due. */
const ALIVE = "\0alive";

const ALIVE_MS = 1_000;

/**
 * Tells the process that has started this one.
 *
 * @param listening where this one listens
 */
export function reportToStarter(listening: WorkerListening): void {
  writeLine(`${LISTENING}${JSON.stringify(listening)}`);
  // one that is caught in a loop tells nothing any more, though it takes connections
  Deno.unrefTimer(setInterval(() => writeLine(ALIVE), ALIVE_MS));
}

function writeLine(line: string): void {
  writeBytes(new TextEncoder().encode(`${line}\n`));
}

/** Which process to start. */
export interface WorkerPlace {
  /** The project. */
  readonly folder: string;
  readonly port: number;
  /** Whether it finds the port free, or listens beside others. */
  readonly share: "begin" | "join";
  /** After which silence it is killed, in milliseconds. */
  readonly silenceMs: number;
}

/** Takes a line that a worker has written. */
export type TakeLine = (line: string, isError: boolean) => void;

/** Characters of a line that are kept until it ends. */
const LONGEST_LINE = 1024 * 1024;

/** A process that serves. */
export class WorkerProcess {
  /** Where it listens; undefined where it has ended before. */
  readonly listening: Promise<WorkerListening | undefined>;
  /** How it has ended. */
  readonly status: Promise<Deno.CommandStatus>;
  readonly #process: Deno.ChildProcess;
  readonly #listening: PromiseWithResolvers<WorkerListening | undefined> = Promise.withResolvers();
  /** Port of its measurements, while there are any. */
  metricsPort: number | undefined;
  /** For how many milliseconds it was silent when it was killed for that. */
  killedAfterMs: number | undefined;
  #heardAt = 0;

  /**
   * Starts the process.
   *
   * @param place which
   * @param line takes what it writes
   */
  constructor({ folder, port, share, silenceMs }: WorkerPlace, line: TakeLine) {
    this.listening = this.#listening.promise;
    void this.listening.then((listening) => listening && this.#watch(silenceMs));
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--quiet"],
        // ports that processes share
        "--unstable-net",
        ...configurationOptions(projectRoot(folder)),
        ...[import.meta.resolve("./mod.ts"), "serve", folder],
        ...["--port", String(port), "--worker", share],
      ],
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
      // what they print is shown where this process shows its own
      env: terminalStyle().colours ? { FORCE_COLOR: "1" } : {},
    }).spawn();
    this.status = this.#ended(line);
  }

  /** Its number among the processes of the machine. */
  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Lets it end orderly.
   *
   * @param mostMs after which time it is killed
   */
  end(mostMs: number): void {
    const timer = setTimeout(() => this.#kill(), mostMs);
    void this.status.finally(() => clearTimeout(timer));
    this.#process.stdin.close().catch(() => {
      // it has ended by itself
    });
  }

  #kill(): void {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // it has ended by itself
    }
  }

  async #ended(line: TakeLine): Promise<Deno.CommandStatus> {
    const { stdout, stderr } = this.#process;
    const read = Promise.all([
      readLines(stdout, (text) => this.#takeOut(text, line)),
      readLines(stderr, (text) => line(text, true)),
    ]);
    const status = await this.#process.status;
    // whatever it has started may hold its output open
    await Promise.race([read, pause(LAST_LINES_MS)]);
    this.#listening.resolve(undefined);
    return status;
  }

  /** Something may stand in front that has not ended its line. */
  #takeOut(text: string, line: TakeLine): void {
    this.#heardAt = performance.now();
    const [at, aliveAt] = [text.indexOf(LISTENING), text.indexOf(ALIVE)];
    const told = at < 0 ? aliveAt : at;
    if (told < 0) line(text, false);
    else if (told > 0) line(text.slice(0, told), false);
    if (at < 0) return;
    const listening: WorkerListening = JSON.parse(text.slice(at + LISTENING.length));
    this.metricsPort = listening.metricsPort;
    this.#listening.resolve(listening);
  }

  /** Kills it once it says nothing any more; where this process stood still, it has not heard what was said. */
  #watch(silenceMs: number): void {
    let lookedAt = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - lookedAt > 2 * ALIVE_MS) this.#heardAt = now;
      lookedAt = now;
      if (now - this.#heardAt < silenceMs) return;
      this.killedAfterMs ??= Math.round(now - this.#heardAt);
      this.#kill();
    }, ALIVE_MS);
    void this.status.finally(() => clearInterval(timer));
  }
}

/** How long to wait for the last lines of a process that has ended. */
const LAST_LINES_MS = 200;

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
    if (rest.length <= LONGEST_LINE) continue;
    take(rest);
    rest = "";
  }
  if (rest !== "") take(rest);
}

/**
 * `fw serve --workers N`: processes that listen at one port, of which each connection goes to one. One that ends is started
 * again, what all of them print is one log.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { createLogging, type Logging, type LoggingOptions } from "../log/create_logging.ts";
import { WorkerProcess } from "./worker_process.ts";
import { serveWorkerMetrics } from "./worker_metrics.ts";
import { counted } from "../util/counted.ts";

/** What to serve, and how. */
export interface WorkersOptions {
  /** The project. */
  readonly folder: string;
  /** How many workers. */
  readonly count: number;
  /** The port, instead of what the project says. */
  readonly port: number | undefined;
}

/** How long to wait before a worker is started again: twice as long each time, until one has run for a while. */
const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 30_000;
const STEADY_MS = 60_000;
/** How long a worker may be caught in something, whose connections wait in vain, before it is killed. */
const SILENCE_MS = 60_000;

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/** What of `fw.server` is about processes. */
interface ServerSettings {
  readonly port?: number;
  readonly host?: string;
  readonly drainMs?: number;
  readonly shutdownMs?: number;
  readonly metrics?: { readonly port?: number };
}

/**
 * Serves by several workers until it is told to end.
 *
 * @param options project, number, port
 * @returns the exit code
 * @throws ConfigurationError for a wrong configuration
 */
export async function serveByWorkers(options: WorkersOptions): Promise<number> {
  return await new Workers(options).run();
}

class Workers {
  readonly #options: WorkersOptions;
  readonly #server: ServerSettings;
  readonly #isJson: boolean;
  readonly #log: ReturnType<Logging>;
  /** Those that run, by number. */
  readonly #running: Map<number, WorkerProcess> = new Map();
  readonly #stopping: PromiseWithResolvers<void> = Promise.withResolvers();
  #isStopping = false;
  #port: number;

  constructor(options: WorkersOptions) {
    const { env, port } = readConfiguration(projectRoot(options.folder));
    this.#options = options;
    this.#server = (env.server ?? {}) as ServerSettings; // as the schema has it
    const settings = (env.log ?? {}) as LoggingOptions;
    this.#isJson = settings.format === "json";
    this.#log = createLogging(settings)("server");
    this.#port = options.port ?? port ?? this.#server.port ?? 4004;
  }

  async run(): Promise<number> {
    const start = performance.now();
    const listeners = SIGNALS.map((signal) => [signal, () => this.#stop(signal)] as const);
    for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
    try {
      const metrics = serveWorkerMetrics(this.#server, () => [...this.#running]);
      // it brings the database to what the model says, and tells mistakes once
      const first = this.#spawn(1, "begin");
      const listening = await first.listening;
      if (listening === undefined) {
        await metrics?.shutdown();
        return Math.max(1, (await first.status).code);
      }
      this.#port = listening.port;
      const kept = this.#numbers().map((number) =>
        this.#keep(number, number === 1 ? first : this.#spawn(number))
      );
      await Promise.all([...this.#running.values()].map((worker) => worker.listening));
      if (!this.#isStopping) {
        const time = `started in ${Math.round(performance.now() - start)} ms`;
        const workers = counted(this.#options.count, "worker");
        this.#print(`\n${workers} listening on http://localhost:${this.#port} (${time})`);
      }
      const codes = await Promise.all(kept);
      await metrics?.shutdown();
      this.#log.info("stopped");
      return Math.max(...codes);
    } finally {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    }
  }

  #numbers(): readonly number[] {
    return Array.from({ length: this.#options.count }, (_, index) => index + 1);
  }

  #spawn(number: number, share: "begin" | "join" = "join"): WorkerProcess {
    const { folder } = this.#options;
    const worker = new WorkerProcess(
      { folder, share, port: this.#port, silenceMs: SILENCE_MS },
      (line, isError) => (isError ? console.error : console.log)(this.#marked(number, line)),
    );
    this.#running.set(number, worker);
    if (this.#isStopping) worker.end(this.#endingMs);
    return worker;
  }

  /** Starts a worker again whenever it ends; gives the exit code of the last one. */
  async #keep(number: number, first: WorkerProcess): Promise<number> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let worker = first;; worker = this.#spawnAgain(number)) {
      const start = performance.now();
      const { code, signal } = await worker.status;
      this.#running.delete(number);
      if (this.#isStopping) return code;
      if (performance.now() - start >= STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      const how = worker.killedAfterMs !== undefined
        ? `by SIGKILL, as it was caught in something for ${worker.killedAfterMs} ms`
        : signal === null
        ? `with code ${code}`
        : `by ${signal}`;
      this.#log.error(
        `Worker ${number} (process ${worker.pid}) has ended ${how}, and is started again in ${pauseMs} ms`,
      );
      await this.#pause(pauseMs);
      if (this.#isStopping) return code;
      pauseMs = Math.min(MOST_PAUSE_MS, 2 * pauseMs);
    }
  }

  #spawnAgain(number: number): WorkerProcess {
    const worker = this.#spawn(number);
    void worker.listening.then((listening) => {
      if (listening) this.#log.info(`Worker ${number} (process ${worker.pid}) listens again`);
    });
    return worker;
  }

  async #pause(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
    await Promise.race([over, this.#stopping.promise]).finally(() => clearTimeout(timer));
  }

  /** Requests under way are answered; a worker that takes too long for that is killed. */
  #stop(signal: Deno.Signal): void {
    if (this.#isStopping) return;
    this.#log.info(`${signal}: requests under way are answered, new ones refused`);
    this.#isStopping = true;
    this.#stopping.resolve();
    for (const worker of this.#running.values()) worker.end(this.#endingMs);
  }

  get #endingMs(): number {
    const { drainMs = 0, shutdownMs = 10_000 } = this.#server;
    return drainMs + shutdownMs + GRACE_MS;
  }

  /** For whoever is at the terminal; a log of JSON lines holds nothing else. */
  #print(text: string): void {
    if (!this.#isJson) console.log(text);
    else if (text.trim() !== "") this.#log.info(text.trim());
  }

  /** A line of a worker that says whose it is. */
  #marked(number: number, line: string): string {
    if (!this.#isJson || !/^\{".*\}$/.test(line)) return `[${number}] ${line}`;
    return `{"worker":${number},${line.slice(1)}`;
  }
}

/** Beyond its own time a worker needs a little to end. */
const GRACE_MS = 2_000;

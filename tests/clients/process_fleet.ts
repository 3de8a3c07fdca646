/**
 * Several processes that serve one application, and a proxy in front of them.
 *
 * @module
 */

import { REPOSITORY } from "../deno/project.ts";
import { startRoundRobin } from "./round_robin.ts";
import type { ServedApplication } from "./serve_one.ts";

/** Processes behind a proxy. */
export interface ProcessFleet {
  /** Where the proxy is, without trailing slash. */
  readonly url: string;
  /** The processes by the number of their start. */
  readonly processes: readonly ServingProcess[];
  stop(): Promise<void>;
}

/** A process that serves. */
export interface ServingProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends it at once. */
  kill(): void;
}

/**
 * Starts processes, the first of which fills the database.
 *
 * @param application what they serve
 * @param count how many
 */
export async function startFleet(application: ServedApplication, count: number): Promise<ProcessFleet> {
  const proxy = startRoundRobin();
  const env = {
    ...application.env,
    server: { base_url: proxy.url, ...application.env.server as object | undefined },
  };
  const started: StartedProcess[] = [];
  try {
    const start = async () => void started.push(await startOne({ ...application, env }));
    await start();
    await Promise.all(Array.from({ length: count - 1 }, start));
  } catch (error) {
    for (const one of started) await one.stop();
    await proxy.stop();
    throw error;
  }
  proxy.use(started.map(({ url }) => url));
  return {
    url: proxy.url,
    processes: started,
    async stop() {
      await Promise.all(started.map((one) => one.stop()));
      await proxy.stop();
    },
  };
}

interface StartedProcess extends ServingProcess {
  stop(): Promise<void>;
}

async function startOne(application: ServedApplication): Promise<StartedProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-lock",
      "--no-check",
      "tests/clients/serve_one.ts",
      JSON.stringify(application),
    ],
    cwd: REPOSITORY,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const [port] = await firstLine(child.stdout);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    kill: () => child.kill("SIGKILL"),
    async stop() {
      await child.stdin.close().catch(() => {});
      await child.status;
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<RegExpExecArray> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? "";
    const found = /^\d+$/m.exec(text);
    if (found && text.includes("\n")) {
      // what it writes later is of no interest, but must not hold it up
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return found;
    }
    if (done) throw new Error(`A process does not serve: ${text}`);
  }
}

/**
 * Serving a project folder as an HTTP server.
 *
 * @module
 */

import type { Runtime } from "../fw/runtime.ts";
import { describeProject } from "./describe_project.ts";
import { loadProject, type Project, type ProjectOptions } from "./load_project.ts";

/** How a project is served. */
export interface ServeOptions extends ProjectOptions {
  /** Port; default: the variable `PORT`, else `fw.server.port`, else 4004. `0` takes a free one. */
  readonly port?: number;
  /** Takes lines for the person at the terminal; default: the console. */
  readonly print?: (line: string) => void;
}

/** A running server. */
export interface RunningServer {
  /** What was loaded. */
  readonly project: Project;
  /** The runtime. */
  readonly runtime: Runtime;
  /** Where it listens, without trailing slash. */
  readonly url: string;
  /** Resolves when the server has ended. */
  readonly finished: Promise<void>;
  /** Ends orderly: requests under way are answered, consumers and the database closed. */
  stop(): Promise<void>;
}

/**
 * Loads and starts a project and listens. SIGINT and SIGTERM end it orderly.
 *
 * @param folder the root of the project
 * @throws ConfigurationError with file, line and what was expected
 */
export async function serveProject(folder: string, options: ServeOptions = {}): Promise<RunningServer> {
  const start = performance.now();
  const print = options.print ?? console.log;
  const project = loadProject(folder, options);
  const { runtime } = project;
  await runtime.start();
  const settings = (runtime.env.server ?? {}) as { port?: number; host?: string; shutdownMs?: number };
  const port = options.port ?? (Number(Deno.env.get("PORT")) || settings.port || 4004);
  const server = Deno.serve({ port, hostname: settings.host, onListen: () => {} }, runtime.fetch);
  const url = `http://localhost:${server.addr.port}`;
  for (const line of describeProject(project)) print(line);
  await runtime.events.emit("listening", { url, server });
  print(`\nserver listening on ${url} (started in ${Math.round(performance.now() - start)} ms)`);
  return {
    project,
    runtime,
    url,
    finished: server.finished,
    stop: stopper(server, runtime, settings.shutdownMs),
  };
}

/** Ends the server once, within a bounded time. */
function stopper(server: Deno.HttpServer, runtime: Runtime, shutdownMs = 10_000): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
      const timer = setTimeout(() => Deno.exit(1), shutdownMs);
      await server.shutdown();
      await runtime.close();
      clearTimeout(timer);
    })();
  const onSignal = () => void stop();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return stop;
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

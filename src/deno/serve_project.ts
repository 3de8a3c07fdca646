/**
 * Serving a project folder as an HTTP server.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Runtime } from "../fw/runtime.ts";
import { logRejections } from "./log_rejections.ts";
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
  const project = await loadProject(folder, options);
  const { runtime } = project;
  const settings = (runtime.env.server ?? {}) as { port?: number; host?: string; shutdownMs?: number };
  const port = options.port ?? project.port ?? settings.port ?? 4004;
  await runtime.start();
  const server = await listen(runtime, { port, hostname: settings.host });
  const unwatch = logRejections(runtime.log("service"));
  const url = `http://localhost:${server.addr.port}`;
  for (const line of describeProject(project)) print(line);
  await runtime.events.emit("listening", { url, server });
  print(`\nserver listening on ${url} (started in ${Math.round(performance.now() - start)} ms)`);
  const stop = stopper(server, runtime, { shutdownMs: settings.shutdownMs, unwatch });
  runtime.onExit = async (code) => {
    if (code !== undefined) Deno.exitCode = code;
    await stop();
  };
  return { project, runtime, url, finished: server.finished.then(stop), stop };
}

async function listen(
  runtime: Runtime,
  where: { readonly port: number; readonly hostname?: string },
): Promise<Deno.HttpServer<Deno.NetAddr>> {
  try {
    return Deno.serve({ ...where, onListen: () => {} }, runtime.fetch);
  } catch (error) {
    await runtime.close();
    const { AddrInUse, AddrNotAvailable, PermissionDenied } = Deno.errors;
    if (error instanceof AddrInUse) {
      const text = `Port ${where.port} is in use: choose another by PORT or "fw.server.port"`;
      throw new ConfigurationError(text, {}, { cause: error });
    }
    if (!(error instanceof AddrNotAvailable || error instanceof PermissionDenied)) throw error;
    const text =
      `Cannot listen on port ${where.port} of ${where.hostname} ("fw.server.host"): ${error.message}`;
    throw new ConfigurationError(text, {}, { cause: error });
  }
}

/** Ends the server once: requests under way are answered, within a bounded time. */
function stopper(
  server: Deno.HttpServer,
  runtime: Runtime,
  { shutdownMs = 10_000, unwatch }: { readonly shutdownMs?: number; readonly unwatch: () => void },
): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
      const timer = setTimeout(() => Deno.exit(1), shutdownMs);
      try {
        await server.shutdown();
        await runtime.close();
      } finally {
        clearTimeout(timer);
        unwatch();
      }
    })();
  const onSignal = () => void stop();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return stop;
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

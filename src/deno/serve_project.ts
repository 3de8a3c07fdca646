/**
 * Serving a project folder as an HTTP server.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Runtime, RuntimeOptions } from "../fw/runtime.ts";
import { metricsResponse } from "../fw/telemetry_of.ts";
import { assertSharedByWorkers } from "../fw/shared_by_workers.ts";
import { describeProject } from "./describe_project.ts";
import { loadProject, type Project, projectOfModule, type ProjectOptions } from "./load_project.ts";
import type { Logger } from "../log/logger.ts";
import { findModelSources } from "./find_model_files.ts";
import { type ServerWithEvents, withServerEvents } from "./server_events.ts";

/** How a project is served. */
export interface ServeOptions extends ProjectOptions {
  /** Port; default: the variable `PORT`, else `fw.server.port`, else 4004. `0` takes a free one. */
  readonly port?: number;
  /** Address to listen at; default: `fw.server.host`. */
  readonly hostname?: string;
  /**
   * Whether processes share the port of measurements, so that one takes over from another, or workers their port: the first
   * of them finds it free, those that join listen beside it.
   */
  readonly share?: "begin" | "join";
  /** Where this process is one of several workers: takes where it listens. */
  readonly listening?: (where: { readonly port: number; readonly metricsPort?: number }) => void;
  /** Takes lines for the person at the terminal; default: the console, or the log where that is JSON. */
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
  const project = await loadProject(folder, { keepsModel: true, ...options });
  const outdated = outdatedModel(project);
  if (outdated !== undefined) project.runtime.log("server").warn(outdated);
  return await serveLoaded(project, { ...options, start });
}

/**
 * Starts a project that is one module, and listens, as `gen/server.mjs` of `fw build --server` does. Environment variables
 * and service bindings win over the configuration of the module.
 *
 * @param module what `fw build --module` writes
 * @throws ConfigurationError for a wrong configuration, or a port that is in use
 */
export async function serveModule(
  module: RuntimeOptions,
  options: ModuleServeOptions = {},
): Promise<RunningServer> {
  const start = performance.now();
  return await serveLoaded(projectOfModule(module), { ...options, start });
}

/** How a project that is one module is served. */
export type ModuleServeOptions = Pick<ServeOptions, "port" | "hostname" | "share" | "print" | "listening">;

async function serveLoaded(
  project: Project,
  { start, ...options }: ModuleServeOptions & { readonly start: number },
): Promise<RunningServer> {
  const { runtime } = project;
  const print = options.print ?? printer(runtime);
  const settings = (runtime.env.server ?? {}) as ServerSettings;
  const { listening, share } = options;
  const port = options.port ?? project.port ?? settings.port ?? 4004;
  await startRuntime(runtime, listening !== undefined);
  const hostname = options.hostname ?? settings.host;
  const server = await listen(runtime, { port, hostname, share: listening && share });
  const unwatch = logRejections(runtime.log("service"));
  // whoever reads that the server listens may end it at once
  const metrics = await serveMetrics(runtime, listening ? workerMetrics(settings) : { ...settings, share });
  const stop = stopper([server, ...metrics ? [metrics] : []], runtime, { ...settings, unwatch });
  runtime.onExit = async (code) => {
    if (code !== undefined) Deno.exitCode = code;
    await stop();
  };
  const url = `http://localhost:${server.addr.port}`;
  // whoever takes over from another, or joins it, serves what that one has told
  if (share !== "join") { for (const line of describeProject(project)) print(line); }
  await runtime.events.emit("listening", { url, server });
  if (listening) listening({ port: server.addr.port, metricsPort: metrics?.addr.port });
  else print(`\nserver listening on ${url} (started in ${Math.round(performance.now() - start)} ms)`);
  return { project, runtime, url, finished: server.finished.then(stop), stop };
}

async function startRuntime(runtime: Runtime, isWorker: boolean): Promise<void> {
  await runtime.start();
  if (!isWorker) return;
  try {
    await assertSharedByWorkers(runtime);
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** Whoever reads a log of JSON lines finds nothing else in it. */
function printer(runtime: Runtime): (line: string) => void {
  const { format } = (runtime.env.log ?? {}) as { readonly format?: string };
  if (format !== "json") return console.log;
  const log = runtime.log("server");
  return (line) => {
    const text = line.trim();
    if (text !== "") log.info(text);
  };
}

async function listen(
  runtime: Runtime,
  { share, ...where }: Pick<ServeOptions, "share"> & { readonly port: number; readonly hostname?: string },
  handler: Deno.ServeHandler = runtime.fetch,
): Promise<ServerWithEvents> {
  try {
    // a port that is shared is nobody else's: other servers would go on listening there, too
    if (share === "begin") Deno.listen(where).close();
    const server = Deno.serve({ ...where, reusePort: share !== undefined, onListen: () => {} }, handler);
    return withServerEvents(server, (text) => runtime.log("server").warn(text));
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

/** What stands below `fw.server`, as far as it is about this process. */
interface ServerSettings {
  readonly port?: number;
  readonly host?: string;
  readonly shutdownMs?: number;
  readonly drainMs?: number;
  readonly metrics?: { readonly port?: number };
}

/** A worker tells its measurements on this machine only: who has started it tells those of all. */
function workerMetrics({ metrics }: ServerSettings): ServerSettings {
  return metrics?.port === undefined ? {} : { host: "127.0.0.1", metrics: { port: 0 } };
}

/** Measurements and states at a port of their own, for which nobody logs in: it is not for the world. */
async function serveMetrics(
  runtime: Runtime,
  { metrics: { port } = {}, host, share }: ServerSettings & Pick<ServeOptions, "share">,
): Promise<Deno.HttpServer<Deno.NetAddr> | undefined> {
  const { metrics } = runtime;
  if (port === undefined || metrics === undefined) return undefined;
  return await listen(runtime, { port, hostname: host, share }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/metrics") return await metricsResponse(metrics);
    return pathname === "/health" || pathname === "/ready"
      ? await runtime.fetch(request)
      : new Response(null, { status: 404 });
  });
}

/** Ends the servers once: requests under way are answered, within a bounded time. */
function stopper(
  servers: readonly Deno.HttpServer[],
  runtime: Runtime,
  { shutdownMs = 10_000, drainMs = 0, unwatch }: ServerSettings & { readonly unwatch: () => void },
): () => Promise<void> {
  const log = runtime.log("server");
  let stopped: Promise<void> | undefined;
  const cut = () => {
    log.error(`Requests under way were cut off after ${shutdownMs} ms ("fw.server.shutdownMs")`);
    Deno.exit(1);
  };
  const stop = () =>
    stopped ??= (async () => {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
      // load balancers learn of it before connections are refused
      runtime.readiness.drain();
      if (drainMs > 0) await new Promise((resolve) => setTimeout(resolve, drainMs));
      // their clients come again, to another process
      runtime.live?.streams.close();
      const timer = setTimeout(cut, shutdownMs);
      try {
        await Promise.all(servers.map((server) => server.shutdown()));
        await runtime.close();
      } finally {
        clearTimeout(timer);
        unwatch();
      }
    })();
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      log.info(`${signal}: requests under way are answered, new ones refused`);
      void stop().then(() => log.info("stopped"));
    };
    Deno.addSignalListener(signal, listener);
    return [signal, listener] as const;
  });
  return stop;
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/**
 * Logs rejected promises that nobody has handled, which would end the process otherwise: what a handler forgets to await
 * must not stop the requests of others.
 *
 * @param log takes the errors
 * @returns ends this
 */
function logRejections(log: Pick<Logger, "error">): () => void {
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("A promise that nobody waited for was rejected:", event.reason);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  return () => globalThis.removeEventListener("unhandledrejection", onRejection);
}

/**
 * What to tell about a compiled model that is older than a source beside it.
 *
 * @param project the project
 * @returns a warning; undefined where there is none
 */
export function outdatedModel({ folder, modelFiles, runtime }: Project): string | undefined {
  const [compiled = "", ...others] = modelFiles;
  if (others.length > 0 || !compiled.endsWith("csn.json")) return undefined;
  const time = modifiedAt(compiled);
  const newer = findModelSources(folder, runtime.env).find((source) => modifiedAt(source) > time);
  if (newer === undefined) return undefined;
  const [model, source] = [compiled, newer].map((path) => path.slice(folder.length + 1));
  return `${model}, from which production starts, is older than ${source}: "fw build" writes it anew`;
}

function modifiedAt(path: string): number {
  return Deno.statSync(path).mtime?.getTime() ?? 0;
}

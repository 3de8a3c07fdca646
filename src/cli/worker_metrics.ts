/**
 * Measurements of all workers at one port, each with the number of its worker.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { WorkerProcess } from "./worker_process.ts";

/** How long to wait for a worker: one that answers nobody must not hide the others. */
const WORKER_MS = 5_000;

/**
 * Serves the measurements of workers, and whether any of them is ready.
 *
 * @param settings where
 * @param workers those that run, by number
 * @returns undefined where no port is configured
 * @throws ConfigurationError for a port that is in use
 */
export function serveWorkerMetrics(
  { metrics: { port } = {}, host: hostname }: {
    readonly metrics?: { readonly port?: number };
    readonly host?: string;
  },
  workers: () => readonly (readonly [number, WorkerProcess])[],
): Deno.HttpServer | undefined {
  if (port === undefined) return undefined;
  const ask = async (path: string) => {
    const answers = await Promise.all(
      workers().map(async ([number, { metricsPort }]) => {
        if (metricsPort === undefined) return [];
        try {
          const signal = AbortSignal.timeout(WORKER_MS);
          const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`, { signal });
          return [{ number, response, text: await response.text() }];
        } catch {
          // it is about to end, or does not answer in time
          return [];
        }
      }),
    );
    return answers.flat();
  };
  try {
    return Deno.serve({ port, hostname, onListen: () => {} }, async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/metrics") {
        const answers = await ask(pathname);
        const type = answers[0]?.response.headers.get("content-type") ?? "text/plain";
        return new Response(mergedMetrics(answers), { headers: { "content-type": type } });
      }
      if (pathname !== "/health" && pathname !== "/ready") return new Response(null, { status: 404 });
      const answers = await ask(pathname);
      const one = answers.find(({ response }) => response.ok) ?? answers[0];
      return new Response(one?.text, { status: one?.response.status ?? 503 });
    });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
    throw new ConfigurationError(`Port ${port} is in use ("fw.server.metrics.port")`, {}, { cause });
  }
}

/**
 * Texts of OpenMetrics 1.0 as one: each measurement has the label `worker`.
 *
 * @param all texts by the number of their worker
 */
export function mergedMetrics(all: readonly { readonly number: number; readonly text: string }[]): string {
  const families = new Map<string, { readonly about: readonly string[]; readonly samples: string[] }>();
  for (const { number, text } of all) {
    let family: { about: string[]; samples: string[] } | undefined;
    let name = "";
    for (const line of text.split("\n")) {
      if (line === "" || line === "# EOF") continue;
      const [, about] = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line) ?? [];
      if (about !== undefined && about !== name) {
        name = about;
        family = { about: [], samples: families.get(name)?.samples ?? [] };
        if (!families.has(name)) families.set(name, family);
      }
      if (about === undefined) family?.samples.push(labelled(line, number));
      else family?.about.push(line);
    }
  }
  const lines = [...families.values()].flatMap(({ about, samples }) => [...about, ...samples]);
  return [...lines, "# EOF", ""].join("\n");
}

/** `name{a="b"} 1` or `name 1`. */
function labelled(sample: string, number: number): string {
  const [, name = "", brace = "", rest = ""] = /^([^\s{]+)(\{?)(.*)$/.exec(sample) ?? [];
  const label = `worker="${number}"`;
  if (brace === "") return `${name}{${label}}${rest}`;
  return `${name}{${label}${rest.startsWith("}") ? "" : ","}${rest}`;
}

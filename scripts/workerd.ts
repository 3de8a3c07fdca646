/**
 * The real `workerd`, from npm, as a server for tests and the benchmark.
 *
 * @module
 */

import { freePort } from "./faults/server_command.ts";

const VERSION = "^1.20261117.1";
const FOLDER = "dist/workerd";
/** How long the start may take on a busy machine. */
const START_MS = 60_000;
const RETRY_MS = 1;

/** A running server. */
export interface WorkerdServer {
  readonly url: string;
  /** Time from the start of the process to the first answer. */
  readonly coldStartMs: number;
  /** Its process. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** The package that holds the binary for this machine. */
function packageName(): string {
  const system = Deno.build.os === "darwin" ? "darwin" : Deno.build.os === "windows" ? "windows" : "linux";
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "64";
  return `@cloudflare/workerd-${system}-${arch}`;
}

/** Installs the package into `dist/` and gives the path of the binary. */
async function install(): Promise<string> {
  const name = packageName();
  const binary = `${FOLDER}/node_modules/${name}/bin/workerd`;
  if (exists(binary)) return binary;
  Deno.mkdirSync(FOLDER, { recursive: true });
  Deno.writeTextFileSync(`${FOLDER}/package.json`, JSON.stringify({ dependencies: { [name]: VERSION } }));
  Deno.writeTextFileSync(`${FOLDER}/deno.json`, JSON.stringify({ nodeModulesDir: "auto" }));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: ["install"], cwd: FOLDER })
    .output();
  if (!success) throw new Error(`workerd could not be installed: ${new TextDecoder().decode(stderr)}`);
  return binary;
}

/**
 * Serves a bundle.
 *
 * @param module path of the bundle
 * @param path that is asked for first
 */
export async function startWorkerd(module: string, path = "/health"): Promise<WorkerdServer> {
  const binary = await install();
  const port = freePort();
  // workerd reads embedded files relative to its configuration.
  const slash = module.lastIndexOf("/") + 1;
  const config = `${module.slice(0, slash)}workerd-${port}.capnp`;
  Deno.writeTextFileSync(config, configuration(port, module.slice(slash)));
  const start = performance.now();
  const process = new Deno.Command(binary, { args: ["serve", config], stdout: "null", stderr: "null" })
    .spawn();
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    process.kill("SIGTERM");
    await process.status;
    Deno.removeSync(config);
  };
  try {
    await untilAnswered(url + path);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, coldStartMs: performance.now() - start, pid: process.pid, stop };
}

function configuration(port: number, module: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = ( services = [ (name = "main", worker = .fw) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ] );
const fw :Workerd.Worker = ( modules = [ (name = "edge.js", esModule = embed "${module}") ],
  compatibilityDate = "2026-04-01", compatibilityFlags = ["nodejs_als"] );
`;
}

async function untilAnswered(url: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  throw new Error(`workerd does not answer at ${url}`);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

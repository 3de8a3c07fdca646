/**
 * Servers that a fault test starts itself, to kill them.
 *
 * @module
 */

import { answers, type SERVICES } from "../test_services.ts";
import { pause } from "./harness.ts";

const COMMANDS: Readonly<Record<string, (port: number, folder: string) => readonly string[]>> = {
  nats: (port, folder) => ["nats-server", "-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", `${folder}/nats`],
  redis: (port, folder) => [
    ...["redis-server", "--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder],
    ...["--appendonly", "yes", "--save", ""],
  ],
};
const AWAY_MS = 1_000;

/** A server of a test. */
export interface LocalServer {
  /** `host:port`. */
  readonly address: string;
  /** Kills it without warning and starts it again after a second. */
  restart(): Promise<void>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Whether a server can be started here: its program is installed. */
export async function canStart(name: keyof typeof SERVICES): Promise<boolean> {
  const command = COMMANDS[name]?.(0, "")[0];
  if (command === undefined) return false;
  try {
    return (await new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

/**
 * Starts a server on a free port.
 *
 * @param name the server
 * @param folder where it stores its data
 */
export async function startServer(name: keyof typeof SERVICES, folder: string): Promise<LocalServer> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const address = `127.0.0.1:${port}`;
  const [command, ...args] = COMMANDS[name](port, folder);
  const start = async () => {
    const process = new Deno.Command(command, { args, stdout: "null", stderr: "null" }).spawn();
    while (!await answers(address)) await pause(50);
    return process;
  };
  let process = await start();
  const kill = async () => {
    process.kill("SIGKILL");
    await process.status;
  };
  return {
    address,
    restart: async () => {
      await kill();
      await pause(AWAY_MS);
      process = await start();
    },
    stop: kill,
  };
}

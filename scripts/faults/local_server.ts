/**
 * Servers that a fault test starts itself, to kill them.
 *
 * @module
 */

import { answers, type SERVICES } from "../test_services.ts";
import { pause } from "../../src/util/time.ts";
import { rabbitCommands } from "./rabbit_commands.ts";
import { freePort, type ServerCommand } from "./server_command.ts";

/** Why a server does not run here. */
export class NotStartable extends Error {
  override readonly name = "NotStartable";
}

/** The programs of a server, the one that listens last; they are started in this order. */
type Commands = (port: number, folder: string) => readonly ServerCommand[];

const COMMANDS: Readonly<Partial<Record<keyof typeof SERVICES, Commands>>> = {
  nats: (port, folder) => [{
    command: "nats-server",
    args: ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", `${folder}/nats`],
  }],
  redis: (port, folder) => [{
    command: "redis-server",
    args: [
      ...["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder],
      ...["--appendonly", "yes", "--save", ""],
    ],
  }],
  rabbitmq: rabbitCommands,
};
const AWAY_MS = 1_000;
const START_MS = 90_000;

/** A server of a test. */
export interface LocalServer {
  /** `host:port`. */
  readonly address: string;
  /** Kills it without warning and starts it again after a second. */
  restart(): Promise<void>;
  /** Ends it. */
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port.
 *
 * @param name the server
 * @param folder where it stores its data
 * @throws NotStartable if its program is not there, or ends by itself
 */
export async function startServer(name: keyof typeof SERVICES, folder: string): Promise<LocalServer> {
  const port = freePort();
  const address = `127.0.0.1:${port}`;
  const commands = COMMANDS[name]?.(port, folder) ?? [];
  const main = commands.at(-1);
  if (main === undefined) throw new NotStartable(`no program is known for ${name}`);
  const helpers: Deno.ChildProcess[] = [];
  const stopHelpers = () => Promise.all(helpers.map(end));
  let process: Deno.ChildProcess;
  try {
    for (const helper of commands.slice(0, -1)) helpers.push(spawn(helper));
    process = await startListening(main, address);
  } catch (error) {
    await stopHelpers();
    throw error;
  }
  return {
    address,
    restart: async () => {
      await end(process);
      await pause(AWAY_MS);
      process = await startListening(main, address);
    },
    stop: async () => {
      await end(process);
      await stopHelpers();
    },
  };
}

function spawn({ command, args, env }: ServerCommand): Deno.ChildProcess {
  try {
    const silent = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(command, { args: [...args], env: { ...env }, ...silent }).spawn();
  } catch (cause) {
    throw new NotStartable(`${command} is not installed`, { cause });
  }
}

async function startListening(command: ServerCommand, address: string): Promise<Deno.ChildProcess> {
  const process = spawn(command);
  let hasEnded = false;
  const ended = process.status.then(() => hasEnded = true);
  for (const last = Date.now() + START_MS; !await answers(address);) {
    if (hasEnded) throw new NotStartable(`${command.command} does not start for this user`);
    if (Date.now() > last) {
      await end(process);
      throw new NotStartable(`${command.command} does not answer after ${START_MS / 1000} s`);
    }
    await Promise.race([pause(50), ended]);
  }
  return process;
}

async function end(process: Deno.ChildProcess): Promise<void> {
  try {
    process.kill("SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
  await process.status;
}

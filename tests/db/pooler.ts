/**
 * `pgbouncer` in front of the server of the tests, in transaction mode.
 *
 * @module
 */

import { freePort } from "../../scripts/faults/server_command.ts";
import { answers } from "../../scripts/test_services.ts";
import { pause } from "../../src/util/time.ts";
import { missing } from "../clients/packages.ts";
import { credentials, server } from "./postgres.ts";

/** A pooler that runs. */
export interface Pooler {
  /** Where it listens at 127.0.0.1. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Whether it is on this machine; tests that need it are ignored otherwise. */
export const hasPooler: boolean = server.isThere && isInstalled();

function isInstalled(): boolean {
  try {
    return new Deno.Command("pgbouncer", { args: ["--version"] }).outputSync().success;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    missing("pgbouncer", "There is no pgbouncer on the path (apt-get install pgbouncer)");
    return false;
  }
}

/**
 * Starts one; it refuses to run as root.
 *
 * @param connections to the server, of which each transaction gets any
 */
export async function startPooler(connections: number): Promise<Pooler> {
  const folder = Deno.makeTempDirSync();
  const port = freePort();
  const { host, port: to, user } = credentials("");
  const lines = [
    ...["[databases]", `* = host=${host} port=${to} user=${user}`, "[pgbouncer]", "unix_socket_dir ="],
    ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "auth_type = any", "pool_mode = transaction"],
    `default_pool_size = ${connections}`,
  ];
  Deno.writeTextFileSync(`${folder}/pooler.ini`, lines.join("\n") + "\n");
  const args = ["-q", ...(Deno.uid() === 0 ? ["-u", "nobody"] : []), `${folder}/pooler.ini`];
  const pooler = new Deno.Command("pgbouncer", { args, stdout: "null", stderr: "null" }).spawn();
  for (let tries = 0; tries < 200 && !await answers(`127.0.0.1:${port}`); tries++) await pause(50);
  return {
    port,
    async stop() {
      pooler.kill("SIGKILL");
      await pooler.status;
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

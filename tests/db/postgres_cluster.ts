/**
 * A cluster of PostgreSQL with a streaming replica, made for a test in a folder of its own.
 *
 * @module
 */

import { programsIn } from "../../scripts/faults/own_postgres.ts";
import { freePort } from "../../scripts/faults/server_command.ts";

/** Two servers, of which the second one repeats the first. */
export interface ReplicatedCluster {
  readonly primary: number;
  readonly replica: number;
  /** Sends a signal to all processes of the replica. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Runs SQL text on one of the servers, as `psql` does. */
  query(port: number, sql: string): string;
  /** Ends the replica. */
  stop(): void;
  /** Starts it again. */
  start(): void;
}

/** Runs something with a cluster; all of it is gone in the end. */
export async function withReplicatedCluster(
  programs: string,
  use: (cluster: ReplicatedCluster) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const run = programsIn(programs, folder);
  const servers = { primary: freePort(), replica: freePort() };
  const control = (name: keyof typeof servers, action: "start" | "stop") => {
    const settings = `-c port=${servers[name]} -c unix_socket_directories=${folder} ${SETTINGS}`;
    const how = action === "start" ? ["-o", settings, "-l", `${folder}/${name}.log`] : ["-m", "immediate"];
    run("pg_ctl", "-D", `${folder}/${name}`, "-w", ...how, action);
  };
  const running = new Set<keyof typeof servers>();
  const start = (name: keyof typeof servers) => {
    control(name, "start");
    running.add(name);
  };
  try {
    run("initdb", "-D", `${folder}/primary`, "-U", "postgres", "--auth=trust", "--no-sync");
    start("primary");
    run(
      "pg_basebackup",
      ...["-h", "127.0.0.1", "-p", String(servers.primary), "-U", "postgres", "--no-sync"],
      ...["-D", `${folder}/replica`, "-R", "-X", "stream", "-c", "fast"],
    );
    start("replica");
    await use({
      ...servers,
      signal(signal) {
        const pid = Number(Deno.readTextFileSync(`${folder}/replica/postmaster.pid`).split("\n")[0]);
        for (const one of [pid, ...childrenOf(pid)]) Deno.kill(one, signal);
      },
      query: (port, sql) => run("psql", "-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres", "-Atc", sql),
      stop() {
        control("replica", "stop");
        running.delete("replica");
      },
      start: () => start("replica"),
    });
  } finally {
    for (const name of running) control(name, "stop");
    Deno.removeSync(folder, { recursive: true });
  }
}

const SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=60";

function childrenOf(pid: number): readonly number[] {
  const { stdout } = new Deno.Command("pgrep", { args: ["-P", String(pid)] }).outputSync();
  return new TextDecoder().decode(stdout).trim().split("\n").filter((line) => line !== "").map(Number);
}

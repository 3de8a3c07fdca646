/**
 * A cluster of PostgreSQL with a streaming replica, made for a test in a folder of its own.
 *
 * @module
 */

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

/** Where the programs of the server are; undefined where they are not installed. */
export function postgresPrograms(): string | undefined {
  try {
    const folders = [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => Number(name));
    const latest = folders.filter(Number.isFinite).sort((one, other) => other - one)[0];
    const folder = `/usr/lib/postgresql/${latest}/bin`;
    for (const program of ["initdb", "pg_ctl", "pg_basebackup"]) Deno.statSync(`${folder}/${program}`);
    return folder;
  } catch {
    return undefined;
  }
}

/** Runs something with a cluster; all of it is gone in the end. */
export async function withReplicatedCluster(
  programs: string,
  use: (cluster: ReplicatedCluster) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const isRoot = Deno.uid() === 0;
  const run = (program: string, ...args: readonly string[]): string => {
    const command = [`${programs}/${program}`, ...args];
    const [name, ...rest] = isRoot ? ["setpriv", ...POSTGRES, ...command] : command;
    const { success, stdout, stderr } = new Deno.Command(name!, { args: rest, cwd: folder }).outputSync();
    if (!success) throw new Error(`${command.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  };
  if (isRoot) new Deno.Command("chown", { args: ["postgres", folder] }).outputSync();
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

/** A server refuses to run as root. */
const POSTGRES = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
const SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=60";

function childrenOf(pid: number): readonly number[] {
  const { stdout } = new Deno.Command("pgrep", { args: ["-P", String(pid)] }).outputSync();
  return new TextDecoder().decode(stdout).trim().split("\n").filter((line) => line !== "").map(Number);
}

/**
 * A cluster of PostgreSQL of a test: for what must not be done to one that others use, for example let its disk run full,
 * or its clock run ahead.
 *
 * @module
 */

import type { FaultReport } from "./harness.ts";
import { NotStartable } from "./local_server.ts";
import { freePort } from "./server_command.ts";
import type { PostgresPlace } from "./shop_databases.ts";

/** A server refuses to run as root. */
const POSTGRES = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
const SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off";

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

/** Runs a program of PostgreSQL and returns what it prints. */
export type RunProgram = (program: string, ...args: readonly string[]) => string;

/**
 * What runs programs of PostgreSQL as a user whom they accept.
 *
 * @param programs where they are
 * @param folder in which they may write
 * @param env variables
 */
export function programsIn(
  programs: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): RunProgram {
  const isRoot = Deno.uid() === 0;
  if (isRoot) new Deno.Command("chown", { args: ["postgres", folder] }).outputSync();
  return (program, ...args) => {
    // variables are for the program, not for what starts it as another user
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const command = ["env", ...variables, `${programs}/${program}`, ...args];
    const [name, ...rest] = isRoot ? ["setpriv", ...POSTGRES, ...command] : command;
    const { success, stdout, stderr } = new Deno.Command(name!, { args: rest, cwd: folder }).outputSync();
    if (!success) throw new Error(`${command.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  };
}

/** What is particular to a cluster. */
export interface OwnPostgresOptions {
  /** An empty folder that everybody may enter. */
  readonly folder: string;
  /** Folder of the data, if it is another one. */
  readonly data?: string;
  /** Variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** As in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A cluster that runs. */
export interface OwnPostgres {
  readonly place: PostgresPlace;
  stop(): void;
}

/**
 * Makes a cluster and starts its server. Its log of changes (`pg_wal`) is in the folder, wherever the data are: a server
 * without room for that ends.
 *
 * @throws NotStartable where there are no programs
 */
export function startOwnPostgres(
  { folder, data = folder, env, settings = {} }: OwnPostgresOptions,
): OwnPostgres {
  const programs = postgresPrograms();
  if (programs === undefined) throw new NotStartable("there are no programs in /usr/lib/postgresql");
  if (data !== folder) programsIn(programs, data);
  const prepare = programsIn(programs, folder);
  const cluster = `${data}/cluster`;
  prepare(
    "initdb",
    ...["-D", cluster, "-X", `${folder}/wal`, "-U", "postgres", "--auth=trust", "--no-sync"],
  );
  const port = freePort();
  const all = Object.entries({ port, unix_socket_directories: folder, ...settings });
  const options = [SETTINGS, ...all.map(([name, value]) => `-c ${name}=${value}`)].join(" ");
  programsIn(programs, folder, env)(
    "pg_ctl",
    ...["-D", cluster, "-w", "-o", options, "-l", `${folder}/server.log`, "start"],
  );
  return {
    place: { host: "127.0.0.1", port, user: "postgres", database: "postgres" },
    stop: () => void prepare("pg_ctl", "-D", cluster, "-w", "-m", "immediate", "stop"),
  };
}

/**
 * Makes a cluster for as long as it is used.
 *
 * @param folder an empty folder, which gets folders `server` and `shop`
 * @param options what is particular to the cluster
 * @param use gets where it is
 * @returns undefined, with a line that says why, where none can be made
 */
export async function withOwnPostgres(
  folder: string,
  options: Omit<OwnPostgresOptions, "folder">,
  use: (place: PostgresPlace) => Promise<FaultReport>,
): Promise<FaultReport | undefined> {
  Deno.chmodSync(folder, 0o755);
  for (const name of ["server", "shop"]) Deno.mkdirSync(`${folder}/${name}`);
  return await unlessNotStartable("a cluster of its own", async () => {
    const own = startOwnPostgres({ folder: `${folder}/server`, ...options });
    try {
      return await use(own.place);
    } finally {
      own.stop();
    }
  });
}

/**
 * Runs a scenario where what it needs can be started.
 *
 * @param scenario for the line that says why it is left out
 * @param run the scenario
 */
export async function unlessNotStartable<T>(scenario: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NotStartable)) throw error;
    console.error(`${scenario} is left out: ${error.message}`);
    return undefined;
  }
}

/**
 * The fault tests of running: a new version comes up beside the old one, more load comes than there is room for, the same goes
 * on for long; clients count what they were answered.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { ShopClients } from "./shop_clients.ts";
import { withOwnPostgres } from "./own_postgres.ts";
import { type PostgresPlace, postgresShop, querySql } from "./shop_databases.ts";
import { withShop } from "./shop_run.ts";

/** Where the database is, and how long a run takes. */
export interface OperationOptions {
  readonly postgres: PostgresPlace;
  readonly seconds: number;
  readonly clients: number;
  readonly paceMs?: number;
}

/**
 * Both servers of a shop are replaced by those of a new version, whose model renames an element and adds another one, while clients go on.
 *
 * @param folder an empty folder
 * @param options sizes, and how many tenants there are, if any
 */
export function upgradeUnderLoad(
  folder: string,
  { postgres, seconds, tenants: number, ...sizes }: OperationOptions & { readonly tenants?: number },
): Promise<FaultReport> {
  const scenario = number === undefined ? "upgrade under load" : `upgrade, ${number} tenants`;
  const tenants = number === undefined ? undefined : Array.from({ length: number }, (_, n) => `t${n}`);
  const run = { scenario, database: postgresShop({ place: postgres, tenants }), tenants, ...sizes };
  return withShop(folder, run, async ({ servers, start }) => {
    const third = seconds * 1000 / 3;
    await pause(third);
    for (const name of ["new 1", "new 2"]) {
      servers.push(await start(name, true));
      // whoever balances the load takes a server out before it ends
      const [old] = servers.splice(0, 1);
      await pause(1_000);
      await old!.stop();
      await pause(third / 2);
    }
    await pause(third);
  });
}

/**
 * Ten times as many clients as there is room for: what is taken on is answered soon, the rest is told to come again.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export function overload(
  folder: string,
  { postgres, seconds, ...sizes }: OperationOptions,
): Promise<FaultReport> {
  const settings = { server: { rate_limits: { concurrent: ROOM } } };
  const run = {
    scenario: "overload",
    database: postgresShop({ place: postgres }),
    settings,
    ...sizes,
  };
  return withShop(folder, { ...run, refusals: REFUSALS }, async ({ servers, users, clients, ...report }) => {
    const origins = () => servers.map(({ origin }) => origin);
    await pause(5_000);
    const before = servers.map((server) => server.sizes().memory);
    const number = 10 * ROOM * servers.length;
    const crowd = new ShopClients({ clients: number, users, origins, paceMs: CROWD_PACE_MS });
    await pause(seconds * 1000);
    await crowd.stop();
    const after = servers.map((server) => server.sizes().memory);
    report.figures.push(`${number} clients, ${ROOM} at once in each process`, ...crowd.summary());
    report.figures.push(`memory of processes in MB: ${before} before, ${after} after`);
    const others = [...crowd.statuses.keys()].filter((status) =>
      (status < 200 || status > 299) && !REFUSALS.includes(status)
    );
    if (others.length > 0) {
      report.faults.push(`answers with ${others}: ${crowd.failures.slice(0, 3).join("; ")}`);
    }
    if (crowd.within(0.99) > 1_000) report.faults.push(`99 % were answered within ${crowd.within(0.99)} ms`);
    const usual = new ShopClients({ clients: 2, users, origins });
    await pause(5_000);
    await usual.stop();
    report.figures.push("afterwards:", ...usual.summary());
    if (usual.answered(429, 599) > 0) report.faults.push("requests are refused when the crowd has gone");
    for (const other of [crowd, usual]) clients.add(other);
  });
}

/** Requests that a process answers at once. */
const ROOM = 8;
/** Who sends and measures takes processor time of the servers: clients that asked without a pause would measure that. */
const CROWD_PACE_MS = 200;
const REFUSALS: readonly number[] = [429, 503];

/** A soak. */
export interface SoakOptions extends Omit<OperationOptions, "postgres"> {
  /** Messages beside those of single orders, evenly over the time. */
  readonly messages: number;
}

/**
 * Mixed requests and messages for a long time: nothing may grow. The server of the database is one of its own, as servers in
 * production have it: what is written is on the disk, and rows that are gone are swept away.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export function soak(folder: string, options: SoakOptions): Promise<FaultReport | undefined> {
  const settings = { fsync: "on", autovacuum: "on" };
  return withOwnPostgres(folder, { settings }, (postgres) => soakOn(`${folder}/shop`, postgres, options));
}

function soakOn(
  folder: string,
  postgres: PostgresPlace,
  { seconds, messages, ...sizes }: SoakOptions,
): Promise<FaultReport> {
  const run = { scenario: "soak", database: postgresShop({ place: postgres }), ...sizes };
  return withShop(folder, run, async ({ servers, users, clients, figures, faults }) => {
    const origins = () => servers.map(({ origin }) => origin);
    const feeder = new ShopClients({ clients: 0, users, origins, ordersPerSecond: messages / seconds });
    const seen: Sizes[] = [];
    for (let look = 1; look <= LOOKS; look++) {
      await pause(seconds * 1000 / LOOKS);
      const sizes = servers.map((server) => server.sizes());
      const [row] = await querySql(
        postgres,
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'fw'",
      );
      const memory = Math.max(...sizes.map(({ memory }) => memory));
      const files = Math.max(...sizes.map(({ files }) => files));
      seen.push({ memory, files, connections: Number(row!.n) });
      console.error(
        `${look}/${LOOKS}: ${clients.count} requests, ${feeder.acknowledged} orders in bulk: ` +
          `${memory} MB, ${files} files, ${row!.n} connections`,
      );
    }
    await feeder.stop();
    clients.add(feeder);
    figures.push(`messages: ${clients.acknowledged}`, ...growthOf(seen, faults));
    if (feeder.acknowledged < messages) faults.push(`only ${feeder.acknowledged} of ${messages} were sent`);
    if (feeder.failures.length > 0) faults.push(`requests failed: ${feeder.failures.slice(0, 3).join("; ")}`);
  });
}

/** How often sizes are looked at. */
const LOOKS = 16;

/** The largest of all processes. */
interface Sizes {
  readonly memory: number;
  readonly files: number;
  readonly connections: number;
}

/** What was seen, in words; faults get what has grown. */
function growthOf(seen: readonly Sizes[], faults: string[]): readonly string[] {
  return (["memory", "files", "connections"] as const).map((name) => {
    const all = seen.map((one) => one[name]);
    const [early, late] = [all.slice(LOOKS / 4, LOOKS / 2), all.slice(-LOOKS / 4)].map((part) =>
      Math.max(...part)
    );
    if (late! > 1.25 * early! + 5) faults.push(`${name} has grown from ${early} to ${late}`);
    return `${name}: ${all.join(" ")}`;
  });
}

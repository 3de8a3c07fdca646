/**
 * The fault tests of running: a new version comes up beside the old one, the database goes away, more load comes than there
 * is room for; clients count what they were answered, and afterwards all orders that were confirmed must be there, each told
 * exactly once.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { ShopClients } from "./shop_clients.ts";
import { querySql, type ShopDatabase, type ShopOptions, ShopServer, writeShop } from "./shop_servers.ts";
import { TcpProxy } from "./tcp_proxy.ts";

/** How long orders may take to be told once nobody orders any more. */
const SETTLE_MS = 90_000;

/** Where the database is, and how long a run takes. */
export interface OperationOptions {
  readonly postgres: Readonly<Record<string, unknown>>;
  readonly seconds: number;
  readonly clients: number;
  readonly paceMs?: number;
  readonly tenants?: number;
}

/** A shop that is served, and those who use it. */
interface Run {
  readonly folder: string;
  readonly options: OperationOptions;
  readonly database: ShopDatabase;
  readonly users: readonly string[];
  /** Servers that take requests. */
  readonly servers: ShopServer[];
  readonly clients: ShopClients;
  /** Writes a version of the project and starts a server of it. */
  start(name: string, isNext?: boolean): Promise<ShopServer>;
}

/**
 * Both servers of a shop are replaced by those of a new version, whose model renames an element and adds another one, while clients go on.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export function upgradeUnderLoad(folder: string, options: OperationOptions): Promise<FaultReport> {
  const title = options.tenants === undefined ? "upgrade under load" : `upgrade, ${options.tenants} tenants`;
  return withShop(folder, { scenario: title, options }, async ({ servers, start, options: { seconds } }) => {
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
 * The database goes away for a while and comes back.
 *
 * @param folder an empty folder
 * @param options sizes
 * @param how whether connections are refused, or nothing comes back from them
 */
export async function databaseAway(
  folder: string,
  options: OperationOptions,
  how: "refused" | "stalled",
): Promise<FaultReport> {
  const { host, port } = options.postgres;
  const proxy = new TcpProxy(`${host}:${port}`);
  try {
    const figures: string[] = [];
    const through = Number(proxy.address.split(":")[1]);
    const report = await withShop(
      folder,
      { scenario: `database ${how}`, options, through, mayFail: true },
      async (run) => {
        const wait = options.seconds * 1000 / 3;
        await pause(wait);
        const before = run.clients.answered(200, 299);
        if (how === "refused") proxy.refuse();
        else proxy.stall();
        await pause(Math.max(3_000, wait / 2));
        figures.push(
          `/ready while it is away: ${await Promise.all(run.servers.map((one) => one.readiness()))}`,
        );
        await pause(wait / 2);
        const during = run.clients.answered(200, 299);
        if (how === "refused") proxy.admit();
        else proxy.resume();
        const back = Date.now();
        while (
          (await Promise.all(run.servers.map((one) => one.readiness()))).some((status) => status !== 200)
        ) {
          await pause(100);
        }
        figures.push(`ready again after ${Date.now() - back} ms`);
        await pause(wait);
        figures.push(
          `answered before ${before}, meanwhile ${during - before}, after ${
            run.clients.answered(200, 299) - during
          }`,
        );
      },
    );
    return { ...report, figures: [...report.figures ?? [], ...figures] };
  } finally {
    await proxy.close();
  }
}

/**
 * Ten times as many clients as there is room for: what is taken on is answered soon, the rest is told to come again.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export async function overload(folder: string, options: OperationOptions): Promise<FaultReport> {
  const figures: string[] = [];
  const faults: string[] = [];
  const settings = { server: { rate_limits: { concurrent: ROOM } } };
  const report = await withShop(
    folder,
    { scenario: "overload", options, settings, mayFail: true },
    async (run) => {
      const { servers, users } = run;
      const origins = () => servers.map(({ origin }) => origin);
      await pause(5_000);
      const before = servers.map((server) => server.sizes().memory);
      const number = 10 * ROOM * servers.length;
      const crowd = new ShopClients({ clients: number, users, origins, paceMs: CROWD_PACE_MS });
      await pause(options.seconds * 1000);
      await crowd.stop();
      const after = servers.map((server) => server.sizes().memory);
      figures.push(`${number} clients, ${ROOM} at once in each process`, ...crowd.summary());
      figures.push(`memory of processes in MB: ${before} before, ${after} after`);
      const others = [...crowd.statuses.keys()].filter((status) => !EXPECTED.includes(status));
      if (others.length > 0) faults.push(`answers with ${others}: ${crowd.failures.slice(0, 3).join("; ")}`);
      if (crowd.within(0.99) > 1_000) faults.push(`99 % were answered within ${crowd.within(0.99)} ms`);
      const usual = new ShopClients({ clients: 2, users, origins });
      await pause(5_000);
      await usual.stop();
      figures.push("afterwards:", ...usual.summary());
      if (usual.answered(429, 599) > 0) faults.push("requests are refused when the crowd has gone");
      for (const other of [crowd, usual]) run.clients.add(other);
    },
  );
  return { ...report, figures: [...report.figures ?? [], ...figures], faults: [...report.faults, ...faults] };
}

/** Requests that a process answers at once. */
const ROOM = 8;
/** Who sends and measures takes processor time of the servers: clients that asked without a pause would measure that. */
const CROWD_PACE_MS = 200;
const EXPECTED: readonly number[] = [200, 201, 204, 429, 503];

/**
 * Mixed requests for a long time: nothing may grow.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export async function soak(folder: string, options: OperationOptions): Promise<FaultReport> {
  const figures: string[] = [];
  const faults: string[] = [];
  const report = await withShop(
    folder,
    { scenario: "soak", options },
    async ({ servers, clients, database }) => {
      const end = Date.now() + options.seconds * 1000;
      const seen: { memory: number; files: number; connections: number }[] = [];
      while (Date.now() < end) {
        await pause(options.seconds * 1000 / LOOKS);
        const sizes = servers.map((server) => server.sizes());
        const [row] = await querySql(
          database,
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'fw'",
        );
        seen.push({
          memory: Math.max(...sizes.map(({ memory }) => memory)),
          files: Math.max(...sizes.map(({ files }) => files)),
          connections: Number(row!.n),
        });
        const { memory, files, connections } = seen.at(-1)!;
        console.error(`${clients.count} requests: ${memory} MB, ${files} files, ${connections} connections`);
      }
      for (const name of ["memory", "files", "connections"] as const) {
        const all = seen.map((one) => one[name]);
        figures.push(`${name}: ${all.join(" ")}`);
        const [early, late] = [all.slice(LOOKS / 4, LOOKS / 2), all.slice(-LOOKS / 4)].map((part) =>
          Math.max(...part)
        );
        if (late! > 1.25 * early! + 5) faults.push(`${name} has grown from ${early} to ${late}`);
      }
    },
  );
  return { ...report, figures: [...report.figures ?? [], ...figures], faults: [...report.faults, ...faults] };
}

/** How often sizes are looked at. */
const LOOKS = 16;

/** How a shop is served. */
interface ShopRun {
  /** Name for the report. */
  readonly scenario: string;
  readonly options: OperationOptions;
  /** Port at which the database is reached. */
  readonly through?: number;
  /** Whether requests may fail meanwhile. */
  readonly mayFail?: boolean;
  readonly settings?: ShopOptions["settings"];
}

async function withShop(
  folder: string,
  { scenario, options, through, mayFail = false, settings }: ShopRun,
  use: (run: Run) => Promise<void>,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const direct: ShopDatabase = {
    schema: "fw_faults_shop",
    ...options.postgres as Omit<ShopDatabase, "schema">,
  };
  const tenants = options.tenants === undefined
    ? undefined
    : Array.from({ length: options.tenants }, (_, n) => `t${n}`);
  const schemas = tenants?.map((tenant) => `${direct.schema}_${tenant}`) ?? [direct.schema];
  await dropSchemas(direct, schemas);
  const start = (name: string, isNext = false) => {
    const project = `${folder}/${name.replace(" ", "_")}`;
    writeShop(project, { database: { ...direct, port: through ?? direct.port }, tenants, settings, isNext });
    return ShopServer.start(project, `${folder}/${name.replace(" ", "_")}.log`);
  };
  const servers: ShopServer[] = [];
  try {
    servers.push(await start("old 1"), await start("old 2"));
    const users = (tenants ?? ["one"]).map((_, n) => `user${n}`);
    const { clients: number, paceMs } = options;
    const clients = new ShopClients({
      ...{ clients: number, users, paceMs },
      origins: () => servers.map(({ origin }) => origin),
    });
    await use({ ...{ folder, options, users, servers, clients, start }, database: direct });
    await clients.stop();
    const effects = await settledEffects(direct, schemas, clients.acknowledged);
    const codes = await Promise.all(servers.splice(0).map((server) => server.stop()));
    const logs = logsOf(folder);
    return { ...reportOf({ scenario, startedAt, clients, mayFail, codes, logs }, effects) };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await dropSchemas(direct, schemas);
  }
}

/** The orders that are there, and how often each was told. */
interface Effects {
  readonly orders: ReadonlySet<string>;
  readonly told: ReadonlyMap<string, number>;
}

async function settledEffects(
  database: ShopDatabase,
  schemas: readonly string[],
  least: number,
): Promise<Effects> {
  const end = Date.now() + SETTLE_MS;
  for (;;) {
    const orders = new Set<string>();
    const told = new Map<string, number>();
    for (const schema of schemas) {
      for (
        const { ID } of await querySql(database, `SELECT "ID"::text AS "ID" FROM "${schema}"."shop_Orders"`)
      ) {
        orders.add(String(ID));
      }
      const effects = await querySql(
        database,
        `SELECT "order"::text AS "ID", count(*)::int AS n FROM "${schema}"."shop_Effects" GROUP BY 1`,
      );
      for (const { ID, n } of effects) told.set(String(ID), Number(n));
    }
    if ((told.size >= orders.size && orders.size >= least) || Date.now() > end) return { orders, told };
    await pause(500);
  }
}

interface Outcome {
  readonly scenario: string;
  readonly startedAt: number;
  readonly clients: ShopClients;
  readonly mayFail: boolean;
  readonly codes: readonly number[];
  readonly logs: string;
}

function reportOf(
  { scenario, startedAt, clients, mayFail, codes, logs }: Outcome,
  { orders, told }: Effects,
): FaultReport {
  const confirmed = [...clients.ordered.values()].flat();
  const lost = confirmed.filter((ID) => !orders.has(ID)).length;
  const untold = [...orders].filter((ID) => !told.has(ID)).length;
  const repeated = [...told.values()].filter((n) => n > 1).length;
  const phantom = [...orders].filter((ID) => !clients.sent.has(ID)).length;
  const faults = [
    ...lost > 0 ? [`${lost} orders that were confirmed are gone`] : [],
    ...untold > 0 ? [`${untold} orders were never told`] : [],
    ...repeated > 0 ? [`${repeated} orders were told more than once`] : [],
    ...codes.some((code) => code !== 0) ? [`servers ended with ${codes}`] : [],
    ...!mayFail && clients.failures.length > 0
      ? [`requests failed: ${clients.failures.slice(0, 3).join("; ")}`, logs]
      : [],
  ];
  return {
    scenario,
    emitted: clients.sent.size,
    acknowledged: confirmed.length,
    handledOnce: [...told.values()].filter((n) => n === 1).length,
    lost: lost + untold,
    phantom,
    duplicates: repeated,
    duplicateEffects: repeated,
    outOfOrder: 0,
    kills: 0,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    figures: clients.summary(),
    faults,
  };
}

async function dropSchemas(database: ShopDatabase, schemas: readonly string[]): Promise<void> {
  for (const schema of schemas) await querySql(database, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
}

/** What servers have complained about. */
function logsOf(folder: string): string {
  const logs = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".log"));
  const lines = logs.flatMap(({ name }) => Deno.readTextFileSync(`${folder}/${name}`).split("\n"));
  return lines.filter((line) => /error|warn/i.test(line)).slice(0, 5).join("\n");
}

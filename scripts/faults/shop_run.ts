/**
 * A run of the shop of the fault tests: servers, clients, what happens to them, and afterwards the account: all orders that
 * were confirmed must be there, each told exactly once, and no answer may be one that is not documented.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { ShopClients } from "./shop_clients.ts";
import type { ShopDatabase } from "./shop_databases.ts";
import { type ShopOptions, ShopServer, writeShop } from "./shop_servers.ts";

/** How long no further order may be told once nobody orders any more, before the account is taken. */
const SETTLE_MS = 90_000;

/** How a shop is served and used. */
export interface ShopRun {
  /** Name for the report. */
  readonly scenario: string;
  readonly database: ShopDatabase;
  readonly tenants?: readonly string[];
  /** Folder of messages; default: beside the projects. */
  readonly box?: string;
  /** Below `fw`. */
  readonly settings?: ShopOptions["settings"];
  readonly clients: number;
  readonly paceMs?: number;
  /** Statuses beside success that requests may get meanwhile; default: none. */
  readonly refusals?: readonly number[];
  /** Processes; default: two. */
  readonly servers?: number;
}

/** A shop that is served, and those who use it. */
export interface Shop {
  readonly users: readonly string[];
  /** Servers that take requests. */
  readonly servers: ShopServer[];
  readonly clients: ShopClients;
  /** What was measured, for the report. */
  readonly figures: string[];
  /** What was promised and did not hold, for the report. */
  readonly faults: string[];
  /** Writes a version of the project and starts a server of it. */
  start(name: string, isNext?: boolean): Promise<ShopServer>;
}

/**
 * Serves a shop while something happens to it.
 *
 * @param folder an empty folder
 * @param run how it is served
 * @param use what happens
 */
export async function withShop(
  folder: string,
  run: ShopRun,
  use: (shop: Shop) => Promise<void>,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const { database, tenants, settings, box, clients: number, paceMs } = run;
  await database.clean();
  const start = (name: string, isNext = false) => {
    const project = `${folder}/${name.replace(" ", "_")}`;
    writeShop(project, { database, tenants, settings, box, isNext });
    return ShopServer.start(project, `${folder}/${name.replace(" ", "_")}.log`);
  };
  const servers: ShopServer[] = [];
  const [figures, faults]: string[][] = [[], []];
  try {
    for (let n = 1; n <= (run.servers ?? 2); n++) servers.push(await start(`old ${n}`));
    const users = (tenants ?? ["one"]).map((_, n) => `user${n}`);
    const origins = () => servers.map(({ origin }) => origin);
    const clients = new ShopClients({ clients: number, users, paceMs, origins });
    try {
      await use({ users, servers, clients, figures: figures!, faults: faults!, start });
    } finally {
      await clients.stop();
    }
    const effects = await settledEffects(database, clients.acknowledged);
    const codes = await Promise.all(servers.splice(0).map((server) => server.stop()));
    if (codes.some((code) => code !== 0)) faults!.push(`servers ended with ${codes}`);
    const report = reportOf(run, { startedAt, clients, logs: logsOf(folder) }, effects);
    return {
      ...report,
      figures: [...report.figures ?? [], ...figures!],
      faults: [...report.faults, ...faults!],
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await database.clean();
  }
}

/**
 * Waits until servers say what they think of themselves.
 *
 * @param shop the shop
 * @param status of `/ready`
 * @param ms gives up then
 * @returns how long it took, in milliseconds; undefined where it did not happen
 */
export async function untilReadiness(
  { servers }: Pick<Shop, "servers">,
  status: number,
  ms: number,
): Promise<number | undefined> {
  const from = Date.now();
  for (;;) {
    const seen = await Promise.all(servers.map((server) => server.readiness()));
    if (seen.every((one) => one === status)) return Date.now() - from;
    if (Date.now() - from > ms) return undefined;
    await pause(100);
  }
}

/** The orders that are there, and how often each was told. */
interface Effects {
  readonly orders: ReadonlySet<string>;
  readonly told: ReadonlyMap<string, number>;
}

async function settledEffects({ rows }: ShopDatabase, least: number): Promise<Effects> {
  let [end, last] = [0, -1];
  for (;;) {
    const found = await rows((table) => `SELECT "ID" AS "ID" FROM ${table("shop_Orders")}`);
    const orders = new Set(found.map(({ ID }) => String(ID)));
    const effects = await rows((table) =>
      `SELECT "order" AS "ID", count(*) AS n FROM ${table("shop_Effects")} GROUP BY 1`
    );
    const told = new Map(effects.map(({ ID, n }) => [String(ID), Number(n)]));
    if (told.size > last) [end, last] = [Date.now() + SETTLE_MS, told.size];
    if ((told.size >= orders.size && orders.size >= least) || Date.now() > end) return { orders, told };
    await pause(500);
  }
}

interface Outcome {
  readonly startedAt: number;
  readonly clients: ShopClients;
  readonly logs: string;
}

function reportOf(
  { scenario, refusals = [] }: ShopRun,
  { startedAt, clients, logs }: Outcome,
  { orders, told }: Effects,
): FaultReport {
  const confirmed = [...clients.ordered.values()].flat();
  const lost = confirmed.filter((ID) => !orders.has(ID)).length;
  const untold = [...orders].filter((ID) => !told.has(ID)).length;
  const repeated = [...told.values()].filter((n) => n > 1).length;
  const phantom = [...orders].filter((ID) => !clients.sent.has(ID)).length;
  const others = [...clients.statuses].filter(([status]) =>
    (status < 200 || status > 299) && !refusals.includes(status)
  );
  const texts = clients.failures.filter((text) => !refusals.some((status) => text.includes(`: ${status} `)));
  const faults = [
    ...lost > 0 ? [`${lost} orders that were confirmed are gone`] : [],
    ...untold > 0 ? [`${untold} orders were never told`] : [],
    ...repeated > 0 ? [`${repeated} orders were told more than once`] : [],
    ...phantom > 0 ? [`${phantom} orders that nobody sent`] : [],
    ...others.length > 0
      ? [
        `requests failed: ${others.map(([status, n]) => `${n} with ${status}`)}: ${
          texts.slice(0, 3).join("; ")
        }`,
        logs,
      ]
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

/** What servers have complained about. */
function logsOf(folder: string): string {
  const logs = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".log"));
  const lines = logs.flatMap(({ name }) => Deno.readTextFileSync(`${folder}/${name}`).split("\n"));
  return lines.filter((line) => /error|warn/i.test(line)).slice(0, 5).join("\n");
}

/**
 * The fault tests of what servers need: the database goes away, has no connections or no room left, its clock is wrong.
 * Requests may be refused meanwhile, as the manual says; afterwards servers go on by themselves, and nothing is lost.
 *
 * @module
 */

import postgres from "postgres";
import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { NotStartable } from "./local_server.ts";
import { unlessNotStartable, withOwnPostgres } from "./own_postgres.ts";
import type { OperationOptions } from "./operations.ts";
import {
  type PostgresPlace,
  postgresShop,
  SHOP_SCHEMA,
  type ShopDatabase,
  sqliteShop,
} from "./shop_databases.ts";
import { type Shop, type ShopRun, untilReadiness, withShop } from "./shop_run.ts";
import { smallDisk } from "./small_disk.ts";
import { TcpProxy } from "./tcp_proxy.ts";

/** How long servers may take to notice that all is well again: half a minute is the longest pause of the outbox. */
const RECOVERY_MS = 10_000;
/** Statuses of requests while the database does not do what it should. */
const UNAVAILABLE: readonly number[] = [503, 504];

/** What happens to a shop. */
interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** What `/ready` says meanwhile. */
  readonly readiness: 200 | 503;
}

/** A third of the time all is well, a third it is not, and then all is well again. */
async function go(shop: Shop, seconds: number, { begin, end, readiness }: Outage): Promise<void> {
  const { clients, figures, faults } = shop;
  const wait = seconds * 1000 / 3;
  await pause(wait);
  const before = clients.answered(200, 299);
  await begin();
  const noticed = await untilReadiness(shop, readiness, RECOVERY_MS);
  if (noticed === undefined) faults.push(`/ready is not ${readiness} while the database is not well`);
  await pause(Math.max(0, wait - (noticed ?? RECOVERY_MS)));
  const states = await Promise.all(shop.servers.map((one) => one.readiness()));
  figures.push(`/ready in the end of it: ${states}`);
  if (states.some((state) => state !== readiness)) faults.push(`/ready changes to ${states} by itself`);
  const during = clients.answered(200, 299);
  await end();
  const back = await untilReadiness(shop, 200, RECOVERY_MS);
  if (back === undefined) faults.push(`not ready ${RECOVERY_MS / 1000} s after the end of it`);
  await pause(wait);
  const after = clients.answered(200, 299) - during;
  figures.push(
    `ready again after ${back} ms; answered before ${before}, meanwhile ${during - before}, after ${after}`,
  );
  if (after === 0) faults.push("no request is answered afterwards");
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
  { postgres: place, seconds, ...sizes }: OperationOptions,
  how: "refused" | "stalled",
): Promise<FaultReport> {
  const proxy = new TcpProxy(`${place.host}:${place.port}`);
  try {
    const through = Number(proxy.address.split(":")[1]);
    const database = postgresShop({ place, through });
    // what has come to the database may be done without anybody learning of it
    const run = { scenario: `database ${how}`, database, refusals: UNAVAILABLE, ...sizes };
    return await withShop(folder, run, (shop) =>
      go(shop, seconds, {
        begin: () => how === "refused" ? proxy.refuse() : proxy.stall(),
        end: () => how === "refused" ? proxy.admit() : proxy.resume(),
        readiness: 503,
      }));
  } finally {
    await proxy.close();
  }
}

/**
 * All connections of the servers wait for somebody who has locked the table.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export async function poolExhausted(
  folder: string,
  { postgres: place, seconds, ...sizes }: OperationOptions,
): Promise<FaultReport> {
  const database = postgresShop({
    place,
    settings: { pool: { max: 2, acquireTimeoutMs: 1_000 }, timeoutMs: 120_000 },
  });
  // more than there are connections
  const run = { scenario: "pool exhausted", database, refusals: UNAVAILABLE, ...sizes, clients: 12 };
  const locker = postgres({ ...place, max: 1, onnotice: () => {} });
  try {
    return await withShop(folder, run, async (shop) => {
      const locked = await locker.reserve();
      await go(shop, seconds, {
        begin: async () => {
          await locked`BEGIN`;
          await locked.unsafe(`LOCK TABLE "${SHOP_SCHEMA}"."shop_Orders" IN ACCESS EXCLUSIVE MODE`);
        },
        end: async () => void await locked`COMMIT`,
        readiness: 503,
      });
      locked.release();
    });
  } finally {
    await locker.end();
  }
}

/**
 * Others take all connections that the server of the database has.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export function serverExhausted(folder: string, options: Sizes): Promise<FaultReport | undefined> {
  const settings = { max_connections: CONNECTIONS };
  return withOwnPostgres(folder, { settings }, (place) => {
    const run = { ...runOf("connections taken", place, options), refusals: UNAVAILABLE };
    return withShop(`${folder}/shop`, run, async (shop) => {
      const others: { end(): Promise<void> }[] = [];
      await go(shop, options.seconds, {
        begin: async () => {
          const admin = postgres({ ...place, max: 1, onnotice: () => {} });
          await admin`SELECT 1`;
          others.push(admin);
          const end = Date.now() + RECOVERY_MS;
          // servers open theirs again until there is no room for one
          for (let room = true; room && Date.now() < end;) {
            await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fw'`;
            const other = postgres({ ...place, max: 1, onnotice: () => {} });
            others.push(other);
            const [row] = await other`SELECT 1 AS one`.catch(() => []);
            const [left] = await admin`SELECT count(*)::int AS n FROM pg_stat_activity
              WHERE application_name = 'fw'`;
            room = row !== undefined || left!.n > 0;
          }
        },
        end: async () => void await Promise.all(others.splice(0).map((one) => one.end())),
        readiness: 503,
      });
      await Promise.all(others.map((one) => one.end()));
    });
  });
}

/**
 * The disk of the database runs full: whoever reads is answered, and who writes is told to come again.
 *
 * @param folder an empty folder
 * @param options sizes
 * @param kind PostgreSQL, whose log of changes is elsewhere, or SQLite, with all messages on the same disk
 */
export async function diskFull(
  folder: string,
  options: Sizes,
  kind: "postgres" | "sqlite",
): Promise<FaultReport | undefined> {
  const scenario = `${kind === "sqlite" ? "SQLite" : "PostgreSQL"}, disk full`;
  return await unlessNotStartable(scenario, async () => {
    const disk = smallDisk(`${folder}/disk`, DISK_MB[kind]);
    const full = (run: ShopRun) =>
      withShop(`${folder}/shop`, { ...run, refusals: UNAVAILABLE }, (shop) =>
        go(shop, options.seconds, {
          begin: () => disk.fill(),
          end: () => disk.free(),
          readiness: 200,
        }));
    try {
      if (kind === "postgres") {
        return await withOwnPostgres(
          folder,
          { data: disk.folder },
          (place) => full(runOf(scenario, place, options)),
        );
      }
      const database = sqliteShop(`${disk.folder}/shop.sqlite`);
      return await full({ ...runFor(scenario, database, options), box: `${disk.folder}/box`, servers: 1 });
    } finally {
      disk.remove();
    }
  });
}

/**
 * The clock of the database jumps an hour ahead, and then an hour behind that of the servers: nobody notices.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export function wrongClock(folder: string, options: Sizes): Promise<FaultReport | undefined> {
  const clock = `${folder}/clock`;
  const set = (offset: string) => Deno.writeTextFileSync(clock, `${offset}\n`);
  return unlessNotStartable("clock of the database", async () => {
    const library = fakeTime();
    set("+0");
    const env = {
      ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_CACHE_DURATION: "1" },
      // what waits counts by another clock
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    return await withOwnPostgres(
      folder,
      { env },
      (place) =>
        withShop(`${folder}/shop`, runOf("clock of the database", place, options), async (shop) => {
          const now = async () => {
            const sql = postgres({ ...place, max: 1 });
            const [row] = await sql`SELECT extract(epoch FROM now())::int AS at`;
            await sql.end();
            return Math.round((row!.at - Date.now() / 1000) / 60);
          };
          for (const offset of ["+3600", "-3600", "+0"]) {
            await pause(options.seconds * 1000 / 4);
            set(offset);
            await pause(2_000);
            shop.figures.push(`the clock is ${await now()} minutes ahead`);
          }
          await pause(options.seconds * 1000 / 4);
        }),
    );
  });
}

type Sizes = Omit<OperationOptions, "postgres">;

/** Few, so that all are taken soon. */
const CONNECTIONS = 16;
/** Room for a cluster and what a run writes. */
const DISK_MB = { postgres: 128, sqlite: 24 } as const;

function runOf(scenario: string, place: PostgresPlace, sizes: Sizes): ShopRun {
  return runFor(scenario, postgresShop({ place }), sizes);
}

function runFor(scenario: string, database: ShopDatabase, { clients, paceMs }: Sizes): ShopRun {
  return { scenario, database, clients, paceMs };
}

/** The library that `faketime` puts in front of that of the system. */
function fakeTime(): string {
  for (const folder of ["x86_64-linux-gnu", "aarch64-linux-gnu"]) {
    const file = `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`;
    try {
      Deno.statSync(file);
      return file;
    } catch {
      // it may be in the other one
    }
  }
  throw new NotStartable("faketime is not installed (apt-get install faketime)");
}

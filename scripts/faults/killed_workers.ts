/**
 * Workers of `fw serve --workers` are killed again and again while clients send asynchronous requests, call some of them off,
 * and follow what changes by delta links: what monitors say must be what has become of the rows.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { freePort } from "./server_command.ts";
import { type PostgresPlace, postgresShop } from "./shop_databases.ts";

const CLI = new URL("../../src/cli/mod.ts", import.meta.url).pathname;
const CONFIGURATION = new URL("../../deno.json", import.meta.url).pathname;

/** Sizes of a run. */
export interface KilledWorkersOptions {
  readonly postgres: PostgresPlace;
  readonly seconds: number;
  readonly workers: number;
  readonly clients: number;
  readonly kills: number;
  /** Orders that are confirmed at least, however long that takes. */
  readonly orders: number;
}

const MODEL = `
  namespace shop;
  entity Orders { key ID : UUID; item : String; }
  service Shop { @odata.trackChanges entity Orders as projection on shop.Orders; }`;

/** Work takes a while before and behind what it writes, so that kills meet all of it. */
const HANDLERS = `const some = (ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms));
export default (srv) => {
  srv.before("CREATE", "Orders", () => some(150));
  srv.after("CREATE", "Orders", (_, req) => { req.on("succeeded", () => some(100)); return some(100); });
};
`;

/** A silence after which a worker counts as killed, in milliseconds. */
const LEASE_MS = 2_000;
/** How long a monitor may say that its request goes on. */
const MONITOR_MS = 30_000;
const START_MS = 60_000;

/**
 * Kills workers while clients go on.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export async function killedWorkers(folder: string, options: KilledWorkersOptions): Promise<FaultReport> {
  const { postgres, seconds, workers, clients: number, kills, orders } = options;
  const startedAt = Date.now();
  const database = postgresShop({ place: postgres });
  await database.clean();
  writeProject(folder, database.settings);
  const fw = startWorkers(folder, workers);
  const clients = new Clients(fw.url);
  try {
    await fw.ready();
    const ended = clients.run(number);
    for (let kill = 0; kill < kills; kill++) {
      await pause(seconds * 1000 / (kills + 1));
      await fw.kill();
    }
    await pause(seconds * 1000 / (kills + 1));
    while (clients.confirmed < orders) await pause(50);
    clients.stop();
    await ended;
    const found = await database.rows((table) => `SELECT "ID" AS "ID" FROM ${table("shop_Orders")}`);
    const rows = new Set(found.map(({ ID }) => String(ID)));
    return { ...clients.report(rows), kills, seconds: Math.round((Date.now() - startedAt) / 1000) };
  } finally {
    await fw.stop();
    await database.clean();
  }
}

function writeProject(folder: string, db: unknown): void {
  const configuration = {
    name: "shop",
    requires: { auth: { kind: "mocked", users: { client: {} } }, db, messaging: false },
    odata: { respond_async: true },
    outbox: { leaseMs: LEASE_MS },
    limits: { asyncRequests: 10_000, asyncRequestsOfUser: 10_000 },
    log: { levels: { default: "warn" } },
  };
  Deno.mkdirSync(`${folder}/srv`, { recursive: true });
  Deno.writeTextFileSync(`${folder}/deno.json`, JSON.stringify({ fw: configuration }));
  Deno.writeTextFileSync(`${folder}/srv/shop.cds`, MODEL);
  Deno.writeTextFileSync(`${folder}/srv/shop.js`, HANDLERS);
}

/** `fw serve --workers`. */
interface RunningWorkers {
  readonly url: string;
  ready(): Promise<void>;
  /** Kills one of them. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

function startWorkers(folder: string, count: number): RunningWorkers {
  const port = freePort();
  const log = `${folder}/log`;
  Deno.writeTextFileSync(log, "");
  const serve = ["run", "-A", "--no-check", "--quiet", "--config", CONFIGURATION, CLI, "serve", folder];
  const words = [...serve, "--port", String(port), "--workers", String(count)];
  const process = new Deno.Command("sh", {
    args: ["-c", 'exec "$@" >>"$LOG" 2>&1', "sh", Deno.execPath(), ...words],
    env: { LOG: log, NO_COLOR: "1" },
  }).spawn();
  const workers = () =>
    Deno.readTextFileSync(`/proc/${process.pid}/task/${process.pid}/children`).trim().split(" ").filter(
      Boolean,
    );
  const until = async (isSo: () => boolean) => {
    const end = Date.now() + START_MS;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`Workers do not get ready: ${Deno.readTextFileSync(log)}`);
      await pause(50);
    }
  };
  return {
    url: `http://127.0.0.1:${port}`,
    ready: () => until(() => / workers listening on /.test(Deno.readTextFileSync(log))),
    async kill() {
      await until(() => workers().length === count);
      const all = workers();
      Deno.kill(Number(all[Math.floor(Math.random() * all.length)]), "SIGKILL");
    },
    async stop() {
      try {
        process.kill("SIGTERM");
      } catch {
        // it has ended already
      }
      await process.status;
    },
  };
}

/** What a monitor says of an order. */
type Fate = "there" | "not there" | "unknown";

/** Those who order, and those who follow the orders. */
class Clients {
  readonly #root: string;
  readonly #fates: Map<string, Fate> = new Map();
  readonly #counts: Map<string, number> = new Map();
  readonly #faults: string[] = [];
  readonly #known: Set<string>[] = [];
  #isOver = false;

  constructor(url: string) {
    this.#root = `${url}/odata/v4/shop/`;
  }

  /** Goes on until it is stopped, and all requests have come to an end. */
  async run(number: number): Promise<void> {
    const ordering = Promise.all(Array.from({ length: number }, () => this.#order()));
    const following = Promise.all([this.#follow(ordering), this.#follow(ordering)]);
    await Promise.all([ordering, following]);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** How many orders are there for sure. */
  get confirmed(): number {
    return [...this.#fates.values()].filter((fate) => fate === "there").length;
  }

  report(rows: ReadonlySet<string>): Omit<FaultReport, "kills" | "seconds"> {
    const are = (fate: Fate) => [...this.#fates].filter(([, one]) => one === fate).map(([ID]) => ID);
    const lost = are("there").filter((ID) => !rows.has(ID)).length;
    const phantom = are("not there").filter((ID) => rows.has(ID)).length;
    const wrong = this.#known.map((known) => known.symmetricDifference(rows).size);
    const faults = [
      ...this.#faults,
      ...lost > 0 ? [`${lost} orders that monitors confirmed are gone`] : [],
      ...phantom > 0 ? [`${phantom} orders are there though monitors said that nothing was changed`] : [],
      ...wrong.some((n) => n > 0) ? [`those who follow have ${wrong} wrong rows`] : [],
    ];
    const figures = [...this.#counts].toSorted().map(([what, n]) => `${what}: ${n}`);
    return {
      scenario: "workers killed",
      emitted: this.#fates.size,
      acknowledged: are("there").length,
      handledOnce: rows.size,
      lost,
      phantom,
      duplicates: 0,
      outOfOrder: 0,
      figures: [`orders of unknown fate: ${are("unknown").length}`, ...figures],
      faults,
    };
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  async #order(): Promise<void> {
    while (!this.#isOver) {
      const ID = crypto.randomUUID();
      this.#fates.set(ID, "unknown");
      const answer = await this.#ask("Orders", {
        method: "POST",
        headers: { "content-type": "application/json", "prefer": "respond-async" },
        body: JSON.stringify({ ID, item: "book" }),
      });
      if (answer === undefined) continue;
      this.#fates.set(ID, await this.#fateBehind(answer));
    }
  }

  async #fateBehind({ status, headers }: Response): Promise<Fate> {
    const monitor = headers.get("location");
    if (status !== 202 || monitor === null) {
      if (status !== 503) this.#faults.push(`an order was answered with ${status}`);
      return status === 201 ? "there" : "unknown";
    }
    if (Math.random() < 0.2) {
      await pause(Math.random() * 200);
      const cancelled = await this.#ask(monitor, { method: "DELETE" });
      this.#count(`cancelling: ${cancelled?.status ?? "no answer"}`);
      if (cancelled?.status === 204) return "not there";
      if (cancelled === undefined) return await this.#fateOf(monitor, true);
    }
    return await this.#fateOf(monitor, false);
  }

  async #fateOf(monitor: string, mayBeGone: boolean): Promise<Fate> {
    const end = Date.now() + MONITOR_MS;
    while (Date.now() < end) {
      const answer = await this.#ask(monitor, {
        headers: { "accept": "application/json", "odata-maxversion": "4.01" },
      });
      if (answer?.status === 404 && mayBeGone) return "not there";
      const result = answer?.headers.get("asyncresult");
      if (answer !== undefined && result != null) {
        const { error } = await answer.json();
        this.#count(`result: ${error?.code ?? result}`);
        if (result === "201" || error?.code === "ASYNC_ANSWER_LOST") return "there";
        if (error?.code === "ASYNC_REQUEST_LOST") return "not there";
        this.#faults.push(`a monitor said ${result} ${error?.code}`);
        return "unknown";
      }
      if (answer !== undefined && answer.status !== 202) {
        this.#faults.push(`a monitor was answered with ${answer.status}`);
        return "unknown";
      }
      await pause(50);
    }
    this.#faults.push(`a monitor said for ${MONITOR_MS} ms that its request goes on`);
    return "unknown";
  }

  /** Follows the orders as long as somebody orders, and until there is nothing new. */
  async #follow(ordering: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ordering.then(() => isOver = true);
    const known = new Set<string>();
    this.#known.push(known);
    let link = "";
    for (let quiet = 0; quiet < 2;) {
      const wasOver = isOver;
      const answer = link === ""
        ? await this.#ask("Orders?$select=ID", { headers: { prefer: "track-changes" } })
        : await this.#ask(link, { headers: { "odata-maxversion": "4.01" } });
      if (answer?.status === 410) {
        this.#count("delta links that were gone");
        known.clear();
        link = "";
      } else if (answer?.status === 200) {
        const { value, "@odata.deltaLink": next, "@odata.nextLink": more } = await answer.json();
        for (const { ID, "@odata.removed": removed } of value) if (!removed) known.add(ID);
        link = more ?? next;
        this.#count("pages of changes");
        quiet = wasOver && value.length === 0 ? quiet + 1 : 0;
      } else if (answer !== undefined) this.#count(`following: ${answer.status}`);
      await pause(100);
    }
  }

  /** Each request is on a connection of its own; undefined where that broke off, as with a worker that was killed. */
  async #ask(path: string, init: RequestInit): Promise<Response | undefined> {
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    try {
      const url = new URL(path, this.#root);
      const headers = {
        authorization: `Basic ${btoa("client:")}`,
        ...init.headers as Record<string, string>,
      };
      const response = await fetch(url, { ...init, headers, client });
      const body = response.status === 204 ? null : await response.text();
      return new Response(body, { status: response.status, headers: response.headers });
    } catch {
      this.#count("connections that broke off");
      return undefined;
    }
  }
}

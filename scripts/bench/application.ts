/**
 * Requests of applications, each with login: restrictions, handlers, queries of handlers, deep writes.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import v8 from "node:v8";
import type { DatabaseSync } from "node:sqlite";
import { createRuntime, type Runtime, SELECT, type ServiceRequest, UPDATE } from "../../mod.ts";
import type { Service } from "../../src/service/service.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import { APP_MODEL, appBooks, appOrders, FIRST_GONE, LAST_GONE, LOGIN, USERS } from "./application_model.ts";
import { applicationByHand, openApplicationDatabase } from "./application_by_hand.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** One row: how to ask, and whom. */
export interface ApplicationRow {
  readonly name: string;
  readonly request: (key: number) => Request;
  readonly ours: Handler;
  readonly baseline: Handler;
  /** What the baseline is, if it is not the same by hand. */
  readonly beside?: string;
}

const ROOT = "/odata/v4/app";
const ENCODER = new TextEncoder();
const MANY = 1_000_000_000;
/** Where the keys of batches begin. */
const BATCH_KEYS = 20_000_000;

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  /** Path with query options. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

let gone = FIRST_GONE;

/** Each is there once, whoever is asked. */
function nextGone(): number {
  if (gone === LAST_GONE) throw new Error("All books are deleted that were there for it");
  return gone++;
}

type Requests = Readonly<Record<string, (key: number) => Sent>>;

/** Queries of handlers, beside prepared statements in the same handlers. */
const QUERIES: Requests = {
  "handler query by key": (key) => get(`byKey(ID=${key % 1000 + 1})`),
  "handler query, tagged template": (key) => get(`tagged(ID=${key % 1000 + 1})`),
  "five handler queries": (key) => get(`five(ID=${key % 900 + 1})`),
};

/** Requests beside the same by hand. */
export const APPLICATION_REQUESTS: Requests = {
  "by key with login": (key) => get(`Books(${key % 1000 + 1})`),
  "list with login": () => get("Books?$top=5"),
  "filter with login, percent-encoded": (key) =>
    get(`Books?$filter=ID%20gt%20${key % 500}%20and%20contains(title,%277%27)&$top=20`),
  "expand with login": () => get("Orders?$expand=items&$top=5"),
  "by key, restricted": (key) => get(`RegionBooks(${key % 500 * 2 + 1})`),
  "list, restricted": () => get("RegionBooks?$top=5"),
  "by key with before and after": (key) => get(`HandledBooks(${key % 1000 + 1})`),
  "list with after each": () => get("HandledBooks?$top=5"),
  "insert with login": (key) => send("POST", "Books", book(key)),
  "insert with before that reads": (key) => send("POST", "CheckedBooks", book(key)),
  "insert restricted": (key) => send("POST", "RegionBooks", book(key)),
  "action that reads, checks and updates": (key) =>
    send("POST", "submitOrder", { book: key % 1000 + 1, quantity: 1 }),
  "deep insert of three items": (key) =>
    send("POST", "Orders", {
      ID: key,
      status: "new",
      items: [1, 2, 3].map((pos) => ({ pos, product: `Product ${pos}`, amount: pos })),
    }),
  "batch of 10 writes": (key) => send("POST", "$batch", batchOf(key)),
  "update restricted": (key) => send("PATCH", `RegionBooks(${key % 500 * 2 + 1})`, { title: `As of ${key}` }),
  "delete": () => send("DELETE", `GoneBooks(${nextGone()})`),
};

/** What it costs that requests and statements are measured. */
const MEASURED: Requests = Object.fromEntries(
  ["by key with login", "list with login", "deep insert of three items", "batch of 10 writes"]
    .map((name) => [`measured: ${name}`, APPLICATION_REQUESTS[name]!]),
);

/** Names of all rows. */
export const APPLICATION_NAMES: readonly string[] = [
  ...Object.keys(MEASURED),
  ...Object.keys(APPLICATION_REQUESTS),
  ...Object.keys(QUERIES),
];

/** Starts what the wanted rows need, one group after the other. */
export async function* applicationRows(
  isWanted: (name: string) => boolean,
): AsyncGenerator<readonly ApplicationRow[]> {
  const rows = (requests: Requests, sides: Pick<ApplicationRow, "ours" | "baseline" | "beside">) =>
    Object.entries(requests).filter(([name]) => isWanted(name))
      .map(([name, sent]) => ({ name, request: (key: number) => toRequest(sent(key)), ...sides }));
  const ours = await startApplication();
  if (Object.keys(QUERIES).some(isWanted)) {
    const byHand = await start(preparedStatements);
    const beside = "prepared statement in a handler";
    yield rows(QUERIES, { ours: ours.fetch, baseline: byHand.fetch, beside });
    await byHand.close();
  }
  if (Object.keys(APPLICATION_REQUESTS).some(isWanted)) {
    yield rows(APPLICATION_REQUESTS, { ours: ours.fetch, baseline: applicationByHand() });
  }
  if (Object.keys(MEASURED).some(isWanted)) {
    const measured = await start(queriesOfFramework, { metrics: { requires: "operator" } });
    // not the one above, whose rows have changed
    const unmeasured = await startApplication();
    yield rows(MEASURED, { ours: measured.fetch, baseline: unmeasured.fetch, beside: "not measured" });
    await Promise.all([measured.close(), unmeasured.close()]);
  }
  await ours.close();
}

/** What a request takes beside its work. */
export interface RequestCounts {
  /** How often it enters the storage of the current context, which costs as much as reading a row. */
  readonly contextEntries: number;
  /** How often it goes on later: behind an `await`, or a `then`. */
  readonly waits: number;
}

/**
 * Counts what a request takes beside its work.
 *
 * @param handler whom to ask
 * @param request the request
 */
export async function requestCounts(handler: Handler, request: Request): Promise<RequestCounts> {
  const { run } = AsyncLocalStorage.prototype;
  let entries = 0;
  let waits = 0;
  AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
    entries++;
    return Reflect.apply(run, this, args);
  } as typeof run;
  const stop = v8.promiseHooks.onBefore(() => void waits++) as () => void;
  try {
    await (await handler(request)).text();
  } finally {
    stop();
    AsyncLocalStorage.prototype.run = run;
  }
  return { contextEntries: entries, waits };
}

/**
 * Starts the application, with queries of ours in its handlers.
 *
 * @param db its database; default: SQLite in memory
 */
export function startApplication(db?: Readonly<Record<string, unknown>>): Promise<Runtime> {
  return start(queriesOfFramework, {}, db);
}

async function start(
  addQuestions: (srv: Service) => void,
  server: Readonly<Record<string, unknown>> = {},
  db: Readonly<Record<string, unknown>> = { kind: "sqlite" },
): Promise<Runtime> {
  const runtime = createRuntime({
    model: APP_MODEL,
    kinds: denoKinds,
    // in development, queries are watched that nobody awaits
    profiles: ["production"],
    data: new Map([["app.Books", [...appBooks(), ...goneBooks()]], ...appOrders()]),
    env: {
      server,
      requires: { auth: { kind: "basic", users: USERS }, db },
      log: { levels: { default: "error" } },
    },
    handlers: {
      AppService: (srv) => {
        addQuestions(srv);
        addHandlers(srv);
      },
    },
  });
  await runtime.start();
  return runtime;
}

function goneBooks() {
  return Array.from({ length: LAST_GONE - FIRST_GONE }, (_, i) => ({ ID: FIRST_GONE + i }));
}

function addHandlers(srv: Service): void {
  srv.before("READ", "HandledBooks", (req) => {
    if (req.user.id === "nobody") req.reject(403);
  });
  srv.after("READ", "HandledBooks", (books) => {
    for (const one of books as { stock: number }[]) if (one.stock > MANY) one.stock = MANY;
  });
  srv.before("CREATE", "CheckedBooks", async (req) => {
    const { ID } = req.data as { ID: number };
    const found = await SELECT.one.from("app.Books", ID % 1000 + 1);
    if (!found) req.reject(409, "The book before it is missing");
  });
  srv.on("submitOrder", async (req) => {
    const { book, quantity } = req.data as { book: number; quantity: number };
    const found = await SELECT.one.from("app.Books", book).columns("stock") as { stock: number } | null;
    if (!found || found.stock < quantity) return req.reject(409, "Too few");
    const stock = found.stock - quantity;
    await UPDATE("app.Books", book).with({ stock });
    return stock;
  });
}

const keyOf = (req: ServiceRequest) => (req.data as { ID: number }).ID;

function queriesOfFramework(srv: Service): void {
  srv.on("byKey", async (req) => {
    const found = await SELECT.one.from("app.Books").where({ ID: keyOf(req) }) as { title: string };
    return found.title;
  });
  srv.on("tagged", async (req) => {
    const found = await SELECT.one`from app.Books where ID = ${keyOf(req)}` as unknown as { title: string };
    return found.title;
  });
  srv.on("five", async (req) => {
    let total = 0;
    for (let i = 0; i < 5; i++) {
      const found = await SELECT.one.from("app.Books", keyOf(req) + i) as { ID: number };
      total += found.ID;
    }
    return total;
  });
}

function preparedStatements(srv: Service): void {
  const db: DatabaseSync = openApplicationDatabase();
  const byKey = db.prepare("SELECT ID, title, stock, region FROM Books WHERE ID = ?");
  srv.on("byKey", (req) => byKey.get(keyOf(req))!.title);
  srv.on("tagged", (req) => byKey.get(keyOf(req))!.title);
  srv.on("five", (req) => {
    let total = 0;
    for (let i = 0; i < 5; i++) total += Number(byKey.get(keyOf(req) + i)!.ID);
    return total;
  });
}

/** A change set of ten inserts. */
function batchOf(key: number) {
  const headers = { "content-type": "application/json" };
  const requests = Array.from({ length: 10 }, (_, at) => ({
    ...{ id: `r${at}`, atomicityGroup: "g", method: "POST", url: "Books", headers },
    body: book(BATCH_KEYS + key * 10 + at),
  }));
  return { requests };
}

function book(key: number) {
  return { ID: key, title: "New", stock: 1, region: "EU" };
}

function get(path: string): Sent {
  return { method: "GET", path: `${ROOT}/${path}`, headers: { authorization: LOGIN } };
}

function send(method: string, path: string, data?: unknown): Sent {
  const sent = { ...get(path), method };
  if (data === undefined) return sent;
  const headers = { ...sent.headers, "content-type": "application/json" };
  return { ...sent, headers, body: JSON.stringify(data) };
}

/** A body arrives as bytes, and clients say how many there are. */
function toRequest({ method, path, headers, body }: Sent): Request {
  const url = `http://localhost${path}`;
  if (body === undefined) return new Request(url, { method, headers });
  const bytes = ENCODER.encode(body);
  return new Request(url, {
    method,
    headers: { ...headers, "content-length": String(bytes.byteLength) },
    body: bytes,
  });
}

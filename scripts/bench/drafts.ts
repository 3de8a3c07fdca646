/**
 * Rows of drafts: what a user does to change an order with two items, beside the same statements by hand.
 *
 * @module
 */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Hono } from "hono";
import { createRuntime, type Csn, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import type { ApplicationRow } from "./application.ts";

type Handler = ApplicationRow["ours"];
type Values = Record<string, SQLInputValue>;

const ROOT = "http://localhost/odata/v4/drafts";
const LOGIN = `Basic ${btoa("ann:pw")}`;
const ORDERS = 1000;
/** Orders that are edited all the time. */
const EDITED = 20;
const ENCODER = new TextEncoder();

const integer = { type: "cds.Integer" } as const;
const text = { type: "cds.String", length: 100 } as const;

const MODEL: Csn = {
  definitions: {
    "my.Orders": {
      kind: "entity",
      elements: {
        ID: { key: true, ...integer },
        title: text,
        price: integer,
        items: {
          type: "cds.Composition",
          target: "my.Items",
          cardinality: { max: "*" },
          on: [{ ref: ["items", "order"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "my.Items": {
      kind: "entity",
      elements: {
        ID: { key: true, ...integer },
        order: { type: "cds.Association", target: "my.Orders" },
        amount: integer,
      },
    },
    "DraftsService": { kind: "service", "@requires": "authenticated-user" },
    "DraftsService.Orders": {
      kind: "entity",
      "@odata.draft.enabled": true,
      projection: { from: { ref: ["my.Orders"] } },
    },
    "DraftsService.Items": { kind: "entity", projection: { from: { ref: ["my.Items"] } } },
  },
};

const ALL = "$filter=IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null&$orderby=ID&$top=20";

const draft = (ID: number) => `Orders(ID=${ID},IsActiveEntity=false)`;
const edited = (key: number) => ORDERS - key % EDITED;
const editRequest = (ID: number) => send("POST", `Orders(ID=${ID},IsActiveEntity=true)/draftEdit`, {});

/** Requests beside the same by hand; those of the first are three. */
const REQUESTS: Readonly<Record<string, (key: number) => Request>> = {
  "draft: edit, patch, activate": (key) => send("POST", "cycle", { key }),
  "draft: patch": (key) => send("PATCH", draft(edited(key)), { title: `As of ${key}` }),
  "draft: list with active instances": () => send("GET", `Orders?${ALL}`),
};

/** Names of the rows. */
export const DRAFT_NAMES: readonly string[] = Object.keys(REQUESTS);

/**
 * Starts both sides.
 *
 * @param isWanted which rows are run
 */
export async function* draftRows(
  isWanted: (name: string) => boolean,
): AsyncGenerator<readonly ApplicationRow[]> {
  const wanted = DRAFT_NAMES.filter(isWanted);
  if (wanted.length === 0) return;
  const runtime = await start();
  const [ours, baseline] = [withCycles(runtime.fetch), withCycles(byHand())];
  for (let key = 0; key < EDITED; key++) {
    for (const side of [ours, baseline]) await (await side(editRequest(edited(key)))).text();
  }
  yield wanted.map((name) => ({ name, request: REQUESTS[name]!, ours, baseline }));
  await runtime.close();
}

/** Answers `cycle` by editing an order, changing the draft and activating it. */
function withCycles(handler: Handler): Handler {
  return async (request) => {
    if (!request.url.endsWith("/cycle")) return await handler(request);
    const { key } = await request.json() as { key: number };
    const ID = key % (ORDERS - EDITED) + 1;
    await (await handler(editRequest(ID))).text();
    await (await handler(send("PATCH", draft(ID), { title: `As of ${key}` }))).text();
    return await handler(send("POST", `${draft(ID)}/draftActivate`, {}));
  };
}

function rows(): { readonly orders: Values[]; readonly items: Values[] } {
  const ids = Array.from({ length: ORDERS }, (_, at) => at + 1);
  return {
    orders: ids.map((ID) => ({ ID, title: `Order ${ID}`, price: ID })),
    items: ids.flatMap((ID) => [1, 2].map((at) => ({ ID: ID * 10 + at, order_ID: ID, amount: at }))),
  };
}

async function start(): Promise<Runtime> {
  const { orders, items } = rows();
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    data: new Map([["my.Orders", orders], ["my.Items", items]]),
    env: {
      requires: { auth: { kind: "basic", users: { ann: { password: "pw" } } } },
      log: { levels: { default: "error" } },
    },
  });
  await runtime.start();
  return runtime;
}

const COLUMNS = "ID, title, price";
const SHOWN = { active: [true, false], draft: [false, true] } as const;

/** What somebody would write with hono and `node:sqlite`: the same checks and statements. */
function byHand(): Handler {
  const app = new Hono();
  const db = openDatabase();
  app.use(async (c, next) => {
    if (c.req.header("authorization") !== LOGIN) return c.text("Unauthorized", 401);
    await next();
  });
  const statements = prepare(db);
  addList(app, statements);
  addChange(app, db, statements);
  addEdit(app, db, statements);
  addActivation(app, db, statements);
  return (request) => app.fetch(request);
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  const one = (sql: string) => {
    const statement = db.prepare(sql);
    return (...values: SQLInputValue[]) => statement.get(...values) as Values | undefined;
  };
  const all = (sql: string) => {
    const statement = db.prepare(sql);
    return (...values: SQLInputValue[]) => statement.all(...values) as Values[];
  };
  const run = (sql: string) => {
    const statement = db.prepare(sql);
    return (...values: SQLInputValue[]) => statement.run(...values).changes;
  };
  const orderOf = one(`SELECT ${COLUMNS} FROM Orders WHERE ID = ?`);
  const itemsOf = all("SELECT ID, order_ID, amount FROM Items WHERE order_ID = ?");
  const draftOf = one(`SELECT ${COLUMNS} FROM DraftOrders WHERE ID = ?`);
  const draftItemsOf = all("SELECT ID, order_ID, amount FROM DraftItems WHERE order_ID = ?");
  const heldBy = one(
    "SELECT uuid, owner, base, messages FROM DraftOrders JOIN Admin ON uuid = draft WHERE ID = ?",
  );
  const expired = all("SELECT uuid FROM Admin WHERE changedAt < ? LIMIT 1000");
  const addAdmin = run("INSERT INTO Admin VALUES (?, ?, ?, ?, ?, ?, '[]')");
  const addDraft = run("INSERT INTO DraftOrders VALUES (?, ?, ?, ?)");
  const addItem = run("INSERT INTO DraftItems VALUES (?, ?, ?, ?)");
  const touch = run("UPDATE Admin SET changedAt = ?, changedBy = ? WHERE uuid = ?");
  const patch = run("UPDATE DraftOrders SET title = ? WHERE ID = ?");
  const write = run("UPDATE Orders SET title = ?, price = ? WHERE ID = ?");
  const gone = ["DraftItems WHERE order_ID", "DraftOrders WHERE ID"].map((what) =>
    run(`DELETE FROM ${what} = ?`)
  );
  const goneAdmin = run("DELETE FROM Admin WHERE uuid = ?");
  const list = all(`SELECT o.ID, o.title, o.price, 1 AS isActive, 0 AS hasActive FROM Orders o
      WHERE NOT EXISTS (SELECT 1 FROM DraftOrders d JOIN Admin ON uuid = draft WHERE d.ID = o.ID AND owner = ?)
    UNION ALL SELECT d.ID, d.title, d.price, 0, 1 FROM DraftOrders d JOIN Admin ON uuid = draft WHERE owner = ?
    ORDER BY ID LIMIT 20`);
  return {
    orderOf,
    itemsOf,
    draftOf,
    draftItemsOf,
    heldBy,
    expired,
    addAdmin,
    addDraft,
    addItem,
    touch,
    patch,
    write,
    gone,
    goneAdmin,
    list,
  };
}

function shown(context: string, row: Values, kind: "active" | "draft") {
  const [IsActiveEntity, HasActiveEntity] = SHOWN[kind];
  const messages = kind === "draft" ? { DraftMessages: [] } : {};
  return {
    "@odata.context": `${context}#Orders/$entity`,
    ...row,
    IsActiveEntity,
    HasActiveEntity,
    HasDraftEntity: false,
    ...messages,
  };
}

function keyOf(path: string): number {
  return Number(/\(ID=(\d+)/.exec(path)![1]);
}

function addList(app: Hono, { list }: Statements): void {
  app.get("/odata/v4/drafts/Orders", () => {
    const value = list("ann", "ann").map(({ isActive, hasActive, ...row }) => ({
      ...row,
      IsActiveEntity: isActive === 1,
      HasActiveEntity: hasActive === 1,
      HasDraftEntity: false,
    }));
    return answer({ "@odata.context": "$metadata#Orders", value });
  });
}

function addChange(app: Hono, db: DatabaseSync, { draftOf, heldBy, touch, patch }: Statements): void {
  app.patch("/odata/v4/drafts/:key{Orders\\(.*\\)}", async (c) => {
    const { title } = await c.req.json();
    const ID = keyOf(c.req.path);
    return inTransaction(db, () => {
      const held = heldBy(ID);
      if (!held) return answer({ error: {} }, 404);
      if (held.owner !== "ann") return answer({ error: {} }, 403);
      touch(new Date().toISOString(), "ann", held.uuid!);
      patch(title, ID);
      return answer(shown("$metadata", draftOf(ID)!, "draft"));
    });
  });
}

function addEdit(
  app: Hono,
  db: DatabaseSync,
  { orderOf, itemsOf, draftOf, heldBy, expired, addAdmin, addDraft, addItem }: Statements,
): void {
  app.post("/odata/v4/drafts/:key{Orders\\(.*\\)}/draftEdit", (c) => {
    const ID = keyOf(c.req.path);
    return inTransaction(db, () => {
      const row = orderOf(ID);
      if (!row) return answer({ error: {} }, 404);
      const items = itemsOf(ID);
      expired(new Date(Date.now() - 30 * 24 * 3_600_000).toISOString());
      if (heldBy(ID)) return answer({ error: {} }, 409);
      const [uuid, now] = [crypto.randomUUID(), new Date().toISOString()];
      addAdmin(uuid, "ann", now, now, "ann", JSON.stringify({ ...row, items }));
      addDraft(row.ID!, row.title!, row.price!, uuid);
      for (const item of items) addItem(item.ID!, item.order_ID!, item.amount!, uuid);
      return answer(shown("../$metadata", draftOf(ID)!, "draft"), 201);
    });
  });
}

function addActivation(
  app: Hono,
  db: DatabaseSync,
  { orderOf, draftOf, draftItemsOf, heldBy, write, gone, goneAdmin }: Statements,
): void {
  app.post("/odata/v4/drafts/:key{Orders\\(.*\\)}/draftActivate", (c) => {
    const ID = keyOf(c.req.path);
    return inTransaction(db, () => {
      const held = heldBy(ID);
      if (!held) return answer({ error: {} }, 404);
      if (held.owner !== "ann") return answer({ error: {} }, 403);
      const base = JSON.parse(String(held.base)) as Values & { items: Values[] };
      const [active, now] = [orderOf(ID)!, draftOf(ID)!];
      const changed = (name: string) => now[name] === base[name] ? active[name]! : now[name]!;
      write(changed("title"), changed("price"), ID);
      if (JSON.stringify(draftItemsOf(ID)) !== JSON.stringify(base.items)) {
        throw new Error("Items are the same");
      }
      for (const remove of gone) remove(ID);
      goneAdmin(held.uuid!);
      return answer(shown("../$metadata", orderOf(ID)!, "active"));
    });
  });
}

function openDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE Orders (ID INT PRIMARY KEY, title TEXT, price INT);
    CREATE TABLE Items (ID INT PRIMARY KEY, order_ID INT, amount INT);
    CREATE TABLE DraftOrders (ID INT PRIMARY KEY, title TEXT, price INT, draft TEXT);
    CREATE TABLE DraftItems (ID INT PRIMARY KEY, order_ID INT, amount INT, draft TEXT);
    CREATE TABLE Admin (uuid TEXT PRIMARY KEY, owner TEXT, createdAt TEXT, changedAt TEXT, changedBy TEXT,
      base TEXT, messages TEXT);`);
  const { orders, items } = rows();
  const [order, item] = ["Orders", "Items"].map((name) => db.prepare(`INSERT INTO ${name} VALUES (?, ?, ?)`));
  for (const row of orders) order!.run(...Object.values(row));
  for (const row of items) item!.run(...Object.values(row));
  return db;
}

function inTransaction(db: DatabaseSync, run: () => Response): Response {
  db.exec("BEGIN IMMEDIATE");
  const response = run();
  db.exec(response.status < 400 ? "COMMIT" : "ROLLBACK");
  return response;
}

function answer(body: unknown, status = 200): Response {
  const headers = { "content-type": "application/json", "odata-version": "4.0" };
  return new Response(JSON.stringify(body), { status, headers });
}

function send(method: string, path: string, data?: unknown): Request {
  const headers: Record<string, string> = { authorization: LOGIN };
  if (data === undefined) return new Request(`${ROOT}/${path}`, { method, headers });
  const body = ENCODER.encode(JSON.stringify(data));
  headers["content-type"] = "application/json";
  headers["content-length"] = String(body.byteLength);
  return new Request(`${ROOT}/${path}`, { method, headers, body });
}

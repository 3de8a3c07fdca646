/**
 * What somebody would write by hand with hono and `node:sqlite` for the rows of applications: the same login, conditions
 * and statements.
 *
 * @module
 */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { APP_COLUMNS, appBooks, appOrders, FIRST_GONE, LAST_GONE, USERS } from "./application_model.ts";

type Values = Readonly<Record<string, SQLInputValue>>;
type Found = Record<string, number | string | null>;
type App = Hono<{ Variables: { readonly user: User } }>;

interface User {
  readonly name: string;
  readonly region: string;
}

/** Opens a database with the books, and without orders. */
export function openApplicationDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE Books (ID INT PRIMARY KEY, title TEXT, stock INT, region TEXT);
    CREATE TABLE Orders (ID INT PRIMARY KEY, status TEXT);
    CREATE TABLE Items (order_ID INT, pos INT, product TEXT, amount INT, PRIMARY KEY (order_ID, pos));`);
  const insert = db.prepare("INSERT INTO Books VALUES (?, ?, ?, ?)");
  for (const row of appBooks() as Values[]) insert.run(...APP_COLUMNS.map((name) => row[name]));
  const [orders, items] = appOrders().map(([, rows]) => rows as Values[]);
  const insertOrder = db.prepare("INSERT INTO Orders VALUES (?, ?)");
  for (const { ID, status } of orders) insertOrder.run(ID, status);
  const insertItem = db.prepare("INSERT INTO Items VALUES (?, ?, ?, ?)");
  for (const { order_ID, pos, product, amount } of items) insertItem.run(order_ID, pos, product, amount);
  const gone = db.prepare("INSERT INTO Books (ID) VALUES (?)");
  db.exec("BEGIN");
  for (let key = FIRST_GONE; key < LAST_GONE; key++) gone.run(key);
  db.exec("COMMIT");
  return db;
}

/** Creates the handler over its own database. */
export function applicationByHand(): (request: Request) => Response | Promise<Response> {
  const db = openApplicationDatabase();
  const app: App = new Hono();
  const users = new Map(
    Object.entries(USERS as Record<string, { password: string; attr: { region: string } }>),
  );
  app.use(async (c, next) => {
    const user = userOf(c.req.header("authorization"), users);
    if (!user) return c.text("Unauthorized", 401);
    c.set("user", user);
    await next();
  });
  addReads(app, db);
  addWrites(app, db);
  return (request) => app.fetch(request);
}

function userOf(
  header: string | undefined,
  users: ReadonlyMap<string, { password: string; attr: { region: string } }>,
): User | undefined {
  if (!header?.startsWith("Basic ")) return undefined;
  const text = Buffer.from(header.slice(6), "base64").toString();
  const [name, password] = [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)];
  const found = users.get(name);
  if (!found) return undefined;
  const [expected, given] = [Buffer.from(found.password), Buffer.from(password)];
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
  return { name, region: found.attr.region };
}

function answer(body: unknown, status = 200, headers = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "odata-version": "4.0", ...headers },
  });
}

const COLUMNS = APP_COLUMNS.join(", ");
const MANY = 1_000_000_000;

function keyOf(c: Context): number {
  return Number(/\((\d+)\)$/.exec(c.req.path)?.[1]);
}

function addReads(app: App, db: DatabaseSync): void {
  const byKey = db.prepare(`SELECT ${COLUMNS} FROM Books WHERE ID = ?`);
  const list = db.prepare(`SELECT ${COLUMNS} FROM Books ORDER BY ID LIMIT ?`);
  const filtered = db.prepare(
    `SELECT ${COLUMNS} FROM Books WHERE ID > ? AND instr(title, ?) > 0 ORDER BY ID LIMIT ?`,
  );
  const ownByKey = db.prepare(`SELECT ${COLUMNS} FROM Books WHERE ID = ? AND region = ?`);
  const ownList = db.prepare(`SELECT ${COLUMNS} FROM Books WHERE region = ? ORDER BY ID LIMIT ?`);
  const entity = (name: string, row: unknown) =>
    row ? answer({ "@odata.context": `$metadata#${name}/$entity`, ...row }) : answer({ error: {} }, 404);
  const all = (name: string, value: unknown) => answer({ "@odata.context": `$metadata#${name}`, value });
  const capped = (row: Found) => (row.stock as number) > MANY ? { ...row, stock: MANY } : row;
  const top = (c: Context) => Number(c.req.query("$top") ?? 1000);

  app.get("/odata/v4/app/Books", (c) => {
    const match = /^ID gt (\d+) and contains\(title,'([^']*)'\)$/.exec(c.req.query("$filter") ?? "");
    return all("Books", match ? filtered.all(Number(match[1]), match[2], top(c)) : list.all(top(c)));
  });
  app.get("/odata/v4/app/RegionBooks", (c) => all("RegionBooks", ownList.all(c.get("user").region, top(c))));
  app.get(
    "/odata/v4/app/HandledBooks",
    (c) => all("HandledBooks", (list.all(top(c)) as Found[]).map(capped)),
  );
  app.get("/odata/v4/app/:key{Books\\(.*\\)}", (c) => entity("Books", byKey.get(keyOf(c))));
  app.get(
    "/odata/v4/app/:key{RegionBooks\\(.*\\)}",
    (c) => entity("RegionBooks", ownByKey.get(keyOf(c), c.get("user").region)),
  );
  app.get("/odata/v4/app/:key{HandledBooks\\(.*\\)}", (c) => {
    if (c.get("user").name === "nobody") return answer({ error: {} }, 403);
    const row = byKey.get(keyOf(c)) as Found | undefined;
    return entity("HandledBooks", row && capped(row));
  });
}

/** Runs a function in a transaction, which is rolled back where it answers an error. */
function inTransaction(db: DatabaseSync, run: () => Response): Response {
  db.exec("BEGIN IMMEDIATE");
  const response = run();
  db.exec(response.status < 400 ? "COMMIT" : "ROLLBACK");
  return response;
}

function addWrites(app: App, db: DatabaseSync): void {
  const byKey = db.prepare(`SELECT ${COLUMNS} FROM Books WHERE ID = ?`);
  const insert = db.prepare(`INSERT INTO Books (${COLUMNS}) VALUES (?, ?, ?, ?)`);
  const setTitle = db.prepare("UPDATE Books SET title = ? WHERE ID = ? AND region = ?");
  const setStock = db.prepare("UPDATE Books SET stock = ? WHERE ID = ?");
  const remove = db.prepare("DELETE FROM Books WHERE ID = ?");
  const created = (name: string, row: Found) =>
    answer({ "@odata.context": `$metadata#${name}/$entity`, ...row }, 201, {
      location: `${name}(${row.ID})`,
    });
  const addBook = (name: string, data: Values) => {
    insert.run(...APP_COLUMNS.map((column) => data[column] ?? null));
    return created(name, byKey.get(data.ID!) as Found);
  };

  app.post("/odata/v4/app/Books", async (c) => {
    const data = await c.req.json() as Values;
    return inTransaction(db, () => addBook("Books", data));
  });
  app.post("/odata/v4/app/$batch", async (c) => {
    const { requests } = await c.req.json() as { requests: readonly { id: string; body: Values }[] };
    return inTransaction(db, () => answer({ responses: requests.map(answered) }));
  });
  const answered = ({ id, body: data }: { readonly id: string; readonly body: Values }) => {
    insert.run(...APP_COLUMNS.map((column) => data[column] ?? null));
    const location = `Books(${data.ID})`;
    const headers = { "content-type": "application/json", location, "odata-version": "4.0" };
    const body = { "@odata.context": "$metadata#Books/$entity", ...byKey.get(data.ID!) };
    return { id, status: 201, headers, atomicityGroup: "g", body };
  };
  app.post("/odata/v4/app/CheckedBooks", async (c) => {
    const data = await c.req.json() as Values;
    return inTransaction(db, () => {
      if (!byKey.get(Number(data.ID) % 1000 + 1)) return answer({ error: {} }, 409);
      return addBook("CheckedBooks", data);
    });
  });
  app.post("/odata/v4/app/RegionBooks", async (c) => {
    const data = await c.req.json() as Values;
    if (data.region !== c.get("user").region) return answer({ error: {} }, 403);
    return inTransaction(db, () => addBook("RegionBooks", data));
  });
  app.post("/odata/v4/app/submitOrder", async (c) => {
    const { book, quantity } = await c.req.json() as { book: number; quantity: number };
    return inTransaction(db, () => {
      const found = byKey.get(book) as Found | undefined;
      if (!found || Number(found.stock) < quantity) return answer({ error: {} }, 409);
      const value = Number(found.stock) - quantity;
      setStock.run(value, book);
      return answer({ "@odata.context": "$metadata#Edm.Int32", value });
    });
  });
  app.patch("/odata/v4/app/:key{RegionBooks\\(.*\\)}", async (c) => {
    const { title } = await c.req.json() as { title: string };
    return inTransaction(db, () => {
      if (setTitle.run(title, keyOf(c), c.get("user").region).changes === 0) {
        return answer({ error: {} }, 403);
      }
      return answer({ "@odata.context": "$metadata#RegionBooks/$entity", ...byKey.get(keyOf(c)) });
    });
  });
  app.delete("/odata/v4/app/:key{GoneBooks\\(.*\\)}", (c) =>
    inTransaction(db, () => {
      if (remove.run(keyOf(c)).changes === 0) return answer({ error: {} }, 404);
      return answer(undefined, 204);
    }));
  addOrders(app, db);
}

interface Order {
  readonly ID: number;
  readonly status: string;
  readonly items: readonly { readonly pos: number; readonly product: string; readonly amount: number }[];
}

function addOrders(app: App, db: DatabaseSync): void {
  const insertOrder = db.prepare("INSERT INTO Orders VALUES (?, ?)");
  const insertItems = db.prepare("INSERT INTO Items VALUES (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?)");
  const insertItem = db.prepare("INSERT INTO Items VALUES (?, ?, ?, ?)");
  const order = db.prepare("SELECT ID, status FROM Orders WHERE ID = ?");
  const items = db.prepare(
    "SELECT order_ID, pos, product, amount FROM Items WHERE order_ID = ? ORDER BY pos",
  );
  const columns = ["order_ID", "pos", "product", "amount"];
  const orders = db.prepare(`SELECT ID, status, (SELECT json_group_array(json_object(
    ${columns.map((name) => `'${name}', i.${name}`).join(", ")}))
    FROM (SELECT * FROM Items WHERE order_ID = o.ID ORDER BY pos) i) AS items FROM Orders o ORDER BY ID LIMIT ?`);
  app.get("/odata/v4/app/Orders", (c) => {
    const rows = orders.all(Number(c.req.query("$top") ?? 1000)) as { items: string }[];
    const value = rows.map((row) => ({ ...row, items: JSON.parse(row.items) }));
    return answer({ "@odata.context": "$metadata#Orders(items())", value });
  });
  app.post("/odata/v4/app/Orders", async (c) => {
    const { ID, status, items: given } = await c.req.json() as Order;
    return inTransaction(db, () => {
      insertOrder.run(ID, status);
      const values = given.map(({ pos, product, amount }) => [ID, pos, product, amount]);
      if (values.length === 3) insertItems.run(...values.flat());
      else for (const one of values) insertItem.run(...one);
      const body = { ...order.get(ID), items: items.all(ID) };
      return answer({ "@odata.context": "$metadata#Orders(items())/$entity", ...body }, 201, {
        location: `Orders(${ID})`,
      });
    });
  });
}

/**
 * What somebody would write by hand with hono and `node:sqlite` for the same bytes.
 *
 * @module
 */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Hono } from "hono";
import { benchAuthors, benchBooks, BOOK_COLUMNS } from "./bench_model.ts";

type Values = Readonly<Record<string, SQLInputValue>>;

/** Creates the handler over its own database. */
export function handWritten(): (request: Request) => Response | Promise<Response> {
  const db = openDatabase();
  const app = new Hono();
  const columns = BOOK_COLUMNS.join(", ");
  const byKey = db.prepare(`SELECT ${columns} FROM Books WHERE ID = ?`);
  const list = db.prepare(`SELECT ${columns} FROM Books ORDER BY ID LIMIT ?+0`);
  const filtered = db.prepare(
    `SELECT ${columns} FROM Books WHERE stock > ? AND instr(title, ?) > 0 ORDER BY ID LIMIT ?+0`,
  );
  const authors = db.prepare(`SELECT ID, name, (SELECT json_group_array(json_object(
    ${BOOK_COLUMNS.map((name) => `'${name}', b.${name}`).join(", ")}))
    FROM (SELECT * FROM Books WHERE author_ID = a.ID ORDER BY ID) b) AS books FROM Authors a ORDER BY ID LIMIT ?+0`);
  const insert = db.prepare(
    `INSERT INTO Books (${columns}) VALUES (${BOOK_COLUMNS.map(() => "?").join(", ")})`,
  );
  const update = db.prepare("UPDATE Books SET descr = ? WHERE ID = ?");
  const answer = (body: unknown, status = 200, headers = {}) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json", "odata-version": "4.0", ...headers },
    });

  app.get("/odata/v4/bench/Books", (c) => {
    const top = Number(c.req.query("$top") ?? 1000);
    const match = /^stock gt (\d+) and contains\(title,'([^']*)'\)$/.exec(c.req.query("$filter") ?? "");
    const rows = match ? filtered.all(Number(match[1]), match[2], top) : list.all(top);
    return answer({ "@odata.context": "$metadata#Books", value: rows });
  });
  app.get("/odata/v4/bench/Authors", (c) => {
    const rows = authors.all(Number(c.req.query("$top"))) as { ID: number; name: string; books: string }[];
    const value = rows.map((row) => ({ ...row, books: JSON.parse(row.books) }));
    return answer({ "@odata.context": "$metadata#Authors(books())", value });
  });
  app.get("/odata/v4/bench/:key", (c) => {
    const key = /^Books\((\d+)\)$/.exec(c.req.param("key"))?.[1];
    const row = key === undefined ? undefined : byKey.get(Number(key));
    if (!row) return answer({ error: { code: "404", message: "Not Found" } }, 404);
    return answer({ "@odata.context": "$metadata#Books/$entity", ...row });
  });
  app.post("/odata/v4/bench/Books", async (c) => {
    const data = await c.req.json() as Values;
    db.exec("BEGIN IMMEDIATE");
    insert.run(...BOOK_COLUMNS.map((name) => data[name] ?? null));
    const row = byKey.get(data.ID);
    db.exec("COMMIT");
    const headers = { location: `Books(${data.ID})` };
    return answer({ "@odata.context": "$metadata#Books/$entity", ...row }, 201, headers);
  });
  app.patch("/odata/v4/bench/:key", async (c) => {
    const key = Number(/^Books\((\d+)\)$/.exec(c.req.param("key"))?.[1]);
    const { descr } = await c.req.json() as Values;
    db.exec("BEGIN IMMEDIATE");
    update.run(descr, key);
    const row = byKey.get(key);
    db.exec("COMMIT");
    return answer({ "@odata.context": "$metadata#Books/$entity", ...row });
  });
  app.post("/odata/v4/bench/:batch", async (c) => {
    const { requests } = await c.req.json() as { requests: { id: string; url: string }[] };
    const responses = requests.map(({ id, url }) => {
      const row = byKey.get(Number(/^Books\((\d+)\)$/.exec(url)?.[1]));
      const headers = { "content-type": "application/json", "odata-version": "4.0" };
      return { id, status: 200, headers, body: { "@odata.context": "$metadata#Books/$entity", ...row } };
    });
    return answer({ responses });
  });
  return (request) => app.fetch(request);
}

function openDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE Authors (ID INT PRIMARY KEY, name TEXT);
    CREATE TABLE Books (ID INT PRIMARY KEY, title TEXT, descr TEXT, stock INT, price DOUBLE, published TEXT, author_ID INT);
    CREATE INDEX Books_author ON Books (author_ID);`);
  for (const { ID, name } of benchAuthors() as Values[]) {
    db.prepare("INSERT INTO Authors VALUES (?, ?)").run(ID, name);
  }
  const insert = db.prepare("INSERT INTO Books VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const row of benchBooks() as Values[]) insert.run(...BOOK_COLUMNS.map((name) => row[name]));
  return db;
}

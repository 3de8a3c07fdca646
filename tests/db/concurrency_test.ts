import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { CSN, ROWS, testModel } from "./fixture.ts";

const BOOKS = "http://localhost/odata/v4/shop/Books";

async function mixedLoad(requires: Record<string, unknown>, total: number): Promise<void> {
  const runtime = createRuntime({
    model: CSN,
    data: ROWS,
    env: { requires: { db: requires, auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } },
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    handlers: {
      // Other work between the statements of a transaction lets requests overlap.
      Shop: (srv) => srv.after("*", "Books", () => new Promise((resolve) => setTimeout(resolve, 1))),
    },
  });
  try {
    await runtime.start();
    const requests = Array.from({ length: total }, (_, index) => {
      const body = JSON.stringify({ ID: 1000 + index, title: "New" });
      const headers = { "content-type": "application/json" };
      if (index % 4 === 0) return new Request(BOOKS, { method: "POST", headers, body });
      if (index % 4 === 1) {
        return new Request(`${BOOKS}(10)`, {
          method: "PATCH",
          headers,
          body: JSON.stringify({ available: index }),
        });
      }
      return new Request(index % 4 === 2 ? `${BOOKS}?$expand=reviews&$count=true` : `${BOOKS}(10)`);
    });
    const responses = await Promise.all(requests.map((request) => runtime.fetch(request)));
    const statuses = new Set(responses.map(({ status }) => status));
    await Promise.all(responses.map((response) => response.body?.cancel()));
    assert.deepEqual([...statuses].sort(), [200, 201]);
    const count = await runtime.fetch(new Request(`${BOOKS}/$count`));
    assert.equal(await count.text(), String(3 + total / 4));
  } finally {
    await runtime.close();
  }
}

Deno.test("200 requests at once, reads and writes, all succeed in memory", () =>
  mixedLoad({ kind: "sqlite" }, 200));

Deno.test("200 requests at once, reads and writes, all succeed on a file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await mixedLoad({ kind: "sqlite", credentials: { url: `${folder}/load.sqlite` } }, 200);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a transaction that reads a file sees one state until it writes", async () => {
  const folder = await Deno.makeTempDir();
  const db = await createSqliteDatabase({
    model: testModel(),
    options: { credentials: { url: `${folder}/a.sqlite` } },
  });
  try {
    await db.deploy(ROWS);
    const select: Query = { SELECT: { from: { ref: ["my.Books"] } } };
    const [reader, writer] = [db.begin(new EventContext()), db.begin(new EventContext())];
    const count = async () => (await reader.run(select) as Row[]).length;
    assert.equal(await count(), 3);
    await writer.run({ DELETE: { from: "my.Books" } });
    await writer.commit();
    assert.equal(await count(), 3);
    await reader.run({ UPDATE: { entity: "my.Books", data: { stock: 1 } } });
    assert.equal(await count(), 0);
    await reader.commit();
  } finally {
    await db.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("forUpdate locks as a write does", async () => {
  const db = await createSqliteDatabase({ model: testModel(), options: {} });
  try {
    await db.deploy(ROWS);
    const locked: Query = {
      SELECT: { from: { ref: ["my.Books"] }, columns: [{ ref: ["stock"] }], one: true, forUpdate: true },
    };
    const buy = async () => {
      const tx = db.begin(new EventContext());
      const { stock } = await tx.run(locked) as { stock: number };
      await new Promise((resolve) => setTimeout(resolve, 1));
      await tx.run({ UPDATE: { entity: "my.Books", data: { stock: stock - 1 } } });
      await tx.commit();
    };
    await Promise.all([buy(), buy(), buy()]);
    const { stock } = await db.begin(new EventContext()).run(locked) as { stock: number };
    assert.equal(stock, 2);
  } finally {
    await db.close();
  }
});

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, SelectQuery } from "../../src/cqn/cqn.ts";
import { type D1Binding, d1Database } from "../../src/db/d1/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { startD1 } from "./miniflare.ts";

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

async function open(binding: D1Binding, cdl: string): Promise<Database> {
  return await d1Database(binding)({ model: linkModel(parseCdl(cdl)), options: {} });
}

const BEFORE = "entity E { key ID : Integer; a : String(40); }";
const ROWS = new Map([["E", [{ ID: 1, a: "initial" }]]]);

/** The binding of somebody who gets a row in front of him, once, when he sends a text that creates or drops. */
function overtaken(binding: D1Binding): D1Binding {
  let isOvertaken = false;
  const texts: string[] = [];
  return {
    prepare: (sql) => {
      texts.push(sql);
      return binding.prepare(sql);
    },
    batch: async (statements) => {
      if (!isOvertaken && texts.some((sql) => /^(?:CREATE|DROP|ALTER)/.test(sql))) {
        isOvertaken = true;
        await binding.batch([binding.prepare(`INSERT INTO "E" ("ID", "a") VALUES (2, NULL)`)]);
      }
      return await binding.batch(statements);
    },
  };
}

Deno.test("D1: Workers that start at the same time deploy once (db/d1/README, Tables)", async () => {
  const binding = server.take();
  const reports = await Promise.all(
    [1, 2, 3].map(async () => await (await open(binding, BEFORE)).deploy(ROWS)),
  );
  assert.deepEqual(reports.flatMap(({ filled }) => filled), ["E"]);
});

Deno.test("D1: what others write between the look at rows and the change is not lost (db/d1/README, Tables)", async () => {
  const cases: readonly (readonly [after: string, refusal: RegExp])[] = [
    ["entity F { key ID : Integer; }", /the rows of "E"/],
    ["entity E { key ID : Integer; a : String(40) not null default 'x'; }", /null in column "a" of "E"/],
    [
      "entity E { key ID : Integer; a : String(40); b : Integer not null; }",
      /"E" has rows, but no column "b"/,
    ],
  ];
  for (const [after, refusal] of cases) {
    const binding = server.take();
    await (await open(binding, BEFORE)).deploy();
    const deployed = (await open(overtaken(binding), after)).deploy(undefined, { mode: "lossless" });
    await assert.rejects(deployed, refusal, after);
  }
});

Deno.test("D1: initial rows that the database refuses are told with their entity", async () => {
  const model = "@assert.unique.a: [a] entity E { key ID : Integer; a : Integer; }";
  const rows = new Map([["E", [{ ID: 1, a: 1 }, { ID: 2, a: 1 }]]]);
  await assert.rejects(async () => (await open(await server.take(), model)).deploy(rows), {
    name: "ConfigurationError",
    message: 'The initial rows of "E" cannot be stored: UNIQUE_CONSTRAINT_VIOLATION, a',
  });
});

Deno.test("D1: null that only the database refuses is told as by the other engines (db/d1/README, constraints)", async () => {
  const [strict, binding] = ["entity E { key ID : Integer; a : String(40) not null; }", server.take()];
  await (await open(binding, strict)).deploy(new Map([["E", [{ ID: 1, a: "initial" }]]]));
  const db = await open(binding, BEFORE); // of a version from before the column was not null
  const where = [{ ref: ["ID"] }, "=", { val: 1 }] as const;
  const writes: readonly Query[] = [
    { INSERT: { into: "E", entries: [{ ID: 2 }] } },
    { UPDATE: { entity: "E", where, data: { a: null } } },
  ];
  for (const write of writes) {
    const tx = db.begin(new EventContext());
    await tx.run(write);
    const refusal = { status: 400, code: "ASSERT_NOT_NULL", target: "a" };
    await assert.rejects(async () => await tx.commit(), refusal, Object.keys(write)[0]);
  }
  const query: SelectQuery = { SELECT: { from: { ref: ["E"] } } };
  const after = db.begin(new EventContext());
  assert.deepEqual(await after.run(query), [{ ID: 1, a: "initial" }]);
  await after.rollback();
});

Deno.test("D1: rows may exchange values that must be unique (db/README, one transaction)", async () => {
  const model = "@assert.unique.a: [a] entity E { key ID : Integer; a : Integer not null; b : Integer; }";
  const db = await open(await server.take(), model);
  await db.deploy(new Map([["E", [{ ID: 1, a: 1, b: 1 }, { ID: 2, a: 2, b: 2 }]]]));
  const tx = db.begin(new EventContext());
  for (const [ID, a] of [[1, 3], [2, 1], [1, 2]]) {
    await tx.run({ UPDATE: { entity: "E", where: [{ ref: ["ID"] }, "=", { val: ID }], data: { a } } });
  }
  await tx.commit();
  const query: SelectQuery = { SELECT: { from: { ref: ["E"] }, orderBy: [{ ref: ["ID"] }] } };
  const after = db.begin(new EventContext());
  assert.deepEqual(await after.run(query), [{ ID: 1, a: 2, b: 1 }, { ID: 2, a: 1, b: 2 }]);
  await after.rollback();
});

/** A binding that tells how many statements of each kind are sent together. */
function counted(binding: D1Binding, sent: number[]): D1Binding {
  const texts = new Map<unknown, string>();
  return {
    prepare: (sql) => {
      const plain = binding.prepare(sql);
      const bind = plain.bind.bind(plain);
      texts.set(plain, sql);
      plain.bind = (...values) => {
        const bound = bind(...values);
        texts.set(bound, sql);
        return bound;
      };
      return plain;
    },
    batch: (statements) => {
      sent.push(statements.filter((one) => texts.get(one)!.startsWith("INSERT INTO")).length);
      return binding.batch(statements);
    },
  };
}

Deno.test("D1: rows of a table are sent together, in texts of half a megabyte (db/d1/README, one batch)", async () => {
  const sent: number[] = [];
  const db = await open(counted(server.take(), sent), "entity E { key ID : Integer; a : LargeString; }");
  await db.deploy();
  const cases: readonly (readonly [rows: number, length: number, statements: number])[] = [
    [50, 10, 1],
    [2, 200_000, 1],
    [4, 200_000, 2],
    [2, 300_000, 2],
    [1, 900_000, 1],
  ];
  let ID = 0;
  for (const [count, length, statements] of cases) {
    const entries = Array.from({ length: count }, () => ({ ID: ID++, a: "x".repeat(length) }));
    const tx = db.begin(new EventContext());
    await tx.run({ INSERT: { into: "E", entries } });
    sent.length = 0;
    await tx.commit();
    assert.deepEqual(sent, [statements], `${count} rows of ${length} characters`);
  }
  const after = db.begin(new EventContext());
  const query: SelectQuery = {
    SELECT: { from: { ref: ["E"] }, columns: [{ func: "count", args: ["*"], as: "n" }] },
  };
  assert.deepEqual(await after.run(query), [{ n: ID }]);
  await after.rollback();
});

Deno.test("D1: plain SQL that changes rows is refused, also behind WITH (db/d1/README)", async () => {
  const database = await open(server.take(), BEFORE);
  await database.deploy(ROWS);
  const tx = database.begin(new EventContext());
  for (const text of ['DELETE FROM "E"', 'WITH a AS (SELECT 1) DELETE FROM "E"']) {
    await assert.rejects(async () => await tx.sql!(text), { status: 501 });
  }
  assert.deepEqual(await tx.sql!(`SELECT "ID", 'delete' AS a FROM "E"`), [{ ID: 1, a: "delete" }]);
  await tx.rollback();
  await database.close();
});

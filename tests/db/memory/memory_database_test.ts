import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel({
  definitions: {
    "s.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", localized: true },
        stock: { type: "cds.Integer" },
        author: { type: "cds.Association", target: "s.Authors" },
        chapters: {
          type: "cds.Composition",
          target: "s.Chapters",
          cardinality: { max: "*" },
          on: [{ ref: ["chapters", "book"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "s.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String" },
        books: {
          type: "cds.Association",
          target: "s.Books",
          cardinality: { max: "*" },
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "s.Chapters": {
      kind: "entity",
      elements: {
        book: { key: true, type: "cds.Association", target: "s.Books" },
        pos: { key: true, type: "cds.Integer" },
        title: { type: "cds.String" },
      },
    },
    "S": { kind: "service" },
    "S.Titles": {
      kind: "entity",
      projection: {
        from: { ref: ["s.Books"] },
        columns: [{ ref: ["ID"] }, { ref: ["title"], as: "name" }, { ref: ["author"] }],
      },
    },
  },
});

async function withDatabase(
  use: (run: (query: Query, locale?: string) => Promise<unknown>) => Promise<void>,
) {
  const database = createMemoryDatabase({ model: MODEL, options: {} });
  const db = await database;
  const rows: [string, Row[]][] = [
    ["s.Authors", [{ ID: 1, name: "Emily" }, { ID: 2, name: "Edgar" }]],
    ["s.Books", [
      {
        ID: 10,
        title: "Heights",
        stock: 3,
        author_ID: 1,
        chapters: [{ pos: 1, title: "I" }, { pos: 2, title: "II" }],
      },
      { ID: 11, title: "Raven", stock: null, author_ID: 2 },
      { ID: 12, title: "Eleonora", stock: 9, author_ID: 2 },
    ]],
    ["s.Books.texts", [{ locale: "de", ID: 11, title: "Der Rabe" }]],
  ];
  await db.deploy(new Map(rows));
  await use(async (query, locale) => {
    const transaction = db.begin(new EventContext({ locale }));
    const result = await transaction.run(query);
    await transaction.commit();
    return result;
  });
}

const books = { ref: ["s.Books"] };
const ids = [{ ref: ["ID"] }];

Deno.test("memory database filters along associations and sorts nulls first", () =>
  withDatabase(async (run) => {
    const where = [{ ref: ["author", "name"] }, "=", { val: "Edgar" }];
    const orderBy = [{ ref: ["stock"] }];
    assert.deepEqual(await run({ SELECT: { from: books, columns: ids, where, orderBy } }), [{ ID: 11 }, {
      ID: 12,
    }]);
  }));

Deno.test("memory database keeps the null logic of = and !=", () =>
  withDatabase(async (run) => {
    const count = async (operator: string) =>
      (await run({ SELECT: { from: books, where: [{ ref: ["stock"] }, operator, { val: 3 }] } }) as Row[])
        .length;
    assert.deepEqual([await count("="), await count("<>"), await count("!=")], [1, 1, 2]);
  }));

Deno.test("memory database expands, counts and pages", () =>
  withDatabase(async (run) => {
    const expand = { ref: ["books"], expand: ids, orderBy: [{ ref: ["ID"], sort: "desc" as const }] };
    const result = await run({
      SELECT: {
        from: { ref: ["s.Authors"] },
        columns: [{ ref: ["name"] }, expand],
        orderBy: [{ ref: ["name"] }],
        limit: { rows: { val: 1 } },
        count: true,
      },
    }) as Row[] & { $count: number };
    assert.equal(result.$count, 2);
    assert.deepEqual([...result], [{ name: "Edgar", books: [{ ID: 12 }, { ID: 11 }] }]);
  }));

Deno.test("memory database evaluates exists with a filter", () =>
  withDatabase(async (run) => {
    const where = ["exists", { ref: [{ id: "books", where: [{ ref: ["stock"] }, ">", { val: 5 }] }] }];
    assert.deepEqual(await run({ SELECT: { from: { ref: ["s.Authors"] }, columns: ids, where } }), [{
      ID: 2,
    }]);
  }));

Deno.test("memory database aggregates groups", () =>
  withDatabase(async (run) => {
    const columns = [{ ref: ["author_ID"] }, { func: "sum", args: [{ ref: ["stock"] }], as: "stock" }];
    const result = await run({ SELECT: { from: books, columns, groupBy: [{ ref: ["author_ID"] }] } });
    assert.deepEqual(result, [{ author_ID: 1, stock: 3 }, { author_ID: 2, stock: 9 }]);
  }));

Deno.test("memory database aggregates all rows, also none", () =>
  withDatabase(async (run) => {
    const columns = [{ func: "max", args: [{ ref: ["ID"] }], as: "last" }, {
      func: "count",
      args: ["*" as const],
      as: "n",
    }];
    assert.deepEqual(await run({ SELECT: { from: books, columns } }), [{ last: 12, n: 3 }]);
    const where = [{ ref: ["ID"] }, "=", { val: 0 }];
    assert.deepEqual(await run({ SELECT: { from: books, columns, where } }), [{ last: null, n: 0 }]);
  }));

Deno.test("memory database reads and writes through projections, in the locale of the caller", () =>
  withDatabase(async (run) => {
    const read = {
      SELECT: { from: { ref: ["S.Titles"] }, where: [{ ref: ["ID"] }, "=", { val: 11 }], localized: true },
    };
    assert.deepEqual(await run(read, "de"), [{ ID: 11, name: "Der Rabe", author_ID: 2 }]);
    const update = {
      UPDATE: { entity: "S.Titles", data: { name: "Crow" }, where: [{ ref: ["ID"] }, "=", { val: 11 }] },
    };
    assert.equal(await run(update), 1);
    assert.deepEqual(await run(read), [{ ID: 11, name: "Crow", author_ID: 2 }]);
  }));

Deno.test("memory database replaces and deletes composition children", () =>
  withDatabase(async (run) => {
    const chapters = () => run({ SELECT: { from: { ref: ["s.Chapters"] }, columns: [{ ref: ["pos"] }] } });
    const where = [{ ref: ["ID"] }, "=", { val: 10 }];
    await run({ UPDATE: { entity: "s.Books", where, data: { chapters: [{ pos: 2 }, { pos: 3 }] } } });
    assert.deepEqual(await chapters(), [{ pos: 2 }, { pos: 3 }]);
    assert.equal(await run({ DELETE: { from: "s.Books", where } }), 1);
    assert.deepEqual(await chapters(), []);
  }));

Deno.test("memory database refuses an existing key and keeps nothing of a rolled back transaction", async () => {
  const db = await createMemoryDatabase({ model: MODEL, options: {} });
  const insert: Query = { INSERT: { into: "s.Authors", entries: [{ ID: 1, name: "A" }] } };
  const transaction = db.begin(new EventContext());
  await transaction.run(insert);
  await assert.rejects(async () => await transaction.run(insert), {
    status: 409,
    code: "ENTITY_ALREADY_EXISTS",
  });
  await transaction.rollback();
  assert.deepEqual(await db.begin(new EventContext()).run({ SELECT: { from: { ref: ["s.Authors"] } } }), []);
});

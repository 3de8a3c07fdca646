import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Csn, CsnElement } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";

const ID: CsnElement = { key: true, type: "cds.Integer" };
const DATA = new Map([["my.Books", [{ ID: 1, title: "one" }]]]);

function model(elements: Readonly<Record<string, CsnElement>>) {
  return linkModel({ definitions: { "my.Books": { kind: "entity", elements: { ID, ...elements } } } });
}

/** Deploys models one after the other to a file and reads what is there in the end. */
async function deploySeries(
  models: readonly Readonly<Record<string, CsnElement>>[],
  data: ReadonlyMap<string, readonly Row[]> = DATA,
): Promise<unknown> {
  const folder = await Deno.makeTempDir();
  const url = `${folder}/test.sqlite`;
  try {
    let result: unknown;
    for (const elements of models) {
      const db = await createSqliteDatabase({ model: model(elements), options: { credentials: { url } } });
      try {
        await db.deploy(data);
        result = await db.begin(new EventContext()).run({ SELECT: { from: { ref: ["my.Books"] } } });
      } finally {
        await db.close();
      }
    }
    return JSON.parse(JSON.stringify(result));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const TITLE = { title: { type: "cds.String" } };

Deno.test("deploy() adds columns that may be null or have a default to tables with rows", async () => {
  const later = {
    ...TITLE,
    stock: { type: "cds.Integer", default: { val: 7 }, notNull: true },
    isbn: { type: "cds.String" },
  };
  assert.deepEqual(await deploySeries([TITLE, later]), [{ ID: 1, title: "one", stock: 7, isbn: null }]);
});

Deno.test("deploy() stops where a column cannot be added to a table with rows", async () => {
  const begin = "The database cannot be brought to what the model says: ";
  const hint = ". Give the element a default, or change the database by hand";
  await assert.rejects(deploySeries([TITLE, { ...TITLE, isbn: { type: "cds.String", notNull: true } }]), {
    name: "ConfigurationError",
    message:
      `${begin}"my.Books" has rows, but no column "isbn", which must not be null and has no default${hint}`,
  });
  await assert.rejects(deploySeries([TITLE, { ...TITLE, locale: { ...TITLE.title, key: true } }]), {
    message:
      `${begin}"my.Books" has rows, but no column "locale", which is part of the key and has no default${hint}`,
  });
});

Deno.test("deploy() lets columns stay that the model no longer has, and lets them be null", async () => {
  const rows = await deploySeries(
    [{ name: { type: "cds.String", notNull: true } }, TITLE],
    new Map([["my.Books", [{ ID: 1, name: "x" }]]]),
  );
  assert.deepEqual(rows, [{ ID: 1, title: null }]);
});

Deno.test("deploy() makes tables without rows anew", async () => {
  const later = { isbn: { type: "cds.String", notNull: true } };
  assert.deepEqual(await deploySeries([TITLE, later], new Map()), []);
});

Deno.test("deploy() keeps rows that are there and makes views anew", async () => {
  assert.deepEqual(await deploySeries([TITLE, TITLE]), [{ ID: 1, title: "one" }]);
});

Deno.test("renderDdl() refuses names that differ in letter case only", () => {
  const entity = { kind: "entity", elements: { ID } } as const;
  const refuse = (...names: string[]) =>
    assert.throws(
      () => renderDdl(linkModel({ definitions: Object.fromEntries(names.map((name) => [name, entity])) })),
      {
        name: "ConfigurationError",
        message:
          `"${names[0]}" and "${
            names[1]
          }" would have the same name in the database, where letter case does not count: ` +
          `"${names.map((name) => name.replaceAll(".", "_")).join('" and "')}"; rename one of them`,
      },
    );
  refuse("bench.Books", "Bench.Books");
  refuse("a.b.C", "a.b_C");
});

Deno.test("a database whose tables would collide does not open", () => {
  const definitions: Csn["definitions"] = {
    "bench.Books": { kind: "entity", elements: { ID } },
    "Bench": { kind: "service" },
    "Bench.Books": { kind: "entity", projection: { from: { ref: ["bench.Books"] } } },
  };
  assert.throws(() => createSqliteDatabase({ model: linkModel({ definitions }), options: {} }), {
    name: "ConfigurationError",
  });
});

Deno.test("initial data is written by nobody in particular", async () => {
  const createdBy: CsnElement = { type: "cds.String", "@cds.on.insert": { "=": "$user" } };
  const rows = await deploySeries([{ ...TITLE, createdBy }]);
  assert.deepEqual(rows, [{ ID: 1, title: "one", createdBy: "anonymous" }]);
});

const AUTHORS: Csn = {
  definitions: {
    "my.Authors": {
      kind: "entity",
      elements: {
        ID,
        books: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "my.Books",
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "my.Books": {
      kind: "entity",
      elements: {
        ID,
        author: { type: "cds.Association", target: "my.Authors" },
        free: { type: "cds.Association", target: "my.Authors", "@assert.integrity": false },
      },
    },
  },
};

Deno.test("renderDdl() writes foreign keys on demand", () => {
  const ddl = renderDdl(linkModel(AUTHORS), { foreignKeys: true })[1];
  assert.equal(ddl.match(/FOREIGN KEY/g)?.length, 1);
  assert.match(
    ddl,
    /CONSTRAINT "c__my_Books_author" FOREIGN KEY\("author_ID"\) REFERENCES "my_Authors"\("ID"\) ON UPDATE RESTRICT ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED/,
  );
});

Deno.test("a foreign key that leads nowhere is refused at the commit with assert_integrity db", async () => {
  const commit = async (assert_integrity: unknown, row: Row) => {
    const db = await createSqliteDatabase({ model: linkModel(AUTHORS), options: { assert_integrity } });
    try {
      await db.deploy();
      const tx = db.begin(new EventContext());
      const insert: Query = { INSERT: { into: "my.Books", entries: [row] } };
      await tx.run(insert);
      await tx.commit();
      return await db.begin(new EventContext()).run({ SELECT: { from: { ref: ["my.Books"] } } }) as Row[];
    } finally {
      await db.close();
    }
  };
  await assert.rejects(commit("db", { ID: 1, author_ID: 9 }), {
    status: 400,
    code: "FK_CONSTRAINT_VIOLATION",
  });
  assert.equal((await commit("db", { ID: 1, free_ID: 9 })).length, 1);
  assert.equal((await commit(undefined, { ID: 1, author_ID: 9 })).length, 1);
});

import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { databaseOpener } from "../../src/fw/open_database.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const CDL = `
  entity Orders { key ID : Integer; total : Decimal(17, 4); small : Decimal(15, 2); free : Decimal; at : Rate; }
  type Rate { exact : Decimal(38, 18); }
  entity Totals as select from Orders { ID, total };
`;
const model = linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? CDL : undefined }));

async function warningsOf(kind: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open = await databaseOpener({
    env: { requires: { db: { kind } } },
    model,
    kinds: denoKinds,
    warn: (text) => found.push(text),
  });
  for (const tenant of [undefined, "t1"]) await (await open(tenant)).close();
  return found;
}

Deno.test("an engine that rounds decimals names, once, the elements of tables with more digits than it holds", async () => {
  assert.deepEqual(await warningsOf("sqlite"), [
    "Decimals with more than 15 digits are rounded by sqlite: Orders.total, Orders.at_exact",
  ]);
  assert.deepEqual(await warningsOf("memory"), []);
});

Deno.test("of decimals without digits nothing is told, of more than five elements their number", async () => {
  const cases: readonly [string, number, string | undefined][] = [
    ["free : Decimal; one : Decimal(1, 0);", 0, "Orders.one"],
    ["free : Decimal; one : Decimal(1, 0);", 1, undefined],
    [
      "a : Decimal(2); b : Decimal(2); c : Decimal(2); d : Decimal(2); e : Decimal(2);",
      1,
      "Orders.a, Orders.b, Orders.c, Orders.d, Orders.e",
    ],
    [
      "a : Decimal(2); b : Decimal(2); c : Decimal(2); d : Decimal(2); e : Decimal(2); f : Decimal(2);",
      1,
      "Orders.a, Orders.b, Orders.c, Orders.d, Orders.e and 1 more",
    ],
    ["text : String(20); total : Integer;", 0, undefined],
  ];
  for (const [elements, decimalDigits, named] of cases) {
    const cdl = `entity Orders { key ID : Integer; ${elements} }`;
    const told: string[] = [];
    const kinds = {
      ...denoKinds,
      databases: { own: () => () => Promise.resolve({ kind: "own", decimalDigits }) as never },
    };
    const open = await databaseOpener({
      env: { requires: { db: { kind: "own" } } },
      model: linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? cdl : undefined })),
      kinds,
      warn: (text) => told.push(text),
    });
    await open(undefined);
    const expected = `Decimals with more than ${decimalDigits} digits are rounded by own: ${named}`;
    assert.deepEqual(told, named === undefined ? [] : [expected], elements);
  }
});

Deno.test("a URL of another database is no file of SQLite, and its password is in no message", async () => {
  for (const url of ["postgres://me:secret@host/shop", "mysql://me:se/cr@et@host/shop"]) {
    for (const kind of ["sqlite", undefined]) {
      const env = { requires: { db: { kind, credentials: { url } } } };
      await assert.rejects(
        databaseOpener({ env, model, kinds: denoKinds }),
        (error: Error) =>
          error.name === "ConfigurationError" && /begins with "(postgres|mysql):\/\/"/.test(error.message) &&
          !/se\/?cr/.test(error.message),
      );
    }
  }
});

Deno.test("the database that a tenant has for itself is not read from replicas of another one", async () => {
  const given: unknown[] = [];
  const open = await databaseOpener({
    env: {
      requires: {
        db: {
          kind: "postgres",
          credentials: { host: "a" },
          replicas: [{ host: "b" }],
          tenants: {
            t1: { credentials: { host: "c" } },
            t2: { credentials: { host: "d" }, replicas: [{ host: "e" }] },
            t3: { timeoutMs: 5 },
          },
        },
      },
    } as never,
    model,
    kinds: {
      ...denoKinds,
      databases: {
        postgres: () => ({ options }) => {
          given.push(options.replicas);
          return {} as never;
        },
      },
    },
  });
  for (const tenant of ["t1", "t2", "t3"]) await open(tenant);
  assert.deepEqual(given, [undefined, [{ host: "e" }], [{ host: "b" }]]);
});

/** What an engine is opened with, for a tenant or for all. */
async function givenOf(
  host: Partial<Parameters<typeof databaseOpener>[0]>,
  tenants: readonly (string | undefined)[],
): Promise<readonly Record<string, unknown>[]> {
  const given: Record<string, unknown>[] = [];
  const databases = {
    postgres: () => (options: unknown) => (given.push(options as never), { kind: "x" } as never),
  };
  const open = await databaseOpener({ env: { requires: {} }, model, kinds: { databases }, ...host } as never);
  for (const tenant of tenants) await open(tenant);
  return given;
}

Deno.test("kinds of databases are those of the table, and memory; others are told with the nearest one", async () => {
  const databases = { sqlite: denoKinds.databases!.sqlite!, postgres: denoKinds.databases!.postgres! };
  const refused: readonly [{ kind: string }, string][] = [
    [
      { kind: "sqlit" },
      'is "sqlit", but only memory, sqlite, postgres can be used here; did you mean "sqlite"?',
    ],
    [{ kind: "oracle" }, 'is "oracle", but only memory, sqlite, postgres can be used here'],
  ];
  for (const [db, message] of refused) {
    await assert.rejects(databaseOpener({ env: { requires: { db } }, model, kinds: { databases } }), {
      name: "ConfigurationError",
      message: `"fw.requires.db.kind" ${message}`,
    });
  }
  for (const kind of ["sqlite", "memory", undefined]) {
    const env = { requires: { db: { kind, replicas: [] } } };
    await assert.rejects(databaseOpener({ env, model, kinds: { databases } }), {
      message: `"fw.requires.db.replicas" are replicas of PostgreSQL, but "fw.requires.db.kind" is "${
        kind ?? "memory"
      }"`,
    });
  }
  const opened = async (kinds: object, db?: object) => {
    const database = await (await databaseOpener({ env: { requires: { db } } as never, model, kinds }))(
      undefined,
    );
    await database.close();
    return database.kind;
  };
  assert.equal(await opened({}), "memory");
  assert.equal(await opened({ databases, defaultDatabase: "sqlite" }), "sqlite");
  assert.equal(await opened({ databases, defaultDatabase: "sqlite" }, { kind: "memory" }), "memory");
  for (const url of ["file:own.sqlite", ":memory:", undefined]) {
    const env = { requires: { db: { kind: "sqlite", credentials: { url } } } };
    assert.equal(typeof await databaseOpener({ env, model, kinds: { databases } }), "function");
  }
});

Deno.test("two tenants never share a database by their configuration, nor one with all others", async () => {
  const [a, b] = [{ host: "a" }, { host: "b" }];
  const cases: readonly [object | undefined, Record<string, object>, string | undefined][] = [
    [a, { t1: { credentials: b } }, undefined],
    [a, { t1: {}, t2: {} }, undefined],
    [undefined, { t1: { credentials: a }, t2: { credentials: b } }, undefined],
    [a, { t1: { credentials: { ...a } } }, '"fw.requires.db.tenants.t1.credentials" are those of all others'],
    [
      a,
      { t1: { credentials: b }, t2: { credentials: b } },
      '"fw.requires.db.tenants.t2.credentials" are those of tenant "t1"',
    ],
  ];
  for (const [credentials, tenants, message] of cases) {
    const env = { requires: { db: { kind: "postgres", credentials, tenants } } };
    const opening = givenOf({ env: env as never }, []);
    if (message === undefined) await opening;
    else await assert.rejects(opening, { message: `${message}: tenants must not share a database` });
  }
});

Deno.test("engines get their options, those of their tenant over those of all, and share what is held in common", async () => {
  const requires = {
    db: {
      kind: "postgres",
      credentials: { host: "a", user: "u" },
      pool: { max: 5 },
      tenants: { t1: { credentials: { host: "c" } }, t2: { pool: { max: 1 } } },
    },
  };
  const env = { requires, features: { ieee754compatible: true, base64_binaries: false } } as never;
  const given = await givenOf({ env }, [undefined, "t1", "t2", "t3"]);
  const seen = given.map(({ options, tenant, shared, exactNumbers, binaries }) => {
    const { credentials, pool } = options as typeof requires.db;
    return [credentials, pool, tenant, shared !== undefined, exactNumbers, binaries !== undefined];
  });
  const all = { host: "a", user: "u" };
  assert.deepEqual(seen, [
    [all, { max: 5 }, undefined, false, true, true],
    [{ host: "c", user: "u" }, { max: 5 }, undefined, true, true, true],
    [all, { max: 1 }, "t2", true, true, true],
    [all, { max: 5 }, "t3", true, true, true],
  ]);
  assert.equal(given[1]!.shared, given[3]!.shared);
  const [plain] = await givenOf({ env: { requires } as never }, [undefined]);
  assert.deepEqual([plain!.exactNumbers, plain!.binaries], [undefined, undefined]);
});

Deno.test("of elements that an engine rounds five are named, and how many more there are", async () => {
  const warned = async (count: number) => {
    const elements = Array.from({ length: count }, (_, at) => `e${at} : Decimal(16, 1);`).join(" ");
    const wide = `entity E { key ID : Integer; ${elements} }`;
    const texts: string[] = [];
    const open = await databaseOpener({
      env: { requires: { db: { kind: "sqlite" } } },
      model: linkModel(compileCdl(["m.cds"], { readFile: () => wide })),
      ...{ kinds: denoKinds, warn: (text: string) => void texts.push(text) },
    });
    await (await open(undefined)).close();
    return texts.map((text) => text.replace(/^.*?: /, ""));
  };
  const five = "E.e0, E.e1, E.e2, E.e3, E.e4";
  assert.deepEqual([await warned(0), await warned(1), await warned(5), await warned(7)], [
    ...[[], ["E.e0"], [five], [`${five} and 2 more`]],
  ]);
});

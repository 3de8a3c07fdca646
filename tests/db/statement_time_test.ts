import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../mod.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { call, conjuncts } from "../../src/algebra/build.ts";
import { fromQuery } from "../../src/algebra/from_cqn.ts";
import type { Expr, TreeSelect } from "../../src/algebra/tree.ts";
import { boundTexts, boundWork } from "../../src/db/passes/bound_texts.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { SelectQuery } from "../../src/cqn/cqn.ts";

const TEXT = `
  service Shop {
    entity Books { key ID: Integer; stock: Integer; genre: Association to Genres;
      others: Association to many Books on others.stock = stock; }
    entity Genres { key ID: Integer; name: String; books: Association to many Books on books.genre = $self; }
    entity Loans { key ID: Integer; days: Integer; }
    entity Authors { key ID: Integer; name: String; }
  }
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

const rows = (count: number, row: (ID: number) => Row) =>
  Array.from({ length: count }, (_, at) => row(at + 1));
const DATA = new Map<string, readonly Row[]>([
  ["Shop.Books", rows(400, (ID) => ({ ID, stock: 1, genre_ID: 1 }))],
  ["Shop.Genres", rows(400, (ID) => ({ ID, name: `Genre ${ID}` }))],
  ["Shop.Loans", rows(400, (ID) => ({ ID, days: ID }))],
  ["Shop.Authors", rows(400, (ID) => ({ ID, name: `${"a".repeat(60)}${ID}` }))],
]);

const nested = (name: string, depth: number): string =>
  depth === 1 ? `$expand=${name}` : `$expand=${name}(${nested(name, depth - 1)})`;
/** What would take hours. */
const ENDLESS: readonly string[] = [
  "$crossjoin(Books,Genres,Loans,Authors)?$count=true&$top=1",
  "$crossjoin(Books,Genres,Loans,Authors)?$filter=Books/ID add Genres/ID add Loans/ID eq 0",
  "$crossjoin(Books,Genres,Loans,Authors)?$orderby=Books/stock desc,Authors/name&$top=1",
  "Books?$filter=others/any(a:a/others/any(b:b/others/any(c:c/others/$count eq 0)))",
  `Books?${nested("others", 8)}`,
  "Books?$expand=others($levels=max)",
  "Genres?$expand=books($expand=genre($expand=books($expand=genre($expand=books($expand=genre($expand=books))))))",
];
const QUICK: readonly string[] = [
  "Books?$top=1&$expand=genre($expand=books($top=1;$expand=genre))",
  "$crossjoin(Books,Genres)?$top=1",
  "Loans?$filter=ID eq 1 and $root/Books(1)/others/$count ge 0",
  "Authors?$orderby=name&$top=1",
];

const ENGINES = { sqlite: createSqliteDatabase, memory: createMemoryDatabase };

type Ask = (path: string) => Promise<{ readonly status: number; readonly code: unknown }>;

async function withShop(
  kind: keyof typeof ENGINES,
  limits: Readonly<Record<string, number>>,
  run: (ask: Ask) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    data: DATA,
    kinds: { databases: { [kind]: () => ENGINES[kind] } },
    env: { log: { levels: { default: "silent" } }, requires: { db: { kind } }, limits },
  });
  try {
    await run(async (path) => {
      const response = await runtime.fetch(new Request(encodeURI(`http://localhost/odata/v4/shop/${path}`)));
      return { status: response.status, code: (await response.json()).error?.code };
    });
  } finally {
    await runtime.close();
  }
}

for (const kind of ["sqlite", "memory"] as const) {
  Deno.test(`a query that keeps the process busy ends when its time is over, on ${kind} (fw.limits.statementMs)`, () =>
    withShop(kind, { statementMs: 250, handlerMs: 600_000, expandRepetitions: 8 }, async (ask) => {
      for (const url of ENDLESS) {
        assert.deepEqual(await ask(url), { status: 504, code: "HANDLER_TIMEOUT" }, url);
        assert.equal((await ask("Books(1)")).status, 200, `behind ${url}`);
      }
    }));

  Deno.test(`subqueries of subqueries and products are answered within their time, on ${kind} (fw.limits.statementMs)`, () =>
    withShop(kind, {}, async (ask) => {
      for (const url of QUICK) assert.equal((await ask(url)).status, 200, url);
    }));
}

Deno.test("boundWork() takes steps behind the condition of an association, not for each row of a table", () => {
  const nested = (condition: string) =>
    treeOf(
      `SELECT b.ID from Books as b where exists (SELECT g.ID from Genres as g where exists (` +
        `SELECT o.ID from Books as o where ${condition}))`,
    );
  const innermost = ({ SELECT: { where } }: TreeSelect): readonly Expr[] => {
    const parts = conjuncts(where);
    const inner = parts.find((part) => part.kind === "exists");
    return inner ? innermost(inner.arg as TreeSelect) : parts;
  };
  const step = call("$step", []);
  const plain = nested("o.genre = g.ID and o.stock > 1");
  const [first, ...others] = innermost(plain);
  assert.deepEqual(innermost(boundWork(plain)), [first, step, ...others]);
  const choice = nested("o.genre = g.ID or o.stock between 1 and 2");
  assert.deepEqual(innermost(boundWork(choice)), [step, ...innermost(choice)]);
});

Deno.test("boundWork() leaves queries as they are whose work is small", () => {
  for (
    const text of [
      "SELECT b.ID from Books as b where b.stock > 1",
      "SELECT b.ID from Books as b left join Genres as g on g.ID = b.genre_ID where g.name = 'x'",
      "SELECT b.ID from Books as b where exists (SELECT g.ID from Genres as g where g.ID = b.genre_ID)",
    ]
  ) {
    const query = treeOf(text);
    assert.equal(boundWork(query), query, text);
  }
  const genre = "exists (SELECT g.ID from Genres as g where g.ID = b.genre_ID)";
  const isWatched = (count: number) => {
    const query = treeOf(`SELECT b.ID from Books as b where ${new Array(count).fill(genre).join(" or ")}`);
    return boundWork(query) !== query;
  };
  assert.deepEqual([1, 4, 5].map(isWatched), [false, false, true]);
});

Deno.test("boundTexts() bounds what joins more than 16 operands, and leaves others beside it", () => {
  const joined = (count: number) => new Array(count).fill("b.title").join(" || ");
  const bounds = (...counts: readonly number[]) => {
    const where = counts.map((count) => `${joined(count)} = 'x'`).join(" and ");
    const query = boundTexts(treeOf(`SELECT b.ID from Books as b where ${where}`), 1_000);
    return JSON.stringify(query).split("$joined").length - 1;
  };
  assert.equal(bounds(16), 0);
  assert.equal(bounds(17), 1);
  assert.equal(bounds(16, 2), 0);
  assert.equal(bounds(17, 16), 1);
});

function treeOf(text: string): TreeSelect {
  return fromQuery(parseCqlQuery(text) as SelectQuery);
}

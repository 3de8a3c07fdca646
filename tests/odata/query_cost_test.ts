import assert from "node:assert/strict";
import { compileText } from "../../src/deno/compiler.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";

const MODEL = compileText(`
  entity db.Books { key ID : Integer; title : String; stock : Integer; author : Association to db.Authors; }
  entity db.Authors { key ID : Integer; name : String; books : Association to many db.Books on books.author = $self; }
  service Shop {
    entity Books as projection on db.Books actions { function others() returns many Books; };
    entity Authors as projection on db.Authors;
  }`);

type Ask = (path: string, init?: RequestInit) => Promise<readonly [status: number, text: string]>;

async function withBudget(queryCost: number | undefined, run: (ask: Ask) => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    env: {
      requires: { auth: "dummy", db: { kind: "memory" } },
      limits: queryCost === undefined ? {} : { queryCost },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  try {
    await run(async (path, init) => {
      const response = await runtime.fetch(new Request(`http://localhost/odata/v4/shop/${path}`, init));
      return [response.status, await response.text()];
    });
  } finally {
    await runtime.close();
  }
}

Deno.test("a query that may read more values than fw.limits.queryCost is refused before it runs, with the reason", () =>
  withBudget(1_000, async (ask) => {
    // 4 columns; nested collections without $top count as 100 rows
    const cases: readonly (readonly [path: string, cost: number])[] = [
      ["Books?$top=250", 1_000],
      ["Books?$top=251", 1_004],
      ["Books?$top=500&$select=title", 1_000],
      ["Books?$top=501&$select=title", 1_002],
      ["Books(1)?$expand=author($expand=books)", 406],
      ["Authors?$top=2&$expand=books", 804],
      ["Authors?$top=3&$expand=books", 1_206],
      ["Authors?$top=3&$expand=books($top=10)", 126],
      ["Books?$top=5&$expand=author($expand=books)", 2_030],
      ["Books/$count", 1],
      ["Books(1)/Shop.others()?$select=title", 4],
    ];
    for (const [path, cost] of cases) {
      const [status, text] = await ask(path);
      if (cost <= 1_000) assert.notEqual(status, 400, `${path}: ${text}`);
      else {
        assert.equal(status, 400, path);
        assert.match(
          JSON.parse(text).error.message,
          new RegExp(
            `^The query may read ${cost} values, but no more than 1000 are allowed \\("fw\\.limits\\.queryCost"\\)`,
          ),
          path,
        );
      }
    }
  }));

Deno.test("what writes has no budget, nor have queries where none is configured", async () => {
  await withBudget(1, async (ask) => {
    const headers = { "content-type": "application/json" };
    const [status] = await ask("Books", { method: "POST", headers, body: '{"ID":1,"title":"a"}' });
    assert.equal(status, 201);
    assert.equal((await ask("Books"))[0], 400);
  });
  await withBudget(undefined, async (ask) => {
    assert.equal((await ask("Books?$expand=author($expand=books($expand=author))"))[0], 200);
  });
});

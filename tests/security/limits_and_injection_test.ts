/*
 * Cases that say more than the texts, or less:
 *
 * | case | note |
 * |---|---|
 * | odata-limits-015 | a URL of another host in a batch is read as one below our own root (OData Protocol 11.7); nothing is requested |
 * | odata-limits-024 | the locale of `Accept-Language` is shape-checked, then the default is used |
 */

import assert from "node:assert/strict";
import { type App, column, withApp } from "./app.ts";
import { assertBounded } from "../assert_bounded.ts";

const ROOT = "/odata/v4/shop";

function limited(id: string, rule: string, run: (app: App) => Promise<void>): void {
  Deno.test(`${rule} (${id})`, () => withApp({}, run));
}

/** The status of a GET below the root, which must be one of some. */
async function expectStatus(app: App, url: string, ...allowed: readonly number[]): Promise<void> {
  const { status, text } = await app.call(`GET ${ROOT}/${url}`);
  assert.ok(allowed.includes(status), `${url.slice(0, 120)}: ${status} ${text.slice(0, 200)}`);
}

limited("odata-limits-002", "$filter with thousands of terms is refused", async (app) => {
  const terms = (count: number) => Array.from({ length: count }, (_, at) => `ID eq ${at}`).join(" or ");
  await expectStatus(app, `Books?$filter=${terms(20_000)}`, 414);
  await expectStatus(app, `Books?$filter=${terms(600)}`, 400);
  await expectStatus(app, `Books?$filter=${"(".repeat(5000)}ID eq 1${")".repeat(5000)}`, 400, 414);
  await expectStatus(app, `Books?$filter=${"not ".repeat(1000)}true`, 400);
  await expectStatus(app, `Books?$filter=${terms(20)}`, 200);
});

limited("odata-limits-002", "aliases that stand for endless or huge expressions are refused", async (app) => {
  const doubled = Array.from({ length: 500 }, (_, at) => `@a${at}=(@a${at + 1} add @a${at + 1})`).join("&");
  await expectStatus(app, `Books?$filter=@a0 eq 1&${doubled}&@a500=1`, 400);
  await expectStatus(app, "Books?$filter=@a eq 1&@a=(@b add 1)&@b=-@a", 400);
  await expectStatus(app, "Books?$filter=ID gt @a&@a=(@b add 1)&@b=-1", 200);
});

limited("odata-limits-002", "what is nested is not planned or written again at each level", async (app) => {
  const nested = (before: string, inner: string, behind: string, depth = 45) =>
    before.repeat(depth) + inner + behind.repeat(depth);
  await expectStatus(app, `Books?$filter=${nested("(", "ID", " mul 1)")} gt 0`, 200);
  await expectStatus(app, `Books?$filter=${nested("(2 div ", "ID", ")")} gt 0`, 200, 400);
  await expectStatus(app, `Books?$filter=${nested("round(", "ID", ")")} gt 0`, 200, 400);
  await expectStatus(app, `Books?$filter=${nested("substring(", "title", ",0)")} eq 'x'`, 200, 400);
  await expectStatus(app, `Books?$filter=${nested("length(substring(title,", "1", "))")} gt 0`, 200, 400);
  await expectStatus(app, `Books?$filter=${nested("round(", "ID", ")", 5)} gt 0`, 200);
});

limited("odata-limits-004", "$expand nested too deep is refused", async (app) => {
  const nested = (depth: number): string => depth === 0 ? "parent" : `parent($expand=${nested(depth - 1)})`;
  await expectStatus(app, `Genres?$expand=${nested(60)}`, 400);
  await expectStatus(app, `Genres?$expand=${nested(5)}`, 200);
});

limited("odata-limits-005", "$levels=max over a cycle ends", async (app) => {
  await expectStatus(app, "Genres?$expand=parent($levels=max)", 200, 400, 501);
  await expectStatus(app, "Genres?$expand=children($levels=1000000)", 200, 400, 501);
});

limited("odata-limits-007", "lambdas nested too deep are refused", async (app) => {
  const nested = (depth: number): string =>
    depth === 0 ? "x0/ID gt 0" : `x${depth}/next/any(x${depth - 1}:${nested(depth - 1)})`;
  await expectStatus(app, `Chapters?$filter=next/any(x9:${nested(9)})`, 400);
  await expectStatus(app, `Chapters?$filter=next/any(x1:${nested(1)})`, 200);
});

limited("odata-limits-009", "a negative $top or $skip is refused", async (app) => {
  for (const option of ["$top=-1", "$skip=-1", "$top=1.5", "$top=x", "$top="]) {
    await expectStatus(app, `Books?${option}`, 400);
  }
});

limited("odata-limits-010", "huge numbers in $skip and $top do not overflow", async (app) => {
  for (const number of ["9223372036854775807", "9223372036854775808", "1".repeat(300)]) {
    await expectStatus(app, `Books?$skip=${number}`, 200, 400);
    await expectStatus(app, `Books?$top=${number}`, 200, 400);
    await expectStatus(app, `Books?$skiptoken=${number}`, 200, 400);
  }
});

function batch(count: number, url = "Books(1)") {
  return {
    requests: Array.from({ length: count }, (_, id): object => ({ id: String(id), method: "GET", url })),
  };
}

limited("odata-limits-012", "a batch of too many parts is refused", async ({ call }) => {
  assert.equal((await call(`POST ${ROOT}/$batch`, { body: batch(10_000) })).status, 429);
  assert.equal((await call(`POST ${ROOT}/$batch`, { body: batch(101) })).status, 429);
  assert.equal((await call(`POST ${ROOT}/$batch`, { body: batch(3) })).status, 200);
});

/** Status of the one part of a batch, or of the batch. */
async function partStatus({ call }: App, part: object): Promise<number> {
  const { status, json } = await call(`POST ${ROOT}/$batch`, { body: { requests: [{ id: "1", ...part }] } });
  return status === 200 ? (json as { responses: { status: number }[] }).responses[0]!.status : status;
}

limited("odata-limits-014", "a batch in a batch is refused", async (app) => {
  for (const url of ["$batch", "/odata/v4/shop/$batch", "%24batch"]) {
    const status = await partStatus(app, { method: "POST", url, body: batch(1) });
    assert.ok([400, 404, 405].includes(status), `${url}: ${status}`);
  }
});

limited("odata-limits-015", "a batch never asks another host", async (app) => {
  const original = globalThis.fetch;
  const asked: unknown[] = [];
  globalThis.fetch = (input) => {
    asked.push(input);
    return Promise.resolve(new Response());
  };
  try {
    for (const url of ["http://evil.example/secret", "//evil.example/secret", "file:///etc/passwd"]) {
      assert.ok([400, 404].includes(await partStatus(app, { method: "GET", url })), url);
    }
  } finally {
    globalThis.fetch = original;
  }
  assert.deepEqual(asked, []);
});

limited("odata-limits-017", "a cycle of dependencies in a batch is refused", async ({ call }) => {
  const requests = [
    { id: "1", method: "GET", url: "Books(1)", dependsOn: ["2"] },
    { id: "2", method: "GET", url: "Books(1)", dependsOn: ["1"] },
  ];
  assert.equal((await call(`POST ${ROOT}/$batch`, { body: { requests } })).status, 400);
});

limited("odata-limits-019", "a pattern of a client cannot take exponential time", async (app) => {
  const title = "a".repeat(200) + "!";
  await app.call(`POST ${ROOT}/Books`, { body: { ID: 9, title } });
  await assertBounded(async () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "(a*)*b", "^(a?){50}a{50}$", "(.*a){20}"]) {
      await expectStatus(
        app,
        `Books?$filter=matchesPattern(title,'${encodeURIComponent(pattern)}')`,
        200,
        400,
        501,
      );
    }
  });
});

limited("odata-limits-020", "wildcards of LIKE mean themselves", async ({ call }) => {
  const ids = async (filter: string) =>
    column(await call(`GET ${ROOT}/Books?$filter=${encodeURIComponent(filter)}`), "ID");
  assert.deepEqual(await ids("contains(title,'_')"), [1]);
  assert.deepEqual(await ids("contains(title,'%')"), [2]);
  assert.deepEqual(await ids("startswith(title,'%')"), []);
  assert.deepEqual(await ids("endswith(title,'_')"), []);
  assert.deepEqual(await ids("contains(title,'%_%')"), []);
});

limited("odata-limits-022", "a pattern of the model takes bounded time on long input", async ({ call }) => {
  await assertBounded(async () => {
    for (const length of [4000, 100_000]) {
      const { status } = await call(`POST ${ROOT}/Slugs`, { body: { ID: length, slug: "a".repeat(length) } });
      assert.equal(status, 400);
    }
  });
});

limited("odata-limits-022", "mistakes in each of many rows are not all answered", async ({ call }) => {
  const headers = { "content-type": "application/json" };
  const body = `{"ID":9,"notes":[${Array(20_000).fill('{"no":"x"}').join(",")}]}`;
  const { status, text } = await call(`POST ${ROOT}/Books`, { headers, body });
  assert.equal(status, 400);
  assert.equal(JSON.parse(text).error.details.length, 100);
});

limited("odata-limits-024", "Accept-Language never becomes a path", async ({ call }) => {
  for (const language of ["../../etc/passwd", "de/../../x", "%2e%2e", "__proto__", "x".repeat(5000)]) {
    const { status } = await call(`GET ${ROOT}/Books`, { headers: { "accept-language": language } });
    assert.equal(status, 200, language);
  }
});

limited("odata-limits-025", "headers with quoted strings are read in linear time", async ({ call }) => {
  await assertBounded(async () => {
    const quoted = `"${'\\"'.repeat(5000)}`;
    for (const name of ["prefer", "accept", "if-match", "content-type", "accept-language", "if-none-match"]) {
      for (const value of [`a=${quoted}`, `${",;=".repeat(4000)}`, `return=${quoted};${" ".repeat(4000)}x`]) {
        const { status } = await call(`GET ${ROOT}/Books`, { headers: { [name]: value } });
        assert.ok([200, 304, 400, 406, 412, 415].includes(status), `${name}: ${status}`);
      }
    }
  });
});

limited("odata-limits-027", "a compressed body is refused or counted after inflating", async ({ call }) => {
  const zeros = new Blob([`{"ID":9,"title":"${" ".repeat(20_000_000)}"}`]).stream();
  const bytes = await new Response(zeros.pipeThrough(new CompressionStream("gzip"))).bytes();
  const text = String.fromCharCode(...bytes.slice(0, 20_000));
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  assert.ok([413, 415, 400].includes((await call(`POST ${ROOT}/Books`, { headers, body: text })).status));
});

limited("injection-002", "quotes in literals are part of the value", async ({ call }) => {
  // a backslash does not escape anything
  const filters = [
    "title eq ''' OR ''1''=''1'",
    "title eq '\"; drop table x; --'",
    "title eq '\\'' or 1 eq 1'",
  ];
  for (const filter of filters) {
    const found = await call(`GET ${ROOT}/Books?$filter=${encodeURIComponent(filter)}`);
    assert.equal(found.status, 200);
    assert.deepEqual(column(found, "ID"), []);
  }
});

limited("injection-003", "$orderby takes expressions only", async (app) => {
  for (
    const order of ["title;drop table x", "title desc,1--", "(select 1)", "title collate nocase", "title--"]
  ) {
    await expectStatus(app, `Books?$orderby=${encodeURIComponent(order)}`, 400);
  }
});

limited("injection-005", "$select takes names only", async (app) => {
  for (const select of ['title,"secret"', "title as x", "`title`", "title from Books", "*,(1)"]) {
    await expectStatus(app, `Books?$select=${encodeURIComponent(select)}`, 400);
  }
});

limited("injection-007", "$search terms are values", async (app) => {
  for (const search of ['"a) OR (b"', '"\'; drop table x"', '"%"', '"\\"x"', "a) OR (b"]) {
    await expectStatus(app, `Books?$search=${encodeURIComponent(search)}`, 200, 400);
  }
  assert.deepEqual(column(await app.call(`GET ${ROOT}/Books?$search=%22%25%22`), "ID"), [2]);
});

limited("injection-008", "a locale with quotes never reaches SQL as text", async ({ call }) => {
  for (const locale of ["de'--", "de';drop table x", 'de"']) {
    for (const headers of [{ "accept-language": locale }]) {
      const found = await call(`GET ${ROOT}/Books?$orderby=ID`, { headers });
      assert.ok([200, 400].includes(found.status));
      if (found.status === 200) assert.deepEqual(column(found, "ID"), [1, 2, 3]);
    }
    const { status } = await call(`GET ${ROOT}/Books?sap-locale=${encodeURIComponent(locale)}`);
    assert.ok([200, 400].includes(status));
  }
});

limited("injection-010", "strange numbers are values or errors of the client", async (app) => {
  const numbers = ["1e400", "NaN", "INF", "-INF", "1e-400", "9".repeat(400), "0x10", "1_000", "١"];
  for (const number of numbers) {
    await expectStatus(app, `Books?$filter=ID eq ${encodeURIComponent(number)}`, 200, 400);
    await expectStatus(app, `Books(${encodeURIComponent(number)})`, 400, 404);
  }
});

limited("injection-012", "NUL does not cut a value", async (app) => {
  await expectStatus(app, "Books(1%00)", 400, 404);
  await expectStatus(app, "Books%00(1)", 400, 404);
  await expectStatus(app, "Books(1)%00", 400, 404);
  const { call } = app;
  for (const literal of ["'A_B%00'", "'A_B%00x'", "'%00'"]) {
    const found = await call(`GET ${ROOT}/Books?$filter=title eq ${literal}`);
    assert.ok([200, 400].includes(found.status), literal);
    if (found.status === 200) assert.deepEqual(column(found, "ID"), [], literal);
  }
});

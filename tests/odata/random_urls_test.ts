import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../src/errors/service_error.ts";
import { parseUrl } from "../../src/odata/url/parse_url.ts";
import { printUrl } from "../../src/odata/url/print_url.ts";
import { ENGINES } from "./engines.ts";
import type { Shop, TestAnswer } from "./fixture_host.ts";
import { withLibrary } from "./library.ts";
import { assertBounded } from "../assert_bounded.ts";
import { inOwnOrder, withCloseNumbers } from "../close_numbers.ts";
import { propertyRuns } from "../property_runs.ts";
import { bareTree } from "./url/bare_tree.ts";
import { applyUrls } from "./random_apply_urls.ts";
import { libraryRows } from "./random_library_rows.ts";
import { damaged, soundUrls } from "./random_library_urls.ts";
import { wildUrls } from "./random_wild_urls.ts";

const ANY_URL = fc.oneof({ weight: 2, arbitrary: soundUrls }, damaged(soundUrls));
const ANY_TEXT = fc.oneof(ANY_URL, wildUrls, damaged(wildUrls));

/** `deno task properties` sends ten times as many URLs as it runs other properties: 100,000. */
const USUAL_RUNS = 200;
const URLS_PER_ROWS = 10;

/** Runs work on one library for each engine. */
async function withEngines(run: (libraries: readonly Shop[]) => Promise<void>): Promise<void> {
  const open = async (
    factories: readonly (typeof ENGINES)[string][],
    libraries: readonly Shop[],
  ): Promise<void> => {
    const [first, ...rest] = factories;
    if (first === undefined) return await run(libraries);
    await withLibrary(first, (library) => open(rest, [...libraries, library]));
  };
  await open(Object.values(ENGINES), []);
}

async function answerOf(library: Shop, url: string): Promise<TestAnswer | undefined> {
  try {
    new Request(`http://localhost/${encodeURI(url)}`);
  } catch {
    return undefined; // no client can send it
  }
  return await library.send("GET", encodeURI(url));
}

Deno.test("random and damaged URLs give the same answer on each engine, none of them a 5xx but 501", () =>
  withEngines(async (libraries) => {
    const property = fc.asyncProperty(ANY_URL, async (url) => {
      const [first, ...others] = await Promise.all(libraries.map((library) => answerOf(library, url)));
      if (first === undefined || [first, ...others].some(isDivided)) return;
      assert.ok(first.status < 500 || first.status === 501, `${first.status} ${JSON.stringify(first.body)}`);
      for (const other of others) assert.deepEqual(other, first);
    });
    const { numRuns, seed } = propertyRuns(USUAL_RUNS, 31);
    await fc.assert(property, { seed, numRuns: numRuns > USUAL_RUNS ? numRuns * 10 : numRuns });
    for (const { logged } of libraries) assert.deepEqual(logged, []);
  }));

Deno.test("URLs give the same answers over random rows on each engine", () =>
  withEngines(async (libraries) => {
    const urls = fc.array(
      fc.oneof({ weight: 3, arbitrary: soundUrls }, { weight: 2, arbitrary: applyUrls }),
      {
        minLength: URLS_PER_ROWS,
        maxLength: URLS_PER_ROWS,
      },
    );
    const property = fc.asyncProperty(libraryRows, urls, async (rows, all) => {
      await Promise.all(libraries.map((library) => library.reset(structuredClone(rows))));
      for (const url of all) {
        const [first, ...others] = await Promise.all(
          libraries.map(async (library) => comparableAnswer(await answerOf(library, url), url)),
        );
        if (first === undefined || [first, ...others].some(isDivided)) continue;
        assert.ok(first.status < 500 || first.status === 501, `${url} ${JSON.stringify(first)}`);
        const read = (answer: unknown) =>
          url.includes("Edm.Double") ? withCloseNumbers(answer, first) : answer;
        for (const other of others) assert.deepEqual(read(other), first, url);
      }
    });
    const { numRuns, seed } = propertyRuns(USUAL_RUNS, 34);
    await fc.assert(property, { seed, numRuns: numRuns > USUAL_RUNS ? numRuns : USUAL_RUNS / URLS_PER_ROWS });
    for (const { logged } of libraries) assert.deepEqual(logged, []);
  }));

/** Databases choose in which order they look at conditions, and whether they look at all of them. */
function isDivided(answer: TestAnswer | undefined): boolean {
  return (answer?.body as { error?: { code: string } } | undefined)?.error?.code === "DIVISION_BY_ZERO";
}

/** Groups have no order. */
function comparableAnswer(answer: TestAnswer | undefined, url: string): TestAnswer | undefined {
  return answer && url.includes("$apply=") ? { ...answer, body: unordered(answer.body) } : answer;
}

function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return inOwnOrder(value.map(unordered));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, unordered(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => a < b ? -1 : 1));
}

Deno.test("expressions that make no sense for their types are refused on each engine, none with a 5xx", () =>
  withEngines(async (libraries) => {
    const property = fc.asyncProperty(wildUrls, async (url) => {
      for (const answer of await Promise.all(libraries.map((library) => answerOf(library, url)))) {
        if (answer === undefined || answer.status < 500) continue;
        const { message } = (answer.body as { error: { message: string } }).error;
        // the text of a duration has no form in SQL
        assert.match(message, /^A cast to Edm\.String from this type is not implemented/, url);
      }
    });
    await fc.assert(property, propertyRuns(400, 33));
    for (const { logged } of libraries) assert.deepEqual(logged, []);
  }));

Deno.test("what parses is printed to a URL with the same tree", () => {
  const property = fc.property(ANY_TEXT, (url) => {
    const tree = parsed(encodeURI(url.toWellFormed()));
    if (tree === undefined) return;
    const printed = printUrl(tree);
    assert.deepEqual(comparable(parseUrl(printed)), comparable(tree), printed);
  });
  fc.assert(property, propertyRuns(1000, 32));
});

/** An option without `$` is printed with it. */
function comparable(tree: ReturnType<typeof parseUrl>): unknown {
  const custom = tree.options.custom?.filter(({ system, error }) => system === undefined || error) ?? [];
  return bareTree({ ...tree, options: { ...tree.options, custom } });
}

function parsed(url: string): ReturnType<typeof parseUrl> | undefined {
  try {
    return parseUrl(url);
  } catch (error) {
    assert.ok(isServiceError(error) && Number(error.status) < 500, String((error as Error).stack));
    return undefined;
  }
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`URLs as long as they may be are answered in bounded time, whatever they repeat, on ${engine}`, () =>
    withLibrary(database, async (library) => {
      const fill = (start: string, part: string, end = "") =>
        start + part.repeat(Math.floor((16_000 - start.length - end.length) / encodeURI(part).length)) + end;
      const urls = [
        fill("Books?$filter=", "(", "1 eq 1"),
        fill("Books?$filter=", "not ", "true"),
        fill("Books?$filter=", "-", "1 eq 1"),
        fill("Books?$filter=ID eq 1", " or ID eq 1"),
        fill("Books?$filter=", "author/favourite/", "ID eq 1"),
        fill("Books?$filter=", "author/books/any(b:", "true"),
        `Nodes?$orderby=${Array.from({ length: 19 }, (_, at) => "parent/".repeat(at) + "name").join(",")}`,
        fill("Books?$filter=", "loans/$filter(", "true"),
        fill("Books?$filter=ID in (", "1,", "1)"),
        fill("Books?$filter=tags eq [", "1,", "1]"),
        fill("Books?$filter=tags eq ", "[", "]"),
        fill("Books?$filter=places/any(p:p eq ", '{"city":', "1)"),
        fill("Books?$filter=", "case(true:", "1 eq 1"),
        fill("Books?$filter=title eq '", "''", "'"),
        fill("Books?$search=", "(", "a)"),
        fill("Books?$search=a", " OR a"),
        fill("Books?$search=", "NOT ", "a"),
        fill("Books?$expand=", "author($expand=", "favourite"),
        fill("Nodes?$expand=children($levels=max;$expand=", "children($levels=max;$expand=", "parent"),
        fill("Books?$select=", "places($select=", "city"),
        fill("Books?$select=", "places/"),
        fill("Books?$orderby=ID", ",ID"),
        fill("Books?$compute=1 as a", ",1 as a"),
        fill("Books?$filter=@p&@p=", "@p/", "x"),
        fill("Books?", "&@a=@a"),
        fill("Books(1)", "/author/favourite"),
        fill("Books", "/$filter(true)"),
        fill("Books(1)/places", "/0"),
        fill("$crossjoin(Books", ",Books", ")"),
        fill("$all", "/ShopService.Books"),
      ];
      for (const url of urls) {
        await assertBounded(async () => {
          const { status } = await library.send("GET", encodeURI(url));
          assert.ok(status < 500, `${status} for ${url.slice(0, 60)}`);
        }, url.slice(0, 60));
      }
    }));
}

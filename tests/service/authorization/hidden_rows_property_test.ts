import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import type { Runtime } from "../../../src/fw/runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { createRandom, UrlMaker } from "./random_urls.ts";

/*
 * The property: a hidden row makes no difference. Whatever a user asks, the answer is the same as if the rows outside
 * their area had been deleted. So neither the rows nor anything about them (counts, order, results of filters) leaks.
 */

const TEXT = `
service S {
  @cds.search: { name, best.name, books }
  entity Shops { key ID: Integer; name: String; address { city: String; }; best: Association to Authors;
    next: Association to Shops; books: Association to many Books on books.shop = $self; }
  @restrict: [{ grant: 'READ', to: 'reader', where: 'country = $user.country' }, { to: 'boss' }]
  entity Authors { key ID: Integer; name: localized String; country: String; age: Integer; boss: Association to Authors;
    books: Association to many Books on books.author = $self; team: Association to many Authors on team.boss = $self; }
  @cds.search: { title, author.name }
  @restrict: [{ grant: 'READ', to: 'reader', where: (author.country = $user.country and stock > 0) }, { to: 'boss' }]
  entity Books { key ID: Integer; title: localized String; stock: Integer; price: Decimal(9,2);
    author: Association to Authors; shop: Association to Shops;
    pages: Composition of many { key no: Integer; text: String; book: Association to Books; };
    reviews: Association to many Reviews on reviews.book = $self; }
  @restrict: [{ grant: 'READ', to: 'reader', where: 'owner = $user' }, { grant: 'READ', to: 'boss' }]
  entity Reviews { key ID: Integer; text: String; owner: String; stars: Integer; book: Association to Books; }
}`;

const RUNS = Number(Deno.env.get("FW_PROPERTY_RUNS") ?? 400);
const SEED = Number(Deno.env.get("FW_PROPERTY_SEED") ?? 7);
const COUNTRY = "DE";

type Data = Map<string, Row[]>;

/** All rows; those that are hidden say so. */
function allRows(random: () => number): Data {
  const int = (bound: number) => Math.floor(random() * bound);
  const maybe = (bound: number) => random() < 0.2 ? null : int(bound);
  const authors: Row[] = [];
  for (let ID = 0; ID < 7; ID++) {
    const country = random() < 0.5 ? COUNTRY : "FR";
    const name = (country === COUNTRY ? "Anna" : "SECRET") + ID;
    authors.push({ ID, country, name, age: int(6), boss_ID: maybe(7) });
  }
  const books: Row[] = [];
  const pages: Row[] = [];
  const texts: Row[] = [];
  for (let ID = 0; ID < 12; ID++) {
    const book: Row = { ID, author_ID: maybe(7), shop_ID: maybe(4), stock: int(4), price: int(5) };
    book.title = (isVisibleBook(book, authors) ? "Tale" : "SECRET") + ID;
    books.push(book);
    texts.push({ ID, locale: "de", title: `${book.title}de` });
    for (let no = 0; no < int(3); no++) {
      pages.push({ up__ID: ID, no, text: `${book.title}p${no}`, book_ID: ID });
    }
  }
  const reviews = Array.from({ length: 12 }, (_, ID): Row => {
    const owner = random() < 0.5 ? "alice" : "other";
    return { ID, owner, text: owner === "alice" ? "nice" : "SECRET", stars: int(6), book_ID: maybe(12) };
  });
  const shops = Array.from({ length: 5 }, (_, ID): Row => ({
    ID,
    name: `Shop${ID}`,
    address_city: "Bonn",
    best_ID: maybe(7),
    next_ID: maybe(5),
  }));
  return new Map([
    ["S.Authors", authors],
    ["S.Books", books],
    ["S.Books.texts", texts],
    ["S.Books.pages", pages],
    ["S.Reviews", reviews],
    ["S.Shops", shops],
  ]);
}

function isVisibleBook(book: Row, authors: readonly Row[]): boolean {
  const author = authors.find(({ ID }) => ID === book.author_ID);
  return author?.country === COUNTRY && (book.stock as number) > 0;
}

function visibleRows(all: Data): Data {
  const authors = all.get("S.Authors")!;
  const books = all.get("S.Books")!.filter((book) => isVisibleBook(book, authors));
  const ids = new Set(books.map(({ ID }) => ID));
  return new Map([
    ["S.Authors", authors.filter(({ country }) => country === COUNTRY)],
    ["S.Books", books],
    ["S.Books.texts", all.get("S.Books.texts")!.filter(({ ID }) => ids.has(ID))],
    ["S.Books.pages", all.get("S.Books.pages")!.filter(({ up__ID }) => ids.has(up__ID))],
    ["S.Reviews", all.get("S.Reviews")!.filter(({ owner }) => owner === "alice")],
    ["S.Shops", all.get("S.Shops")!],
  ]);
}

const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

function open(kind: string, data: Data): Runtime {
  const users = { alice: { roles: ["reader"], attr: { country: [COUNTRY] } } };
  const auth = { kind: "mocked", id_prefix: "", users };
  const env = { log: { levels: { default: "silent" } }, requires: { auth, db: { kind } } };
  return createRuntime({
    model: MODEL,
    env,
    data,
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
  });
}

const ROOT = "http://localhost/odata/v4/s";
const HEADERS = { authorization: `Basic ${btoa("alice:")}` };

async function answer(runtime: Runtime, url: string): Promise<{ status: number; body: string }> {
  const response = await runtime.fetch(new Request(`${ROOT}/${url}`, { headers: HEADERS }));
  return { status: response.status, body: normalized(await response.text(), url) };
}

/** Groups have no order. */
function normalized(text: string, url: string): string {
  if (!url.includes("$apply") || !text.startsWith("{")) return text;
  const body = JSON.parse(text);
  body.value?.sort?.((a: unknown, b: unknown) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return JSON.stringify(body);
}

async function batch(runtime: Runtime, urls: readonly string[]): Promise<unknown> {
  const requests = urls.map((url, id) => ({ id: String(id), method: "GET", url }));
  const response = await runtime.fetch(
    new Request(`${ROOT}/$batch`, {
      method: "POST",
      headers: { ...HEADERS, "content-type": "application/json" },
      body: JSON.stringify({ requests }),
    }),
  );
  return JSON.parse(await response.text());
}

async function expectSame(kind: string): Promise<void> {
  const random = createRandom(SEED);
  const all = allRows(random);
  const [full, visible] = [open(kind, all), open(kind, visibleRows(all))];
  const maker = new UrlMaker(random);
  const seen = new Map<number, number>();
  try {
    const urls: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      const url = maker.url();
      const [found, expected] = [await answer(full, url), await answer(visible, url)];
      const shown = `seed ${SEED}: ${decodeURIComponent(url)}`;
      assert.ok(
        !found.body.includes("SECRET") || expected.body.includes("SECRET"),
        `${shown}\n${found.body}`,
      );
      assert.deepEqual(found, expected, shown);
      seen.set(found.status, (seen.get(found.status) ?? 0) + 1);
      if (!url.includes("$apply")) urls.push(url);
    }
    assert.deepEqual(await batch(full, urls.slice(0, 90)), await batch(visible, urls.slice(0, 90)));
    // most of the URLs must be good, or the test shows nothing
    assert.ok((seen.get(200) ?? 0) > RUNS / 2, JSON.stringify([...seen]));
    assert.equal(seen.get(500), undefined);
  } finally {
    await full.close();
    await visible.close();
  }
}

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`hidden rows make no difference to any random query: ${kind}`, () => expectSame(kind));
}

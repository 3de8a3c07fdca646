import assert from "node:assert/strict";
import type { CsnElement } from "../../src/model/csn.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";

/** Books of similar stock: each belongs to several. */
const SIMILAR: CsnElement = {
  type: "cds.Association",
  target: "ShopService.Books",
  cardinality: { max: "*" },
  on: [{ ref: ["similar", "stock"] }, ">=", { ref: ["stock"] }],
};

async function withLibrary(run: (library: Shop) => Promise<void>, limits = {}): Promise<void> {
  const books = LIBRARY.definitions!["ShopService.Books"];
  const model = {
    definitions: {
      ...LIBRARY.definitions,
      "ShopService.Books": { ...books, elements: { ...books?.elements, similar: SIMILAR } },
    },
  };
  const library = await openShop({ model, data: LIBRARY_ROWS, database: ENGINES.memory!, limits });
  try {
    await run(library);
  } finally {
    await library.close();
  }
}

/** `$expand` of each name inside of the one before. */
function nested(...names: readonly string[]): string {
  return names.reduceRight((inner, name) => inner ? `${name}($expand=${inner})` : name, "");
}

Deno.test("$expand repeats the rows of a collection only so often, however short the URL (odata-limits)", () =>
  withLibrary(async (library) => {
    const round = ["author", "books"];
    const first = `Books?$expand=${nested(...round, ...round, ...round, ...round)}`;
    const refused = [
      first,
      `Authors?$expand=${nested("books", ...round, ...round)}`,
      `Authors?$expand=${nested("favourite", ...round, ...round)}`,
      `Loans?$expand=${nested("book", ...round, "author", "books/$ref")}`,
      `Loans?$expand=${nested("book", ...round, "author", "*")}`,
      `$crossjoin(Books,Authors)?$expand=Authors($expand=${nested("books", ...round)})`,
    ];
    const rule = '$expand repeats the rows of "books", as several rows share what they belong to: ' +
      'the limit is 1 of such collections in one another; read "books" by a path';
    for (const url of refused) {
      const { status, body } = await library.send("GET", url);
      assert.equal(status, 400, url);
      const { code, message } = (body as { error: { code: string; message: string } }).error;
      assert.equal(code, "400");
      const [text, offset] = message.split(" (offset ");
      assert.equal(text, rule, url);
      assert.match(url.slice(parseInt(offset!)), /^(books|\*)/, url);
      if (url === first) assert.equal(parseInt(offset!), url.indexOf("books", url.indexOf("books") + 1));
    }
  }));

Deno.test("$expand goes to its depth where rows are not repeated, or once (odata-limits-004)", () =>
  withLibrary(async (library) => {
    const round = ["author", "books"];
    const allowed = [
      `Books?$expand=${nested(...round, "author", "favourite")}`,
      `Books?$expand=${nested(...round, "author", "books/$count")}`,
      `Books(1)?$expand=${nested(...round, ...round)}`,
      `Authors?$expand=${nested("books", ...round, "loans")}`,
      "Nodes?$expand=children($levels=8)",
      "Nodes?$expand=children($levels=7;$expand=parent),parent($levels=7;$expand=children)",
      `Nodes?$expand=${nested("parent", "children($levels=7)")}`,
      `Nodes?$expand=${nested("parent", "children($levels=max)")}`,
    ];
    for (const url of allowed) {
      const { status, body } = await library.send("GET", url);
      assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
    }
  }));

Deno.test("fw.limits.expandRepetitions lets $expand repeat rows more often [spec 8.4]", () =>
  withLibrary(async (library) => {
    const url = (times: number) =>
      `Books?$expand=${nested(...Array.from({ length: 2 * times }, (_, at) => at % 2 ? "books" : "author"))}`;
    assert.equal((await library.send("GET", url(2))).status, 200);
    assert.equal((await library.send("GET", url(3))).status, 400);
  }, { expandRepetitions: 2 }));

Deno.test("$levels=max ends where rows would be repeated too often (odata-limits-005)", () =>
  withLibrary(async (library) => {
    type Similar = { readonly similar?: readonly Similar[] };
    const levels = async (url: string) => {
      const { status, body } = await library.send("GET", url);
      assert.equal(status, 200, JSON.stringify(body));
      const { value = [body] } = body as { readonly value?: readonly Similar[] };
      let [rows, found] = [value as readonly Similar[], 0];
      while (rows[0]?.similar) [rows, found] = [rows.flatMap((row) => row.similar!), found + 1];
      return found;
    };
    assert.equal(await levels("Books?$expand=similar($levels=max)"), 2);
    assert.equal(await levels("Books?$expand=similar($levels=2)"), 2);
    assert.equal(await levels("Books(1)?$expand=similar($levels=max)"), 3);
    const { status } = await library.send("GET", "Books?$expand=similar($levels=3)");
    assert.equal(status, 400);
  }));

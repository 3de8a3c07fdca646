import assert from "node:assert/strict";
import { errorOf, type Library, withLibrary } from "./library.ts";

const CDL = `
entity Items {
  key ID  : Integer;
  name    : String(20) @mandatory;
  count   : Integer @assert.range: [1, 10];
  above   : Decimal(9, 2) @assert.range: [(0), _];
  day     : Date @assert.range: ['2024-01-01', '2024-12-31'];
  size    : String(2) @assert.range enum { small = 'S'; large = 'L'; };
  code    : String(9) @assert.format: '^[A-Z]{2}-[0-9]+$';
  book    : Association to Books @assert.target;
  parts   : Composition of many Parts on parts.item = $self;
}
entity Parts { key item : Association to Items; key pos : Integer; text : String(20) @mandatory; }
service ItemService {
  entity Items as projection on library.Items;
  entity Books as projection on library.Books;
  action check(n : Integer @mandatory @assert.range: [1, 3], text : String @assert.format: '^a+$') returns String;
}
annotate ItemService with @path: '/odata/v4/items';
`;

type Problem = readonly [code: string, target: string];

function withItems(
  test: (library: Library) => Promise<unknown>,
  texts?: Record<string, Record<string, string>>,
): Promise<void> {
  return withLibrary({ cdl: CDL, ...(texts ? { texts } : {}) }, test);
}

/** Code and target of the one error of an answer, or of each detail. */
function problemsOf(error: Record<string, unknown>): Problem[] {
  const all = (error.details ?? [error]) as Record<string, unknown>[];
  return all.map(({ code, target }) => [String(code), String(target)]);
}

/** What creating an item with these members is answered, complete but for them. */
async function problems(library: Library, members: object): Promise<Problem[]> {
  const answer = await library.post("/odata/v4/items/Items", { ID: 1, name: "N", ...members });
  if (answer.status === 201) {
    await library.send("DELETE", "/odata/v4/items/Items(1)");
    return [];
  }
  return problemsOf(errorOf(answer, 400));
}

async function expectProblems(library: Library, cases: readonly (readonly [object, string, string?])[]) {
  for (const [members, target, code] of cases) {
    const expected = code === undefined ? [] : [[code, target]];
    assert.deepEqual(await problems(library, members), expected, JSON.stringify(members));
  }
}

Deno.test("@mandatory rejects missing, null, empty and blank input with ASSERT_MANDATORY [7.3.mand] [7.3.auto]", () =>
  withItems(async (library) => {
    const bad = "ASSERT_MANDATORY";
    await expectProblems(library, [
      [{ name: undefined }, "name", bad],
      [{ name: null }, "name", bad],
      [{ name: "" }, "name", bad],
      [{ name: "  " }, "name", bad],
      [{ name: "x" }, "name"],
      [{ parts: [{ pos: 1, text: "x" }, { pos: 2 }] }, "parts(pos=2)/text", bad],
    ]);
    await library.post("/odata/v4/items/Items", { ID: 2, name: "N" });
    const update = (body: object) => library.send("PATCH", "/odata/v4/items/Items(2)", { body });
    assert.deepEqual(problemsOf(errorOf(await update({ name: null }), 400)), [[bad, "name"]]);
    assert.equal((await update({ count: 2 })).status, 200);
  }));

Deno.test("A handler never sees a request without its mandatory input [7.3.auto]", async () => {
  let ran = 0;
  await withLibrary((srv) => {
    srv.before(["CREATE", "order"], () => void ran++);
    srv.on("order", () => (ran++, "ordered"));
  }, async (library) => {
    errorOf(await library.post("Books", { ID: 1, stock: 1 }), 400);
    errorOf(await library.post("order", { book: 1 }), 400);
    errorOf(await library.post("order", { quantity: null }), 400);
    assert.equal(ran, 0);
    assert.equal((await library.post("order", { quantity: 1 })).status, 200);
    assert.equal(ran, 2);
  });
});

Deno.test("@mandatory answers ASSERT_NOT_NULL where the project has a text for that, in every language [7.3.mand]", () =>
  withItems(async (library) => {
    for (const language of ["en", "de", "fr", "pl"]) {
      const headers = { "accept-language": language };
      const answer = await library.post("/odata/v4/items/Items", { ID: 1 }, headers);
      const { code, message, target } = errorOf(answer, 400);
      assert.deepEqual([code, message, target], ["ASSERT_NOT_NULL", "Give a value", "name"], language);
    }
  }, { "": { ASSERT_NOT_NULL: "Give a value" } }));

Deno.test("@assert.range rejects values outside of closed, exclusive and open bounds with ASSERT_RANGE [7.3.range]", () =>
  withItems((library) =>
    expectProblems(library, [
      [{ count: 1 }, "count"],
      [{ count: 10 }, "count"],
      [{ count: 0 }, "count", "ASSERT_RANGE"],
      [{ count: 11 }, "count", "ASSERT_RANGE"],
      [{ count: null }, "count"],
      [{ above: 0 }, "above", "ASSERT_RANGE"],
      [{ above: 0.01 }, "above"],
      [{ above: 1000000 }, "above"],
      [{ day: "2023-12-31" }, "day", "ASSERT_RANGE"],
      [{ day: "2024-02-29" }, "day"],
      [{ day: "2025-01-01" }, "day", "ASSERT_RANGE"],
    ])
  ));

Deno.test("@assert.range of an enum rejects other values with ASSERT_ENUM [7.3.enum]", () =>
  withItems((library) =>
    expectProblems(library, [
      [{ size: "S" }, "size"],
      [{ size: "L" }, "size"],
      [{ size: "M" }, "size", "ASSERT_ENUM"],
      [{ size: "s" }, "size", "ASSERT_ENUM"],
      [{ size: null }, "size"],
    ])
  ));

Deno.test("@assert.format rejects what does not match with ASSERT_FORMAT [7.3.format]", () =>
  withItems((library) =>
    expectProblems(library, [
      [{ code: "AB-12" }, "code"],
      [{ code: "ab-12" }, "code", "ASSERT_FORMAT"],
      [{ code: "AB-12x" }, "code", "ASSERT_FORMAT"],
      [{ code: "AB-1\n" }, "code", "ASSERT_FORMAT"],
      [{ code: null }, "code"],
    ])
  ));

Deno.test("@assert.target rejects keys of no entry with ASSERT_TARGET [7.3.target]", () =>
  withItems((library) =>
    expectProblems(library, [
      [{ book_ID: 201 }, "book_ID"],
      [{ book: { ID: 201 } }, "book_ID"],
      [{ book_ID: 999 }, "book_ID", "ASSERT_TARGET"],
      [{ book: { ID: 999 } }, "book_ID", "ASSERT_TARGET"],
      [{ book_ID: null }, "book_ID"],
    ])
  ));

Deno.test("Parameters of operations are checked like elements [7.3.mand] [7.3.range] [7.3.format]", () =>
  withItems(async (library) => {
    const check = async (body: object) =>
      problemsOf(errorOf(await library.post("/odata/v4/items/check", body), 400));
    assert.deepEqual(await check({}), [["ASSERT_MANDATORY", "n"]]);
    assert.deepEqual(await check({ n: 4 }), [["ASSERT_RANGE", "n"]]);
    assert.deepEqual(await check({ n: 0, text: "b" }), [["ASSERT_RANGE", "n"], ["ASSERT_FORMAT", "text"]]);
  }));

Deno.test("All violations of a request are answered together, and nothing is stored [7.2.0b] [7.3.auto]", () =>
  withItems(async (library) => {
    const body = { ID: 5, count: 0, size: "M", code: "x", book_ID: 999, parts: [{ pos: 1 }] };
    const error = errorOf(await library.post("/odata/v4/items/Items", body), 400);
    assert.equal(error.code, "MULTIPLE_ERRORS");
    assert.deepEqual(problemsOf(error), [
      ["ASSERT_MANDATORY", "name"],
      ["ASSERT_RANGE", "count"],
      ["ASSERT_ENUM", "size"],
      ["ASSERT_FORMAT", "code"],
      ["ASSERT_MANDATORY", "parts(pos=1)/text"],
      ["ASSERT_TARGET", "book_ID"],
    ]);
    assert.equal((await library.get("/odata/v4/items/Items(5)")).status, 404);
  }));

const CODES = {
  ASSERT_MANDATORY: { name: null },
  ASSERT_RANGE: { count: 0 },
  ASSERT_ENUM: { size: "M" },
  ASSERT_FORMAT: { code: "x" },
  ASSERT_TARGET: { book_ID: 999 },
};

async function textOf(library: Library, members: object, language: string): Promise<string> {
  const headers = { "accept-language": language };
  const answer = await library.post("/odata/v4/items/Items", { ID: 1, name: "N", ...members }, headers);
  return String(errorOf(answer, 400).message);
}

Deno.test("Codes of the framework have texts in English, German, French and Spanish [7.3.i18n]", () =>
  withItems(async (library) => {
    for (const [code, members] of Object.entries(CODES)) {
      const texts = new Set<string>();
      for (const language of ["en", "de", "fr", "es"]) texts.add(await textOf(library, members, language));
      assert.equal(texts.size, 4, [...texts].join());
      for (const text of texts) assert.doesNotMatch(text, new RegExp(`${code}|\\{[01]\\}`));
    }
    assert.equal(await textOf(library, CODES.ASSERT_RANGE, "en"), "The value must lie between 1 and 10");
    assert.equal(await textOf(library, CODES.ASSERT_RANGE, "de"), "Der Wert muss zwischen 1 und 10 liegen");
  }));

Deno.test("Texts of the project override those of the framework, with their values [7.3.i18n]", () => {
  const own = Object.fromEntries(Object.keys(CODES).map((code) => [code, `Own ${code}`]));
  const texts = {
    "": { ...own, ASSERT_RANGE: "Own range: {0} in {1}..{2}" },
    de: { ASSERT_ENUM: "Eigener Text" },
  };
  return withItems(async (library) => {
    for (const [code, members] of Object.entries(CODES)) {
      const expected = code === "ASSERT_RANGE" ? "Own range: 0 in 1..10" : `Own ${code}`;
      assert.equal(await textOf(library, members, "en"), expected);
    }
    assert.equal(await textOf(library, CODES.ASSERT_ENUM, "de"), "Eigener Text");
    assert.equal(await textOf(library, CODES.ASSERT_FORMAT, "de"), "Own ASSERT_FORMAT");
  }, texts);
});

Deno.test("Handlers may reject with MISSING_INPUT, whose text comes from the bundles [7.3.missing]", () =>
  withLibrary((srv) => {
    srv.on("run", (req) => req.reject({ code: "MISSING_INPUT", status: 400, target: "n" }));
  }, async (library) => {
    const { code, message, target } = errorOf(await library.post("run"), 400);
    assert.deepEqual([code, message, target], ["MISSING_INPUT", "Input is missing", "n"]);
  }));

Deno.test("MISSING_INPUT without a text is answered with the phrase of the status [7.3.missing]", () =>
  withLibrary({
    texts: {},
    catalog: (srv) => void srv.on("run", (req) => req.reject({ status: 400, code: "MISSING_INPUT" })),
  }, async (library) => {
    const { code, message } = errorOf(await library.post("run"), 400);
    assert.deepEqual([code, message], ["MISSING_INPUT", "Bad Request"]);
  }));

Deno.test("A row that does not exist is 404, whatever its new associations lead to (Protocol 11.4.3)", () =>
  withItems(async (library) => {
    const item = "/odata/v4/items/Items(7)";
    for (const data of [{ book_ID: 999 }, { book: { ID: 999 } }]) {
      errorOf(await library.send("PATCH", item, { body: data }), 404);
    }
    await library.post("/odata/v4/items/Items", { ID: 7, name: "N" });
    errorOf(await library.send("PATCH", item, { body: { book_ID: 999 } }), 400);
  }));

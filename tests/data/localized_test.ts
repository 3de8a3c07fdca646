import assert from "node:assert/strict";
import { type App, type AppOptions, errorOf, type Json, withApp } from "./app.ts";

const MODEL = `
using { sap.common.CodeList } from '@sap/cds/common';
entity db_Books {
  key ID : Integer;
  title  : localized String(40);
  descr  : localized String(80);
  stock  : Integer;
  genre  : Association to db_Genres;
  label  : String = ID || ' ' || title;
  mark   : String = stock || '!';
  chapters : Composition of many db_Chapters on chapters.book = $self;
}
entity db_Chapters { key ID : Integer; name : localized String(40); book : Association to db_Books; }
entity db_Genres : CodeList { key code : String(3); }
@cds.localized: false
entity db_Raw as projection on db_Books;
service Test {
  @cds.redirection.target entity Books as projection on db_Books;
  entity Titles as select from db_Books { key ID, title as name, upper(title) as loud : String, genre.name as genre };
  entity Loud as projection on db_Books { *, upper(title) as loud : String } excluding { genre };
  entity Louder as projection on Loud { ID, loud };
  entity Chapters as projection on db_Chapters { *, book.label as label };
  entity Raw as projection on db_Raw;
  function read(localized : Boolean) returns String;
}
`;

const ROWS = {
  db_Books: [
    { ID: 1, title: "Apple", descr: "Fruit", stock: 1, genre_code: "n" },
    { ID: 2, title: "Bread", descr: "Food", stock: 2, genre_code: "p" },
    { ID: 3, title: "Cake", descr: "Sweet", stock: 3, genre_code: null },
  ],
  "db_Books.texts": [
    { locale: "de", ID: 1, title: "Zapfen", descr: null },
    { locale: "de", ID: 2, title: "Brot", descr: "Speise" },
    { locale: "fr", ID: 1, title: "Pomme", descr: "Fruit rouge" },
    { locale: "en_GB", ID: 3, title: "Gateau", descr: null },
  ],
  db_Chapters: [{ ID: 1, name: "Seed", book_ID: 1 }],
  "db_Chapters.texts": [{ locale: "de", ID: 1, name: "Samen" }],
  db_Genres: [{ code: "n", name: "Novel" }, { code: "p", name: "Poem" }],
  "db_Genres.texts": [{ locale: "de", code: "n", name: "Roman" }],
};

function withBooks(test: (app: App) => Promise<unknown>, more: Partial<AppOptions> = {}): Promise<void> {
  return withApp({ model: MODEL, rows: ROWS, ...more }, test);
}

async function titles(app: App, path: string, language?: string): Promise<unknown[]> {
  const rows = await app.rows(path, language ? { "accept-language": language } : {});
  return rows.map((row) => row.title ?? row.name);
}

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`localized elements come in the language of the caller, else in the default one (${database})`, () =>
    withBooks(async (app) => {
      assert.deepEqual(await titles(app, "Books"), ["Apple", "Bread", "Cake"]);
      assert.deepEqual(await titles(app, "Books", "de"), ["Zapfen", "Brot", "Cake"]);
      assert.deepEqual(await titles(app, "Books", "de-AT"), ["Zapfen", "Brot", "Cake"]);
      assert.deepEqual(await titles(app, "Books", "fr-CH, de;q=0.5"), ["Pomme", "Bread", "Cake"]);
      assert.deepEqual(await titles(app, "Books", "en-GB"), ["Apple", "Bread", "Gateau"]);
      assert.deepEqual(await titles(app, "Books", "xx"), ["Apple", "Bread", "Cake"]);
      const [first] = await app.rows("Books", { "accept-language": "de" });
      assert.equal(first!.descr, "Fruit");
    }, { database }));

  Deno.test(`sap-locale wins over Accept-Language (${database})`, () =>
    withBooks(async (app) => {
      assert.deepEqual(await titles(app, "Books?sap-locale=de", "fr"), ["Zapfen", "Brot", "Cake"]);
      assert.deepEqual(await titles(app, "Books?sap-locale=de_DE", "fr"), ["Zapfen", "Brot", "Cake"]);
      assert.deepEqual(await titles(app, "Books?sap-locale=", "fr"), ["Pomme", "Bread", "Cake"]);
    }, { database }));

  Deno.test(`$filter, $orderby, $search and functions see the localized value (${database})`, () =>
    withBooks(async (app) => {
      assert.deepEqual(await titles(app, "Books?$filter=title eq 'Brot'", "de"), ["Brot"]);
      assert.deepEqual(await titles(app, "Books?$filter=title eq 'Bread'", "de"), []);
      assert.deepEqual(await titles(app, "Books?$filter=startswith(title,'Zap')", "de"), ["Zapfen"]);
      assert.deepEqual(await titles(app, "Books?$orderby=title", "de"), ["Brot", "Cake", "Zapfen"]);
      assert.deepEqual(await titles(app, "Books?$orderby=title"), ["Apple", "Bread", "Cake"]);
      assert.deepEqual(await titles(app, "Books?$search=speise", "de"), ["Brot"]);
      assert.deepEqual(await titles(app, "Books?$search=bread", "de"), []);
      assert.equal((await app.get("Books/$count?$filter=title eq 'Brot'&sap-locale=de")).text, "1");
    }, { database }));

  Deno.test(`expand and navigation are localized, texts are not (${database})`, () =>
    withBooks(async (app) => {
      const path = "Books?$filter=ID eq 1&$expand=genre($select=name),chapters,texts($orderby=locale)";
      const [book] = await app.rows(path, { "accept-language": "de" });
      assert.equal(book!.genre!.name, "Roman");
      assert.equal((book!.chapters as unknown as Json[])[0]!.name, "Samen");
      assert.deepEqual((book!.texts as unknown as Json[]).map((text) => text.title), ["Zapfen", "Pomme"]);
      assert.equal((await app.get("Books(1)/genre?sap-locale=de")).body.name, "Roman");
      assert.equal((await app.get("Books(1)/title?sap-locale=de")).body.value, "Zapfen");
      assert.deepEqual(await titles(app, "Books(1)/chapters?sap-locale=de"), ["Samen"]);
      assert.deepEqual(await titles(app, "Books?$filter=genre/name eq 'Roman'", "de"), ["Zapfen"]);
    }, { database }));
}

Deno.test("the association localized gives the texts of the language", () =>
  withBooks(async (app) => {
    const [book] = await app.rows("Books?$filter=ID eq 1&$expand=localized", { "accept-language": "fr" });
    assert.equal(book!.localized!.title, "Pomme");
  }));

Deno.test("renamed and calculated columns of views are localized", () =>
  withBooks(async (app) => {
    const rows = await app.rows("Titles", { "accept-language": "de" });
    assert.deepEqual(rows.map(({ name, loud, genre }) => [name, loud, genre]) as unknown, [
      ["Zapfen", "ZAPFEN", "Roman"],
      ["Brot", "BROT", "Poem"],
      ["Cake", "CAKE", null],
    ]);
    const found = await app.rows("Titles?$filter=name eq 'Zapfen'", { "accept-language": "de" });
    assert.equal(found.length, 1);
  }));

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`what is calculated with texts is localized as they are, also behind projections (${database}) [csn-cqn 10]`, () =>
    withBooks(async (app) => {
      const de = { "accept-language": "de" };
      const read = async (path: string, name: string) =>
        (await app.rows(path, de)).map((row) => row[name]) as unknown;
      assert.deepEqual(await read("Books", "label"), ["1 Zapfen", "2 Brot", "3 Cake"]);
      assert.deepEqual(await read("Books?$filter=contains(label,'Brot')&$select=label", "label"), ["2 Brot"]);
      assert.deepEqual(await read("Books?$apply=groupby((label))&$orderby=label desc&$top=1", "label"), [
        "3 Cake",
      ]);
      assert.deepEqual(await read("Loud?$orderby=loud", "loud"), ["BROT", "CAKE", "ZAPFEN"]);
      assert.deepEqual(await read("Loud", "title"), ["Zapfen", "Brot", "Cake"]);
      assert.deepEqual(await read("Louder", "loud"), ["ZAPFEN", "BROT", "CAKE"]);
      assert.deepEqual(await read("Chapters", "label"), ["1 Zapfen"]);
      assert.deepEqual(await read("Chapters?$expand=book($select=label)&$select=ID", "book"), [{
        label: "1 Zapfen",
        ID: 1,
      }]);
      assert.deepEqual((await app.rows("Books")).map((row) => row.label) as unknown, [
        "1 Apple",
        "2 Bread",
        "3 Cake",
      ]);
    }, { database }));
}

Deno.test("@cds.localized: false switches localization off", () =>
  withBooks(async (app) => {
    assert.deepEqual(await titles(app, "Raw", "de"), ["Apple", "Bread", "Cake"]);
    const [{ genre }] = await app.rows("Raw?$expand=genre&$top=1", { "accept-language": "de" });
    assert.equal((genre as Json).name, "Novel");
  }));

Deno.test("texts are created, changed, added and removed with their entry", () =>
  withBooks(async (app) => {
    const created = await app.post("Books", {
      ID: 9,
      title: "Nine",
      texts: [{ locale: "de", title: "Neun" }, { locale: "fr", title: "Neuf" }],
    });
    assert.equal(created.status, 201, created.text);
    assert.equal((await app.get("Books(9)", { "accept-language": "fr" })).body.title, "Neuf");
    const changed = await app.patch("Books(9)", {
      texts: [{ locale: "de", title: "NEUN" }, { locale: "es", title: "Nueve" }],
    });
    assert.equal(changed.status, 200, changed.text);
    const read = async (language: string) =>
      (await app.get("Books(9)", { "accept-language": language })).body.title as unknown;
    assert.deepEqual(await Promise.all(["de", "es", "fr"].map(read)), ["NEUN", "Nueve", "Nine"]);
    const added = await app.post("Books(9)/texts", { locale: "it", title: "Nove" });
    assert.equal(added.status, 201, added.text);
    assert.equal(await read("it"), "Nove");
    const path = "Books(9)/texts(ID=9,locale='it')";
    assert.equal((await app.patch(path, { title: "NOVE" })).status, 200);
    assert.equal(await read("it"), "NOVE");
    assert.equal((await app.send("DELETE", path)).status, 204);
    assert.equal(await read("it"), "Nine");
    assert.equal((await app.send("DELETE", "Books(9)")).status, 204);
    errorOf(await app.get("Books(9)/texts"), 404);
    await app.post("Books", { ID: 9 });
    assert.deepEqual(await app.rows("Books(9)/texts"), []);
  }));

Deno.test("localized elements are written in the default language, and read back in that of the caller", () =>
  withBooks(async (app) => {
    const de = { "accept-language": "de" };
    const changed = await app.patch("Books(1)", { title: "Apfel", stock: 9 }, de);
    assert.equal(changed.body.title, "Zapfen");
    assert.equal((await app.get("Books(1)")).body.title, "Apfel");
    const created = await app.post("Books", { ID: 5, title: "Neu" }, de);
    assert.equal(created.body.title, "Neu");
    assert.equal((await app.get("Books(5)")).body.title, "Neu");
  }));

Deno.test("parts of a batch and members of a change set are read in their own language", () =>
  withBooks(async (app) => {
    const get = (language: string) => ({
      method: "GET",
      url: "Books(1)",
      headers: { "accept-language": language },
    });
    const singles = await app.batch([get("de"), get("fr"), { method: "GET", url: "Books(1)?sap-locale=de" }]);
    assert.deepEqual(singles.map((part) => part.body!.title as unknown), ["Zapfen", "Pomme", "Zapfen"]);
    const grouped = await app.batch([
      { ...get("de"), atomicityGroup: "g" },
      { ...get("fr"), atomicityGroup: "g" },
      {
        method: "PATCH",
        url: "Books(2)",
        body: { stock: 7 },
        headers: { "accept-language": "de" },
        atomicityGroup: "g",
      },
    ]);
    assert.deepEqual(grouped.map((part) => part.body!.title as unknown), ["Zapfen", "Pomme", "Brot"]);
  }));

Deno.test("handlers read localized elements when they ask for it", () =>
  withBooks(async (app) => {
    const read = async (localized: boolean) =>
      (await app.get(`read(localized=${localized})`, { "accept-language": "de" })).body.value as unknown;
    assert.equal(await read(true), "Zapfen");
    assert.equal(await read(false), "Apple");
  }, {
    handlers: (srv) =>
      srv.on("read", async (req) => {
        const { localized } = req.data as { localized: boolean };
        const row = await srv.run({
          SELECT: {
            one: true,
            from: { ref: ["db_Books"] },
            where: [{ ref: ["ID"] }, "=", { val: 1 }],
            ...(localized ? { localized: true } : {}),
          },
        }) as { title: string };
        return row.title;
      }),
  }));

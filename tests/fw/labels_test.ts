/** Texts and labels of `fw.i18n` (api 9): where they come from, what fills them in, and what is there without any. */

import assert from "node:assert/strict";
import "../../src/deno/file_utilities.ts";
import fw from "../../mod.ts";
import { internationalization as i18n, localize, TextBundle, type TextKey } from "../../src/fw/labels.ts";
import { csnOf, withShop } from "./shop.ts";

const FILES: Readonly<Record<string, string>> = {
  "_i18n/i18n.properties": "Book = Book\nonly = {0} and {who}, {none}",
  "_i18n/i18n_de.properties": "Book = Buch",
  "_i18n/i18n_fr.properties.bak": "Book = Livre",
  "_i18n/i18n_en.properties": "Book = Book of English",
  "more/i18n_de.properties": "Book = Buch von mehr\nmore = mehr",
  "_i18n/words.properties": "word = word",
  "_i18n/words_de.properties": "word = Wort",
};

/** A shop in a folder with these files. */
async function inFolder(test: (root: string) => void | Promise<void>, i18nSettings?: object): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    for (const folder of ["_i18n", "more"]) await Deno.mkdir(`${root}/${folder}`);
    for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(`${root}/${name}`, text);
    await withShop({ root, env: i18nSettings ? { i18n: i18nSettings } : {} }, () => test(root));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("a bundle of files has the texts of its folders, by locale, with those of the default language", () =>
  inFolder(() => {
    const bundle = new TextBundle();
    assert.equal(bundle.file, "i18n");
    assert.deepEqual(bundle.files.locales(), ["", "de", "en"]);
    const cases: readonly [string, string | undefined, string | undefined][] = [
      ["Book", "de", "Buch"],
      ["Book", "de_AT", "Buch"],
      ["Book", "fr", "Book of English"],
      ["Book", undefined, "Book of English"],
      ["Book", "", "Book of English"],
      ["more", "de", undefined],
      ["none", "de", undefined],
    ];
    for (const [key, locale, text] of cases) assert.equal(bundle.at(key, locale), text, `${key} ${locale}`);
    assert.equal(bundle.for("Book", "de"), "Buch");
    assert.equal(bundle.defaults.Book, "Book of English");
    assert.equal(bundle.texts4("de").Book, "Buch");
    assert.equal(bundle.texts4().Book, "Book of English");
    assert.deepEqual(Object.keys(bundle.translations4("all")), ["", "de", "en"]);
    const some = bundle.translations4("de", ["en", "fr"]);
    assert.deepEqual(Object.entries(some).map(([locale, { Book }]) => [locale, Book]), [
      ...[["de", "Buch"], ["en", "Book of English"], ["fr", "Book of English"]],
    ]);
    assert.deepEqual(bundle.translations4(), {});
  }));

Deno.test("folders and name of the files of a bundle may be given; later folders win, and missing ones hold nothing", () =>
  inFolder((root) => {
    const cases: readonly [
      ConstructorParameters<typeof TextBundle>[0],
      string,
      string | undefined,
      string,
    ][] = [
      [{ file: "words" }, "word", "Wort", "words"],
      [{ basename: "words" }, "word", "Wort", "words"],
      [{ file: "words", basename: "i18n" }, "word", "Wort", "words"],
      [{ folders: ["_i18n", "more"] }, "Book", "Buch von mehr", "i18n"],
      [{ folders: ["more", "_i18n"] }, "Book", "Buch", "i18n"],
      [{ folders: ["/more"] }, "more", "mehr", "i18n"],
      [{ folders: [`${root}/more`] }, "more", "mehr", "i18n"],
      [{ folders: ["nowhere"] }, "Book", undefined, "i18n"],
      [{ folders: [] }, "Book", undefined, "i18n"],
    ];
    for (const [options, key, text, file] of cases) {
      const bundle = new TextBundle(options);
      assert.deepEqual([bundle.at(key, "de"), bundle.file], [text, file], JSON.stringify(options));
    }
  }));

Deno.test("folders and default language of bundles are those of the configuration", async () => {
  await inFolder(() => {
    assert.deepEqual(i18n.folders, ["more"]);
    const bundle = new TextBundle();
    assert.deepEqual([bundle.at("Book"), bundle.at("Book", "en")], ["Buch von mehr", "Buch von mehr"]);
    assert.deepEqual([bundle.defaults.more, bundle.fallback.more], ["mehr", "mehr"]);
  }, { folders: ["more"], default_language: "de" });
  await inFolder(() => {
    assert.deepEqual(i18n.folders, ["_i18n", "i18n"]);
    assert.equal(i18n.file, "i18n");
  });
});

Deno.test("placeholders are filled by position and by name, others stay", () =>
  inFolder(() => {
    const bundle = new TextBundle();
    const cases: readonly [readonly (string | object | undefined)[], string][] = [
      [[], "{0} and {who}, {none}"],
      [["de"], "{0} and {who}, {none}"],
      [[["x"]], "x and {who}, {none}"],
      [["de", ["x"]], "x and {who}, {none}"],
      [[undefined, ["x"]], "x and {who}, {none}"],
      [[{ who: "Ann", 0: 7 }], "7 and Ann, {none}"],
      [["de", { who: null }], "{0} and null, {none}"],
      [["de", { toString: 1 }], "{0} and {who}, {none}"],
    ];
    for (const [more, text] of cases) {
      assert.equal(bundle.at("only", ...more as [string]), text, JSON.stringify(more));
    }
    assert.equal(bundle.at("none", ["x"] as never), undefined);
  }));

Deno.test("texts are those of the locale of the context, where none is named", () =>
  inFolder(async () => {
    const bundle = new TextBundle();
    await fw.tx({ locale: "de" }, () => {
      assert.deepEqual([bundle.at("Book"), bundle.at("Book", "en"), bundle.texts4().Book], [
        ...["Buch", "Book of English", "Buch"],
      ]);
    });
  }));

const LABELLED = `
  entity Plain { key ID : Integer; }
  entity CreatedAt { key ID : Integer; }
  @title: 'Own' entity Own { key ID : Integer; }
  @title: '{i18n>Book}' entity Keyed { key ID : Integer; }
  @title: '{Book}' entity Short { key ID : Integer; }
  @title: '{i18n>Nothing}' entity Without { key ID : Integer; }
  @description: 'Described' entity Described { key ID : Integer; }
  @description: 'd' @UI.HeaderInfo.TypeName: 'Header' entity Headed { key ID : Integer; }
  @UI.HeaderInfo.TypeName: 'h' @title: 'Titled' entity Titled { key ID : Integer; }
  @title: 't' @Common.Label: 'Common' entity Labelled { key ID : Integer; }
  @title: 5 @description: 'Text' entity Numbered { key ID : Integer; }
  @title: 'see {i18n>Book}' entity Inner { key ID : Integer; }
`;

Deno.test("the label of a definition is what its annotations say, else the text of its name", () =>
  withShop({
    model: csnOf(LABELLED),
    data: undefined,
    texts: new Map([["", new Map([["Book", "Book"], ["Own", "not this"]])], [
      "de",
      new Map([["Book", "Buch"]]),
    ]]),
  }, () => {
    const cases: Readonly<Record<string, readonly [string | undefined, string]>> = {
      Plain: [undefined, "Plain"],
      CreatedAt: ["Angelegt am", "CreatedAt"],
      Own: ["Own", "Own"],
      Keyed: ["Buch", "Book"],
      Short: ["Buch", "Book"],
      Without: ["Nothing", "Nothing"],
      Described: ["Described", "Described"],
      Headed: ["Header", "Header"],
      Titled: ["Titled", "Titled"],
      Labelled: ["Common", "Common"],
      Numbered: ["Text", "Text"],
      Inner: ["see {i18n>Book}", "see {i18n>Book}"],
    };
    const created = i18n.labels.at("CreatedAt", "de");
    for (const [name, [label, key]] of Object.entries(cases)) {
      const definition = fw.model.definitions[name] as TextKey & object;
      const expected = name === "CreatedAt" ? created : label;
      assert.deepEqual(
        [i18n.labels.at(definition, "de"), i18n.labels.key4(definition)],
        [expected, key],
        name,
      );
    }
    assert.ok(created && created !== i18n.labels.at("CreatedAt", "en"));
    assert.equal(i18n.messages.at("CreatedAt", "de"), undefined);
    assert.deepEqual([i18n.messages.at("Book", "de"), i18n.messages.texts4("de").Book], ["Buch", "Buch"]);
    assert.deepEqual([i18n.messages.file, i18n.labels.file], ["messages", "i18n"]);
  }));

Deno.test("fw.i18n.bundle4() gives one bundle by name, that of labels for a model, and those of folders", () =>
  inFolder(() => {
    assert.equal(i18n.bundle4("messages"), i18n.messages);
    for (const labels of [undefined, "i18n", fw.model, {}, { file: "words" }]) {
      assert.equal(i18n.bundle4(labels), i18n.labels, JSON.stringify(labels === fw.model ? "model" : labels));
    }
    assert.equal(i18n.bundle4(fw.model, { file: "words" }), i18n.labels);
    assert.equal(i18n.bundle4(fw.model, { file: "words", folders: ["_i18n"] }).at("word", "de"), "Wort");
    const words = i18n.bundle4("words");
    assert.deepEqual([words.at("word", "de"), words.file], ["Wort", "words"]);
    assert.equal(i18n.bundle4("words"), words);
    assert.equal((i18n as unknown as Record<string, unknown>).words, words);
    const others = i18n.bundle4("words", { folders: ["more"] });
    assert.notEqual(others, words);
    assert.deepEqual([others.at("word", "de"), others.file], [undefined, "words"]);
    assert.equal(i18n.bundle4("words", { file: "i18n", folders: ["more"] }).at("more", "de"), "mehr");
    i18n.bundle4("file");
    assert.equal(i18n.file, "i18n", "members stay what they are");
    assert.equal(i18n.Bundle, TextBundle);
  }));

Deno.test("a bundle by name has the texts of the project that is served", async () => {
  const names: (string | undefined)[] = [];
  for (const locale of ["de", "en"]) {
    await inFolder((root) => {
      if (locale === "en") Deno.removeSync(`${root}/_i18n/words_de.properties`);
      names.push(i18n.bundle4("words").at("word", "de"));
      assert.deepEqual(i18n.bundle4("words").files.locales(), locale === "en" ? [""] : ["", "de"]);
    });
  }
  assert.deepEqual(names, ["Wort", "word"]);
});

Deno.test("fw.localize() puts texts in place of their keys, escaped as the document wants it", () =>
  withShop({
    texts: new Map([["de", new Map([["Quote", `"<&>"`], ["Book", "Buch"]])]]),
  }, async () => {
    const cases: readonly [string, string][] = [
      ['<a b="{i18n>Quote}"/>', '<a b="&quot;&lt;&amp;>&quot;"/>'],
      ['\n  <a b="{i18n>Book}"/>', '\n  <a b="Buch"/>'],
      ['{"a":"{i18n>Quote}"}', '{"a":"\\"<&>\\""}'],
      ['{"a":"{bi18n>Book} {i18n>Book}"}', '{"a":"Buch Buch"}'],
      ['{"a":"{i18n>Nothing} {Book} i18n>Book"}', '{"a":"{i18n>Nothing} {Book} i18n>Book"}'],
    ];
    for (const [document, localized] of cases) assert.equal(localize(fw.model, "de", document), localized);
    assert.equal(localize(fw.model, "en", "{i18n>Book}"), "{i18n>Book}");
    await fw.tx({ locale: "de" }, () => assert.equal(localize(undefined, undefined, "{i18n>Book}"), "Buch"));
  }));

import assert from "node:assert/strict";
import { TextBundles, textsFromFiles } from "../../src/i18n/text_bundles.ts";

const project = textsFromFiles("messages", [
  ["_i18n/messages.properties", "GREETING = Hello {0}\nONLY_DEFAULT = Default"],
  ["_i18n/messages_de.properties", "GREETING = Hallo {0}"],
  ["_i18n/messages_en_GB.properties", "GREETING = Good day {0}"],
  ["_i18n/i18n_de.properties", "GREETING = Beschriftung"],
]);
const bundles = new TextBundles({ project });

Deno.test("TextBundles falls back from region over language to the default", () => {
  assert.equal(bundles.at("GREETING", "en_GB", ["you"]), "Good day you");
  assert.equal(bundles.at("GREETING", "de_AT", ["du"]), "Hallo du");
  assert.equal(bundles.at("GREETING", "fr", ["toi"]), "Hello toi");
  assert.equal(bundles.at("GREETING", undefined, ["you"]), "Hello you");
  assert.equal(bundles.at("ONLY_DEFAULT", "de"), "Default");
});

Deno.test("TextBundles gives undefined for a key nobody has", () => {
  assert.equal(bundles.at("NOBODY", "de"), undefined);
});

Deno.test("TextBundles prefers texts of the project to those of the framework", () => {
  const own = new TextBundles({
    project: new Map([["", new Map([["ASSERT_MANDATORY", "Please fill in"]])]]),
  });
  assert.equal(own.at("ASSERT_MANDATORY", "en"), "Please fill in");
  assert.equal(own.at("ASSERT_ARRAY", "es"), "Se espera una lista");
});

Deno.test("TextBundles leaves placeholders without argument as they are", () => {
  assert.equal(bundles.at("GREETING", "de", []), "Hallo {0}");
});

Deno.test("TextBundles.all() merges the texts of a locale with its fallbacks", () => {
  const all = bundles.all("de");
  assert.equal(all.get("GREETING"), "Hallo {0}");
  assert.equal(all.get("ONLY_DEFAULT"), "Default");
  assert.equal(all.get("ASSERT_ARRAY"), "Eine Liste wird erwartet");
});

Deno.test("TextBundles tells the locale of a text: that of its file, else the default language", () => {
  const locales = ["en_GB", "de_AT", "fr", undefined].map((locale) => bundles.localeOf("GREETING", locale));
  assert.deepEqual(locales, ["en_GB", "de", "en", "en"]);
  assert.equal(bundles.localeOf("ONLY_DEFAULT", "de"), "en");
  assert.equal(bundles.localeOf("NOBODY", "de"), undefined);
});

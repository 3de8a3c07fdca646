import assert from "node:assert/strict";
import { ERROR_CODES } from "../../src/errors/codes.ts";
import { FRAMEWORK_TEXTS } from "../../src/i18n/framework_texts.ts";

Deno.test("ERROR_CODES have a text in every language of the framework", () => {
  for (const [locale, texts] of FRAMEWORK_TEXTS) {
    assert.deepEqual(
      [...ERROR_CODES.values()].map(({ text }) => text).sort(),
      [...texts.keys()].sort(),
      locale,
    );
  }
});

Deno.test("FRAMEWORK_TEXTS use the same placeholders in every language", () => {
  const placeholders = (text: string) => (text.match(/\{\d\}/g) ?? []).sort();
  for (const texts of FRAMEWORK_TEXTS.values()) {
    for (const [key, text] of texts) {
      assert.deepEqual(placeholders(text), placeholders(FRAMEWORK_TEXTS.get("en")!.get(key)!), key);
    }
  }
});

Deno.test("FRAMEWORK_TEXTS end without a period", () => {
  for (const texts of FRAMEWORK_TEXTS.values()) {
    for (const text of texts.values()) assert.doesNotMatch(text, /\.$/);
  }
});

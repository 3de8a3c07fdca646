import assert from "node:assert/strict";
import fc from "fast-check";
import { normalizeLocale, requestLocale } from "../../src/i18n/request_locale.ts";
import { propertyRuns } from "../property_runs.ts";
import { parseProperties } from "../../src/i18n/text_bundles.ts";

const LOCALE = /^[a-z]{1,8}(_[A-Z]{2})?$/;

Deno.test("normalizeLocale() gives a plain language or a preserved locale, or nothing", () => {
  const tag = fc.stringMatching(/^[a-zA-Z*]{1,9}([-_][a-zA-Z0-9]{0,9}){0,3}$/);
  fc.assert(
    fc.property(fc.oneof(tag, fc.string()), (text) => {
      const locale = normalizeLocale(text);
      if (locale !== undefined) assert.match(locale, LOCALE);
    }),
    propertyRuns(500, 1),
  );
});

Deno.test("requestLocale() survives any header", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\x21-\x7e][\x20-\x7e]{0,60}$/), (header) => {
      const headers = new Headers({ "accept-language": header });
      const locale = requestLocale({ url: "http://x/", headers });
      if (locale !== undefined) assert.match(locale, LOCALE);
    }),
    propertyRuns(500, 2),
  );
});

Deno.test("parseProperties() gives back what was written with escapes", () => {
  const escape = (text: string) =>
    text.replace(/[^a-zA-Z0-9]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (texts) => {
      const file = Object.entries(texts).map(([key, text]) => `${escape(key)}=${escape(text)}`).join("\n");
      assert.deepEqual([...parseProperties(file)].sort(), Object.entries(texts).sort());
    }),
    propertyRuns(300, 3),
  );
});

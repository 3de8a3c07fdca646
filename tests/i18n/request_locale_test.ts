import assert from "node:assert/strict";
import { normalizeLocale, requestLocale } from "../../src/i18n/request_locale.ts";

function locale(acceptLanguage?: string, url = "http://x/"): string | undefined {
  return requestLocale(
    new Request(url, { headers: acceptLanguage ? { "accept-language": acceptLanguage } : {} }),
  );
}

Deno.test("normalizeLocale() cuts the region and writes _ for -", () => {
  assert.equal(normalizeLocale("pt-BR"), "pt");
  assert.equal(normalizeLocale("de_CH"), "de");
  assert.equal(normalizeLocale("DE"), "de");
  assert.equal(normalizeLocale("x"), "x");
  assert.equal(normalizeLocale("*"), undefined);
  assert.equal(normalizeLocale("x'; drop"), undefined);
});

Deno.test("normalizeLocale() preserves the region of some locales, in any letter case", () => {
  for (const kept of ["en_GB", "es_CO", "es_MX", "fr_CA", "pt_PT", "zh_CN", "zh_HK", "zh_TW"]) {
    assert.equal(normalizeLocale(kept.toUpperCase().replace("_", "-")), kept);
    assert.equal(normalizeLocale(kept.toLowerCase()), kept);
  }
  assert.equal(normalizeLocale("de-CH", ["de_CH"]), "de_CH");
});

Deno.test("requestLocale() takes the usable language of the best quality [2.1.locale]", () => {
  assert.equal(locale("de-CH"), "de");
  assert.equal(locale("fr;q=0.5, de;q=0.9, en;q=0.1"), "de");
  assert.equal(locale("de;q=0, fr;q=0.3"), "fr");
});

Deno.test("requestLocale() is undefined without header, the default language for * or nothing usable", () => {
  assert.equal(locale(), undefined);
  assert.equal(locale("*"), "en");
  assert.equal(locale("!!!"), "en");
});

Deno.test("requestLocale() prefers sap-locale", () => {
  assert.equal(locale("de", "http://x/Books?$top=1&sap-locale=fr-FR"), "fr");
  assert.equal(locale("de", "http://x/Books?sap-locale=???"), "de");
});

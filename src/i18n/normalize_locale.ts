/**
 * Locales in one form (`behaviours` 10).
 *
 * @module
 */

/** Locales that keep their region; the others are cut to the language. */
const PRESERVED_LOCALES: readonly string[] = [
  "en_GB",
  "es_CO",
  "es_MX",
  "fr_CA",
  "pt_PT",
  "zh_CN",
  "zh_HK",
  "zh_TW",
];

/** A language tag with region, script or extensions, `-` or `_` between the parts. */
const LOCALE = /^[a-zA-Z]{1,8}(?:[-_][a-zA-Z0-9]{1,8}){0,4}$/;

/**
 * The normalized form of a locale: `_` for `-`, without region unless it is one of the preserved ones.
 *
 * @param locale a language tag in any letter case
 * @param preserved locales that keep their region
 * @returns `undefined` for `*` and for what is no language tag
 */
export function normalizeLocale(
  locale: string,
  preserved: readonly string[] = PRESERVED_LOCALES,
): string | undefined {
  const tag = locale.trim();
  if (!LOCALE.test(tag)) return undefined;
  const plain = tag.replaceAll("-", "_").toLowerCase();
  const kept = preserved.find((one) => {
    const name = one.replaceAll("-", "_").toLowerCase();
    return plain === name || plain.startsWith(`${name}_`);
  });
  return kept?.replaceAll("-", "_") ?? plain.split("_")[0];
}

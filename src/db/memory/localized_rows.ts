/**
 * Rows in the locale of the caller.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Table } from "./tables.ts";

/**
 * The rows of a table; localized elements come from the texts of the locale where there are any.
 *
 * @param locale normalized locale; undefined for the default language
 */
export function localizedRows(
  entity: LinkedEntity,
  tables: ReadonlyMap<string, Table>,
  locale: string | undefined,
): readonly Row[] {
  const rows = [...tables.get(entity.name)?.values() ?? []];
  const texts = entity.$texts;
  if (!locale || !texts) return rows;
  const names = [...texts.$flat.keys()].filter((name) => name !== "locale");
  const keys = entity.$flatKeys.map(({ name }) => name);
  const keyOf = (row: Row) => JSON.stringify(keys.map((name) => String(row[name])));
  const byKey = new Map<string, Row>();
  for (const text of tables.get(texts.name)?.values() ?? []) {
    if (text.locale === locale) byKey.set(keyOf(text), text);
  }
  return rows.map((row) => {
    const text = byKey.get(keyOf(row));
    if (!text) return row;
    const translated = names.filter((name) => !keys.includes(name) && text[name] != null);
    return { ...row, ...Object.fromEntries(translated.map((name) => [name, text[name]])) };
  });
}

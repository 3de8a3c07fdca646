/**
 * Keys in the paths of messages, as URLs have them (OData URL 4.3.1).
 *
 * @module
 */

import type { FlatElement } from "../linked.ts";

const TEXTS: ReadonlySet<string> = new Set(["cds.String", "cds.LargeString"]);

/**
 * A key with its name: `code='a'`, `ID=1`.
 *
 * @param name its name
 * @param value its value
 * @param key its element, if the model has one
 */
export function namedKey(name: string, value: unknown, key: FlatElement | undefined): string {
  const isText = TEXTS.has(key?.element.$type.builtin ?? "");
  return `${name}=${isText ? `'${String(value).replaceAll("'", "''")}'` : value}`;
}

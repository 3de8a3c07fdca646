/**
 * Keys of rows as text of URLs (URL Conventions 4.3.1).
 *
 * @module
 */

import { hasParameters, type ViewWithParameters } from "../../model/runtime_view.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { Row } from "../../cqn/cqn.ts";
import { encodeUriText } from "../../util/http_text.ts";
import { entitySetName } from "../names.ts";
import { writeRawValue } from "./write_value.ts";

/**
 * The key predicate of a row: `(201)`, `(up__ID=…,line=5)`; undefined when a key is missing. Keys of associations are
 * represented by their foreign keys, virtual keys are left out.
 */
export function keyPredicate(entity: LinkedEntity, row: Row): string | undefined {
  let names: string | undefined;
  let only: string | undefined;
  const keys = entity.$flatKeys;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key.virtual) continue;
    const value = row[key.name];
    if (value === null || value === undefined) return undefined;
    const literal = keyLiteral(value, key);
    only = names === undefined ? literal : undefined;
    names = names === undefined ? `${key.name}=${literal}` : `${names},${key.name}=${literal}`;
  }
  return names === undefined ? undefined : `(${only ?? names})`;
}

/**
 * The values of the parameters of a view: `(least=2)`.
 *
 * @param entity the view
 * @param args the values; parameters with default may be missing
 */
export function argumentList({ params }: ViewWithParameters, args: Row): string {
  const values = Object.entries(args);
  return `(${
    values.map(([name, value]) => `${name}=${keyLiteral(value, { element: params[name] })}`).join(",")
  })`;
}

/**
 * Canonical URL of a row below the service root: `Books(201)`. A row alone does not tell which parameters of its view
 * it is from.
 */
export function canonicalUrl(entity: LinkedEntity, row: Row): string | undefined {
  if (hasParameters(entity)) return undefined;
  const predicate = keyPredicate(entity, row);
  return predicate === undefined ? undefined : entitySetName(entity) + predicate;
}

const QUOTED = new Set([undefined, "cds.String", "cds.LargeString"]);

function keyLiteral(value: unknown, key: Pick<FlatElement, "element">): string {
  const type = key.element.$type;
  // most keys: whole numbers are written the same in all types of numbers
  if (Number.isSafeInteger(value) && !type.extended) return String(value);
  const text = writeRawValue(value, type);
  if (QUOTED.has(type.builtin)) {
    return encodeUriText(`'${text.replaceAll("'", "''")}'`);
  }
  if (type.builtin === "cds.Binary") return `binary'${text}'`;
  return encodeUriText(text);
}

/**
 * A text of keys that is the same for equal ones, whatever the order of their names.
 *
 * @param keys keys of a row
 */
export function keysText(keys: Row): string {
  return JSON.stringify(Object.keys(keys).sort().map((name) => [name, String(keys[name])]));
}

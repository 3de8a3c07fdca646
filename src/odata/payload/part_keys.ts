/**
 * Keys of rows that are nested in others.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import type { JsonValue } from "./parse_json.ts";
import { isJsonObject } from "./reading.ts";

/**
 * The key of a child in the path of an error: `(ID=2)` when all keys are given, foreign keys of the back link aside.
 *
 * @param value the child
 * @param target its entity
 */
export function childKey(value: JsonValue, target: LinkedEntity): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const keys = target.$flatKeys.filter((key) => !key.virtual && key.foreignKey4 === undefined);
  const parts = keys.map((key) => {
    const member = value[key.name];
    return typeof member === "string" || typeof member === "number" ? `${key.name}=${member}` : undefined;
  });
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return `(${parts.join(",")})`;
}

/**
 * Whether a key of a part is missing that the row around does not give it.
 *
 * @param row the part
 * @param composition the composition to it
 */
export function lacksKey(row: Row, composition: LinkedElement): boolean {
  const given = new Set(linksOf(composition).pairs.map(({ target }) => target));
  return composition.$target!.$flatKeys.some(({ name, virtual }) =>
    !virtual && !given.has(name) && (row[name] === undefined || row[name] === null)
  );
}

/**
 * The error for a row of changes that cannot be found.
 *
 * @param annotation the changes
 * @param target path of the row
 */
export function missingKeys(annotation: string, target: string): ErrorProperties {
  return { status: 400, code: "400", message: `"${annotation}" needs the keys of each row`, target };
}

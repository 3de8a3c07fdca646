/**
 * The values of changed columns, in SQL.
 *
 * @module
 */

import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { type ColumnShape, DEFAULT_LENGTH } from "../ddl/schema_shape.ts";
import { quote } from "../render/render_query.ts";
import type { ColumnChange } from "./diff_schemas.ts";

/**
 * The value that a changed column gets, over the columns as they were.
 *
 * @param change the change
 * @returns SQL
 */
export function columnValue({ before, after, type, refusesNull }: ColumnChange): string {
  const given = quote(before.name);
  const converted = type === "other" ? convert(given, before, after) : given;
  return refusesNull && after.fallback !== undefined
    ? `COALESCE(${converted}, ${after.fallback})`
    : converted;
}

/** Numbers become other numbers; everything else goes by its text. */
function convert(value: string, before: ColumnShape, { sql, type }: ColumnShape): string {
  const text = `CAST(${value} AS TEXT)`;
  if (type?.builtin === "cds.String") return `substr(${text}, 1, ${type.length ?? DEFAULT_LENGTH})`;
  const isNumber = NUMBER_TYPES.has(before.type?.builtin) && NUMBER_TYPES.has(type?.builtin);
  return `CAST(${isNumber ? value : text} AS ${sql.replace(/ COLLATE .*$/, "")})`;
}

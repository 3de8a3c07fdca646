/**
 * Names of entities in SQL text (api 11.5): definitions print as their full name.
 *
 * @module
 */

import type { LinkedModel } from "../model/linked.ts";
import { ASIDE } from "./plain_sql.ts";
import { quote } from "./render/render_query.ts";
import { sqlName } from "./sql_name.ts";

/** Literals, quoted names and comments, which stay as they are; or a name with dots. */
const PARTS = new RegExp(String.raw`${ASIDE}|[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+`, "gu");

/**
 * Replaces full names of entities by the quoted names of their tables and views.
 *
 * @param text SQL
 * @param model whose entities they are
 */
export function entitiesInSql(text: string, model: LinkedModel): string {
  if (!text.includes(".")) return text;
  return text.replace(PARTS, (part) => /^['"/-]/.test(part) ? part : tableName(part, model));
}

/** The longest start that names an entity; a column may follow it. */
function tableName(name: string, model: LinkedModel): string {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const start = name.slice(0, end);
    if (model.entity(start)) return quote(sqlName(start)) + name.slice(end);
  }
  return name;
}

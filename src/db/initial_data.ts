/**
 * Initial rows from CSV files.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../model/linked.ts";
import { isRealDay } from "../util/is_real_day.ts";
import { nearestName } from "../util/nearest_name.ts";
import { temporalText, type TemporalType } from "../util/temporal_text.ts";
import { type CsvRecord, parseCsv } from "./csv.ts";
import { addAll } from "../util/add_all.ts";

/** A file with rows; its name tells the entity: `<namespace>-<Entity>.csv`, `….texts.csv`. */
export interface DataFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Reads rows by entity.
 *
 * @param model the model
 * @param files names and texts of CSV files; the first line of each names columns
 * @throws ConfigurationError with file and line for an unknown entity or column, a missing field or a wrong value
 */
export function initialData(
  model: LinkedModel,
  files: readonly DataFile[],
): ReadonlyMap<string, readonly Row[]> {
  const data = new Map<string, Row[]>();
  for (const { file, text } of files) {
    const entity = entityOfFile(model, file);
    const [head, ...records] = parseCsv(text, file);
    if (!head) continue;
    const columns = head.fields.map((name) => columnOf(entity, name.trim(), file));
    const rows = records.map((record) => toRow(record, columns, file));
    const all = data.get(entity.name) ?? [];
    addAll(all, rows);
    data.set(entity.name, all);
    checkKeys(all, entity, { file, lines: records.map(({ line }) => line) });
  }
  return data;
}

/**
 * The entity whose rows a file has.
 *
 * @param model the model
 * @param file path of the file
 * @throws ConfigurationError when there is no such entity
 */
export function entityOfFile(model: LinkedModel, file: string): LinkedEntity {
  const base = file.slice(file.lastIndexOf("/") + 1).replace(/\.csv$/, "");
  const name = base.replaceAll("-", ".").replace(/_texts$/, ".texts");
  const entity = model.entity(name);
  if (entity) return entity;
  const names = Object.values(model.definitions).filter(({ kind }) => kind === "entity").map((one) =>
    one.name
  );
  const nearest = nearestName(name, names);
  const hint = nearest ? `; did you mean "${nearest.replace(/\.(?=[^.]*$)/, "-")}.csv"?` : "";
  throw new ConfigurationError(`There is no entity "${name}" for this file${hint}`, { file });
}

/** Where the last rows come from. */
interface RowPlaces {
  readonly file: string;
  readonly lines: readonly number[];
}

/** A key that is there twice has a place; the database could only tell that there is one. */
function checkKeys(rows: readonly Row[], entity: LinkedEntity, { file, lines }: RowPlaces): void {
  const names = entity.$flatKeys.map(({ name }) => name);
  const known = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const values = names.map((name) => row[name]);
    if (values.length === 0 || values.some((value) => value === undefined || value === null)) continue;
    const key = JSON.stringify(values);
    if (!known.has(key)) known.add(key);
    else {
      const line = lines[index - (rows.length - lines.length)];
      throw new ConfigurationError(`There is another row with the key ${values.join(", ")}`, { file, line });
    }
  }
}

interface CsvColumn {
  readonly name: string;
  readonly flat: FlatElement;
}

function columnOf(entity: LinkedEntity, name: string, file: string): CsvColumn {
  const flat = entity.$flat.get(name) ?? entity.$flat.get(name.replaceAll(".", "_"));
  if (flat) return { name: flat.name, flat };
  const nearest = nearestName(name, entity.$flat.keys());
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  throw new ConfigurationError(`${entity.name} has no column "${name}"${hint}`, { file, line: 1 });
}

function toRow({ fields, line }: CsvRecord, columns: readonly CsvColumn[], file: string): Row {
  if (fields.length !== columns.length) {
    throw new ConfigurationError(`Expected ${columns.length} fields, but found ${fields.length}`, {
      file,
      line,
    });
  }
  return Object.fromEntries(columns.map(({ name, flat }, i) => {
    const value = toValue(fields[i], flat);
    if (value === null && isWanted(flat)) {
      throw new ConfigurationError(`"${name}" is empty, but must not be null`, { file, line });
    }
    if (value !== undefined) return [name, value];
    throw new ConfigurationError(`"${fields[i]}" is not a value of "${name}"`, { file, line });
  }));
}

/** Whether nothing fills what is null. */
function isWanted({ annotated }: FlatElement): boolean {
  return annotated.notNull === true && annotated.key !== true && annotated["@cds.on.insert"] === undefined;
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The value of a field; an empty one is null; undefined if it does not fit the type. */
function toValue(text: string, { element }: FlatElement): unknown {
  if (text === "") return null;
  const { builtin, items } = element.$type;
  if (items || builtin === "cds.Map") return jsonOrUndefined(text);
  switch (builtin) {
    case "cds.Boolean":
      return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined;
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
      return INTEGER.test(text) ? Number(text) : undefined;
    case "cds.Int64":
    case "cds.Integer64":
    case "cds.Decimal":
      return NUMBER.test(text) ? exact(text) : undefined;
    case "cds.Double":
      return NUMBER.test(text) ? Number(text) : undefined;
    case "cds.Date":
    case "cds.Time":
    case "cds.DateTime":
    case "cds.Timestamp":
      return temporalOrUndefined(text, builtin);
    default:
      return text;
  }
}

/** Forms are those of databases; a day has to be one of its month. */
function temporalOrUndefined(text: string, type: TemporalType): string | undefined {
  const value = temporalText(text, type);
  if (type === "cds.Time") return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(value) ? value : undefined;
  const isDay = /^\d{4}-\d\d-\d\d/.test(value) && isRealDay(value);
  const isInstant = type === "cds.Date"
    ? value.length === 10
    : !Number.isNaN(Date.parse(value)) && value.endsWith("Z");
  return isDay && isInstant ? value : undefined;
}

/** A number, or the text itself where a number would lose digits. */
function exact(text: string): number | string {
  const digits = text.replace(/[^\d]/g, "").replace(/^0+/, "");
  return digits.length <= 15 ? Number(text) : text;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

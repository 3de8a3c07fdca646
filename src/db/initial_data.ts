/**
 * Initial rows from CSV and JSON files.
 *
 * @module
 */

import { Remarks } from "../config/remarks.ts";
import type { Row } from "../cqn/cqn.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../model/linked.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { nearestName } from "../util/nearest_name.ts";
import { checkLength, type CsvRecord, type CsvRemark, parseCsv } from "./csv.ts";
import { isOutsideOfEnum, isWanted, noValue, toValue } from "./initial_values.ts";
import { addAll } from "../util/add_all.ts";
import { jsonOr } from "../util/json_text.ts";
import { counted } from "../util/counted.ts";

/** A file with rows; its name tells the entity: `<namespace>-<Entity>.csv`, `….texts.csv`, `…_texts.csv` or `…_texts_de.csv`, `….json`. */
export interface DataFile {
  readonly file: string;
  readonly text: string;
}

/** How files are read. */
export interface DataReading {
  /** Takes files without entity and what is read other than it stands. */
  readonly remarks?: Remarks;
  /** Whether columns without element and values of another type are left out, which is remarked: for development. */
  readonly isLenient?: boolean;
  /**
   * Whether fields behind those of the columns and files that are no CSV are left out as well, and texts may be longer than
   * declared: in existing projects.
   */
  readonly dropsSurplus?: boolean;
}

/**
 * Reads rows by entity.
 *
 * @param model the model
 * @param files names and texts of CSV files, the first line of which names columns, and of JSON files, lists of rows
 * @param reading what takes remarks, and whether mistakes are passed over
 * @throws ConfigurationError with file and line for an unknown column, a field too many or a wrong value
 */
export function initialData(
  model: LinkedModel,
  files: readonly DataFile[],
  { remarks = new Remarks(), isLenient = false, dropsSurplus = false }: DataReading = {},
): ReadonlyMap<string, readonly Row[]> {
  const reading = { remarks, isLenient, dropsSurplus };
  const data = new Map<string, Row[]>();
  for (const { file, text } of files) {
    const entity = entityOfFile(model, file);
    if (!entity) {
      remarks.add(`${withoutEntity(model, file)}: the file is left out`, { file });
      continue;
    }
    const { rows, lines } = file.endsWith(".json")
      ? jsonRows(entity, { file, text }, reading)
      : csvRows(entity, { file, text }, reading);
    const all = data.get(entity.name) ?? [];
    addAll(all, rows);
    data.set(entity.name, all);
    checkKeys(all, entity, { file, lines });
  }
  return data;
}

/** Rows with the lines they begin at. */
interface PlacedRows {
  readonly rows: readonly Row[];
  readonly lines: readonly number[];
}

function csvRows(
  entity: LinkedEntity,
  { file, text }: DataFile,
  { remarks, isLenient, dropsSurplus }: Required<DataReading>,
): PlacedRows {
  const leftOut = (what: string, line: number) => remarks.add(`${what}: it is left out`, { file, line });
  const mistake = (what: string, line: number) => {
    if (!isLenient) throw new ConfigurationError(what, { file, line });
    leftOut(what, line);
  };
  const remark = (what: string, line: number) => {
    if (!said.has(what)) remarks.add(what, { file, line });
    said.add(what);
  };
  const said = new Set<string>();
  const parse = () => parseCsv(text, file, remark);
  const [head, ...records] = dropsSurplus ? recordsOr(parse, remarks) : parse();
  if (!head) return { rows: [], lines: [] };
  const read = recordReader(entity, head, {
    ...{ file, remark, mistake },
    surplus: dropsSurplus ? leftOut : undefined,
    tooLong: dropsSurplus ? (what, line) => remark(`${what}: it is stored as it is`, line) : undefined,
  });
  const placed = records.flatMap((record) => {
    const row = read(record);
    return row ? [{ row, line: record.line }] : [];
  });
  return { rows: placed.map(({ row }) => row), lines: placed.map(({ line }) => line) };
}

/** The records of a file; none where it cannot be read, which is remarked. */
function recordsOr(parse: () => readonly CsvRecord[], remarks: Remarks): readonly CsvRecord[] {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    remarks.add(`${error.message}: the file is left out`);
    return [];
  }
}

/**
 * Makes rows of the records of a CSV file.
 *
 * @param entity whose rows they are
 * @param head the first record, which names columns
 * @param place the file, and what takes remarks and mistakes
 * @returns gives the row of a record; undefined where it lacks what a row needs
 * @throws ConfigurationError with file and line, as the function it returns does
 */
export function recordReader(
  entity: LinkedEntity,
  head: CsvRecord,
  place: CsvPlace,
): (record: CsvRecord) => Row | undefined {
  const columns = head.fields.map((field) => {
    const name = String(field);
    return { head: name, column: columnOf(entity, name, place) };
  });
  const problem = headProblem(entity, columns, (name) => place.remark(name, 1));
  return (record) => {
    if (problem !== undefined) throw new ConfigurationError(problem, { file: place.file, line: 1 });
    return toRow(record, columns, place);
  };
}

/** What rows under a head would miss; columns that are there twice are remarked. */
function headProblem(
  entity: LinkedEntity,
  columns: readonly CsvHead[],
  remark: (text: string) => void,
): string | undefined {
  const names = columns.flatMap(({ column }) => column ? [column.name] : []);
  for (const name of new Set(names.filter((name, at) => names.indexOf(name) !== at))) {
    remark(`Column "${name}" is there twice: the last one counts`);
  }
  const missing = entity.$rowKeys.find((flat) => isWanted(flat) && !names.includes(flat.name));
  if (missing === undefined) return undefined;
  return `No column holds the key "${missing.name}" of ${entity.name}: the first line names the columns, with ";" or "," ` +
    "between them";
}

/**
 * Makes a row of an object in JSON, whose members are named like columns.
 *
 * @param entity whose row it is
 * @param given the object
 * @param place the file, and what takes remarks and mistakes
 * @throws ConfigurationError for a value of another type
 */
export function rowOfJson(
  entity: LinkedEntity,
  given: Readonly<Record<string, unknown>>,
  place: CsvPlace,
): Row {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const column = columnOf(entity, name, place);
    if (!column) return [];
    checkLength(value, column.flat, place);
    return [[column.name, jsonValue(value, column, place.file)] as const];
  });
  return Object.fromEntries(entries) as Row; // JSON holds nothing but values
}

/** A JSON file lists rows, whose members are named like columns. */
function jsonRows(
  entity: LinkedEntity,
  { file, text }: DataFile,
  { remarks, dropsSurplus }: Required<DataReading>,
): PlacedRows {
  const given = jsonOr(text.replace(/^\uFEFF/, ""), undefined);
  if (!Array.isArray(given) || !given.every(isPlainObject)) {
    throw new ConfigurationError("Expected a list of objects in JSON", { file });
  }
  const remark = (what: string) => remarks.add(what, { file });
  const mistake = (what: string) => {
    throw new ConfigurationError(what, { file, line: 1 });
  };
  const tooLong = dropsSurplus ? (what: string) => remark(`${what}: it is stored as it is`) : undefined;
  const rows = given.map((row) => rowOfJson(entity, row, { file, remark, mistake, tooLong }));
  return { rows, lines: [] };
}

/** Texts have the forms of CSV fields, all other values are as they are. */
function jsonValue(value: unknown, { flat }: CsvColumn, file: string): unknown {
  const { builtin, items } = flat.element.$type;
  if (typeof value !== "string" || items || builtin === "cds.Map" || value === "") return value;
  const converted = toValue(value, flat);
  if (converted !== undefined) return converted;
  throw new ConfigurationError(noValue(value, flat), { file });
}

/**
 * The entity whose rows a file has.
 *
 * @param model the model
 * @param file path of the file
 * @returns undefined when there is no such entity
 */
export function entityOfFile(model: LinkedModel, file: string): LinkedEntity | undefined {
  const name = entityName(file);
  return model.entity(name) ?? model.entity(name.replace(/_texts(?:_[A-Za-z]{2,3}(?:_\w+)?)?$/, ".texts"));
}

function entityName(file: string): string {
  const base = file.slice(file.lastIndexOf("/") + 1).replace(/\.(csv|json)$/, "");
  return base.replaceAll("-", ".");
}

function withoutEntity(model: LinkedModel, file: string): string {
  const name = entityName(file);
  const names = Object.values(model.definitions).filter(({ kind }) => kind === "entity").map((one) =>
    one.name
  );
  const nearest = nearestName(name, names);
  const hint = nearest ? ` (did you mean "${nearest.replace(/\.(?=[^.]*$)/, "-")}.csv"?)` : "";
  return `There is no entity "${name}" for this file${hint}`;
}

/** Where the last rows come from. */
interface RowPlaces {
  readonly file: string;
  readonly lines: readonly number[];
}

/** A key that is there twice has a place; the database could only tell that there is one. */
function checkKeys(rows: readonly Row[], entity: LinkedEntity, { file, lines }: RowPlaces): void {
  const names = entity.$rowKeys.map(({ name }) => name);
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

/** What stands above a column, and the column; what is below a name without column is left out. */
interface CsvHead {
  readonly head: string;
  readonly column: CsvColumn | undefined;
}

/** Where something was found, and who takes remarks. */
export interface CsvPlace {
  readonly file: string;
  /** Where what is read stands, if all of it is in one line. */
  readonly line?: number;
  readonly remark: CsvRemark;
  /** Takes what cannot be read; it is left out where this returns. */
  readonly mistake: CsvRemark;
  /** Takes fields behind those of the columns, which are left out; without it they are not read over. */
  readonly surplus?: CsvRemark;
  /** Takes columns with texts longer than declared, which are kept; without it they are refused. */
  readonly tooLong?: CsvRemark;
}

/** The column of a name; undefined where what it holds is left out. */
function columnOf(
  entity: LinkedEntity,
  name: string,
  { remark, mistake }: Omit<CsvPlace, "file">,
): CsvColumn | undefined {
  const flat = entity.$flat.get(name) ?? entity.$flat.get(name.replaceAll(".", "_"));
  if (flat) return { name: flat.name, flat };
  if (name === "") return undefined;
  const lower = name.toLowerCase();
  const same = [...entity.$flat.values()].filter((one) => one.name.toLowerCase() === lower);
  if (same.length === 1) {
    remark(`Column "${name}" is taken for "${same[0].name}"`, 1);
    return { name: same[0].name, flat: same[0] };
  }
  if (name === "ID_texts" && entity.name.endsWith(".texts")) {
    remark(`Column "ID_texts" is left out: rows of "${entity.name}" are known by locale and key`, 1);
    return undefined;
  }
  const nearest = nearestName(name, entity.$flat.keys());
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  mistake(`${entity.name} has no column "${name}"${hint}`, 1);
  return undefined;
}

/** A row; undefined where it lacks what a row needs. */
function toRow(
  { fields, line }: CsvRecord,
  columns: readonly CsvHead[],
  { file, remark, mistake, surplus, tooLong }: CsvPlace,
): Row | undefined {
  if (fields.slice(columns.length).some((field) => field !== "" && field !== null)) {
    const problem = `Expected ${counted(columns.length, "field")}, but found ${fields.length}`;
    if (!surplus) throw new ConfigurationError(problem, { file, line });
    surplus(problem, line);
  }
  if (fields.length < columns.length) {
    remark(
      `Found ${counted(fields.length, "field")} for ${
        counted(columns.length, "column")
      }: the others stay empty`,
      line,
    );
  }
  const row: Record<string, unknown> = {};
  for (const [i, { head, column }] of columns.entries()) {
    const field = fields[i];
    if (field === undefined) continue;
    if (column === undefined) {
      if (field === null || field === "" || head !== "") continue;
      mistake(`"${field}" stands in a column without name`, line);
      continue;
    }
    const { name, flat } = column;
    const value = field === null ? null : toValue(field, flat);
    if (value === null && isWanted(flat)) {
      const why = flat.key ? "is a key" : "must not be null";
      throw new ConfigurationError(`"${name}" is empty, but ${why}`, { file, line });
    }
    if (value === undefined) {
      mistake(noValue(field ?? "", flat), line);
      if (flat.key || isWanted(flat)) return undefined;
      continue;
    }
    checkLength(value, flat, { file, line, tooLong });
    if (isOutsideOfEnum(value, flat)) {
      remark(`Column "${name}" holds a value that its enum does not have, for the first time`, line);
    }
    row[name] = value;
  }
  return row as Row;
}

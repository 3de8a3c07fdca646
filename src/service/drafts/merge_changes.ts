/**
 * What a draft changed of its active instance, where that went on meanwhile.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { namedKey } from "../../model/values/key_text.ts";

/** Deep rows of the same instance. */
export interface Versions {
  /** The active instance as it was when the draft was made. */
  readonly base: Row;
  /** The draft now. */
  readonly draft: Row;
  /** The active instance now. */
  readonly active: Row;
}

/** What is to be written. */
export interface Merged {
  /** The changed elements, and the keys of changed parts. */
  readonly data: Row;
  /** Paths of what was changed in the draft and in the active instance: the draft wins. */
  readonly conflicts: readonly string[];
}

/**
 * The changes of a draft as data of an update: elements and parts that it left alone stay as they are now.
 *
 * @param entity the entity of the active instance
 * @param versions the three versions
 */
export function mergeChanges(entity: LinkedEntity, versions: Versions): Merged {
  const conflicts: string[] = [];
  return { data: mergeRow(entity, versions, { path: "", conflicts }), conflicts };
}

interface Place {
  readonly path: string;
  readonly conflicts: string[];
}

function mergeRow(entity: LinkedEntity, { base, draft, active }: Versions, place: Place): Row {
  const data: Row = {};
  for (const [name, value] of Object.entries(draft)) {
    if (value === undefined || entity.$flat.get(name)?.virtual) continue;
    const part = partOf(entity, name);
    if (part) {
      const rows = mergeParts(part, [base[name], value, active[name]].map(toRows), place);
      if (rows) data[name] = part.is2many ? rows : rows[0] ?? null;
    } else if (entity.$flat.get(name)?.key) data[name] = value;
    else if (!isSame(value, base[name], typeOf(entity, name))) {
      data[name] = value;
      const type = typeOf(entity, name);
      if (!isSame(active[name], base[name], type) && !isSame(active[name], value, type)) {
        place.conflicts.push(place.path + name);
      }
    }
  }
  return data;
}

function partOf(entity: LinkedEntity, name: string): LinkedElement | undefined {
  const element = entity.elements[name];
  return element?.isComposition && element.$target ? element : undefined;
}

function toRows(value: unknown): readonly Row[] {
  const rows = Array.isArray(value) ? value : [value];
  return rows.filter((row) => typeof row === "object" && row !== null) as Row[];
}

/** The parts that there are to be; undefined where the draft changed none of them. */
function mergeParts(
  element: LinkedElement,
  [base, draft, active]: readonly (readonly Row[])[],
  { path, conflicts }: Place,
): Row[] | undefined {
  const target = element.$target!;
  const id = (row: Row) => idOf(target, row);
  const [before, drafted, now] = [base!, draft!, active!].map((rows) =>
    new Map(rows.map((row) => [id(row), row]))
  );
  const keysOf = (row: Row) => Object.fromEntries(target.$flatKeys.map(({ name }) => [name, row[name]]));
  const rows: Row[] = [];
  let isChanged = false;
  for (const row of draft!) {
    const key = id(row);
    const at = `${path}${element.name}${element.is2many ? keyText(target, row) : ""}`;
    const [was, is] = key === undefined ? [undefined, undefined] : [before!.get(key), now!.get(key)];
    if (was && is) {
      const merged = mergeRow(target, { base: was, draft: row, active: is }, { path: `${at}/`, conflicts });
      if (Object.keys(merged).some((name) => !target.$flat.get(name)?.key)) isChanged = true;
      rows.push({ ...keysOf(row), ...merged });
      continue;
    }
    if (was && isSameRow(target, row, was)) continue; // another one deleted it
    if (was || is) conflicts.push(at);
    isChanged = true;
    rows.push(storedRow(target, row));
  }
  for (const [key, row] of now!) {
    if (drafted!.has(key)) continue;
    const was = before!.get(key);
    if (was === undefined) rows.push(keysOf(row)); // another one added it
    else {
      isChanged = true;
      if (!isSameRow(target, row, was)) conflicts.push(`${path}${element.name}`);
    }
  }
  return isChanged ? rows : undefined;
}

/** A row without what has no column. */
export function storedRow(entity: LinkedEntity, row: Row): Row {
  const stored: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const part = partOf(entity, name);
    if (entity.$flat.get(name)?.virtual || (!part && entity.elements[name]?.virtual)) continue;
    stored[name] = !part
      ? value
      : Array.isArray(value)
      ? value.map((child) => storedRow(part.$target!, child as Row))
      : value && storedRow(part.$target!, value as Row);
  }
  return stored;
}

/** The key of a row as text; undefined where a part of it is missing. */
function idOf({ $flatKeys }: LinkedEntity, row: Row): string | undefined {
  const values = $flatKeys.map(({ name }) => row[name]);
  return values.some((value) => value === undefined || value === null)
    ? undefined
    : JSON.stringify(values.map(String));
}

function keyText({ $flatKeys }: LinkedEntity, row: Row): string {
  const own = $flatKeys.filter(({ foreignKey4 }) => foreignKey4 === undefined);
  const keys = own.length > 0 ? own : $flatKeys;
  return `(${keys.map((key) => namedKey(key.name, row[key.name], key)).join(",")})`;
}

/** Whether a row has the values of another one, parts included. */
function isSameRow(entity: LinkedEntity, a: Row, b: Row): boolean {
  return Object.keys(a).every((name) => {
    const part = partOf(entity, name);
    if (!part) return entity.$flat.get(name)?.virtual || isSame(a[name], b[name], typeOf(entity, name));
    const [left, right] = [toRows(a[name]), toRows(b[name])];
    const target = part.$target!;
    const others = new Map(right.map((row) => [idOf(target, row), row]));
    return left.length === right.length && left.every((row) => {
      const other = others.get(idOf(target, row));
      return other !== undefined && isSameRow(target, row, other);
    });
  });
}

function typeOf(entity: LinkedEntity, name: string): string | undefined {
  return entity.$flat.get(name)?.element.$type.builtin;
}

const NUMBERS: ReadonlySet<string | undefined> = new Set(["cds.Decimal", "cds.Int64", "cds.Double"]);

/** Null and nothing are the same; so are numbers however they are written. */
function isSame(a: unknown, b: unknown, type: string | undefined): boolean {
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true;
  if (NUMBERS.has(type)) return digitsOf(a) === digitsOf(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, index) => byte === b[index]);
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSame((a as Row)[name], (b as Row)[name], undefined));
}

/** A number without zeros at its end. */
function digitsOf(value: unknown): string {
  const text = String(value);
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}

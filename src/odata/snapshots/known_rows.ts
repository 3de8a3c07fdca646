/**
 * The rows of a collection that a client has, and their form as text: all of them, or how they differ from others.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { keysText } from "../payload/key_predicate.ts";

/** A row that a client has. */
export interface KnownRow {
  readonly keys: Row;
  /** Changes with the row as it is written. */
  readonly tag: string;
}

/** The rows of a collection that a client has, by the text of their keys. */
export type KnownRows = ReadonlyMap<string, KnownRow>;

/** The values of the keys of a row, in the order of their names, and its tag behind them. */
type RowValues = readonly unknown[];

interface WrittenRows {
  readonly keys: readonly string[];
  readonly rows: readonly RowValues[];
}

interface WrittenDifference {
  readonly rows: readonly RowValues[];
  /** Rows that are there no more. */
  readonly gone: readonly RowValues[];
}

/**
 * Rows as text.
 *
 * @param rows the rows
 * @param keys names of their keys
 */
export function writeRows(rows: KnownRows, keys: readonly string[]): string {
  return JSON.stringify({ keys, rows: valuesOf(rows.values(), keys) } satisfies WrittenRows);
}

/**
 * How rows differ from others, as text.
 *
 * @param base the others
 * @param rows the rows
 * @param keys names of their keys
 */
export function writeDifference(base: KnownRows, rows: KnownRows, keys: readonly string[]): string {
  const changed = [...rows].filter(([id, { tag }]) => base.get(id)?.tag !== tag).map(([, row]) => row);
  const gone = [...base].filter(([id]) => !rows.has(id)).map(([, row]) => row);
  const written: WrittenDifference = { rows: valuesOf(changed, keys), gone: valuesOf(gone, keys) };
  return JSON.stringify(written);
}

function valuesOf(rows: Iterable<KnownRow>, keys: readonly string[]): readonly RowValues[] {
  return Array.from(rows, (row) => [...keys.map((name) => row.keys[name]), row.tag]);
}

/**
 * Reads rows.
 *
 * @param text what `writeRows` has written
 * @param keys names of the keys as the model has them now
 * @returns undefined where the rows have other keys
 */
export function readRows(text: string, keys: readonly string[]): KnownRows | undefined {
  const { keys: names, rows }: WrittenRows = JSON.parse(text);
  if (names.length !== keys.length || names.some((name, at) => name !== keys[at])) return undefined;
  return new Map(rows.map((values) => entryOf(values, keys)));
}

/**
 * Reads rows that differ from others.
 *
 * @param base the others
 * @param text what `writeDifference` has written
 * @param keys names of their keys
 */
export function readDifference(base: KnownRows, text: string, keys: readonly string[]): KnownRows {
  const { rows, gone }: WrittenDifference = JSON.parse(text);
  const result = new Map(base);
  for (const values of gone) result.delete(entryOf(values, keys)[0]);
  for (const values of rows) result.set(...entryOf(values, keys));
  return result;
}

function entryOf(values: RowValues, names: readonly string[]): [string, KnownRow] {
  const keys = Object.fromEntries(names.map((name, at) => [name, values[at]]));
  return [keysText(keys), { keys, tag: String(values[names.length]) }];
}

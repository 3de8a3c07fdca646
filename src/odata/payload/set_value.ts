/**
 * Values of rows that are read: those of foreign keys may come by their names and by their associations.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import type { Reading } from "./reading.ts";

/** A value, and the reading of the row. */
interface GivenValue {
  readonly value: unknown;
  readonly reading: Reading;
}

/**
 * Sets a value of a row; a different one that is there already contradicts it.
 *
 * @param row the row
 * @param name flat name of the element
 * @param given its value
 */
export function setValue(row: Row, name: string, { value, reading }: GivenValue): void {
  const known = row[name];
  row[name] = value;
  if (known === undefined || value === undefined || String(known) === String(value)) return;
  const { options, place } = reading;
  const target = place.path ? `${place.path}/${name}` : name;
  const message = `The values given for "${name}" contradict each other`;
  options.violations.add({ status: 400, code: "400", message, target });
}

/**
 * Sets the foreign keys of an association.
 *
 * @param row the row that has it
 * @param element the association
 * @param given keys of the row it leads to, as far as they are given; null for none
 */
export function setForeignKeys(
  row: Row,
  element: LinkedElement,
  { keys, reading }: { readonly keys: Row | null; readonly reading: Reading },
): void {
  for (const { source, target } of foreignKeyLinks(element)) {
    const key = keys === null ? null : keys[target];
    if (key !== undefined) setValue(row, source, { value: key, reading });
  }
}

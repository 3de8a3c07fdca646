/**
 * Links in bodies, and objects that hold one instead of an entity (JSON Format 4.01, clauses 14 and 15).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import type { JsonValue } from "./parse_json.ts";
import { type BoundMember, inside, isJsonObject, type Reading } from "./reading.ts";

/**
 * Keys of what a link addresses.
 *
 * @param link the link
 * @param element the association that leads there
 * @param reading its place is the property
 */
export function keysOfLink(link: string, element: LinkedElement, { options, place }: Reading): Row {
  const target = element.$target!; // the callers have checked it
  return options.resolveLink(link, { target, property: place.path });
}

/**
 * What a link in a structure stands for, by the name of its association: `country@odata.bind`.
 *
 * @param annotation name of an annotation in the structure
 * @param value its value
 * @param place the elements of the structure, and where it is
 * @returns nothing for other annotations
 */
export function linkedMember(
  annotation: string,
  value: JsonValue,
  { elements, reading }: { readonly elements: LinkedElements; readonly reading: Reading },
): Row {
  const [, name = ""] = /^([^@]+)@(?:odata\.)?bind$/.exec(annotation) ?? [];
  const element = Object.hasOwn(elements, name) ? elements[name] : undefined;
  if (!element?.$target || element.is2many) return {};
  const at = inside(reading, name);
  if (typeof value === "string") return { [name]: keysOfLink(value, element, at) };
  if (value !== null) reading.options.violations.wrongType(value, "link", at.place.path);
  return { [name]: null };
}

/** The reference that an object holds instead of an entity. */
export function linkOf(value: JsonValue): JsonValue | undefined {
  return isJsonObject(value) ? value["@odata.id"] ?? value["@id"] : undefined;
}

/** Whether an object refers to an entity, and says nothing else. */
export function isReference(value: JsonValue): boolean {
  return typeof linkOf(value) === "string" &&
    Object.keys(value as object).every((name) => name.includes("@"));
}

/** Whether an object stands for a row that goes. */
export function isRemoved(member: JsonValue): boolean {
  return isJsonObject(member) && (member["@removed"] ?? member["@odata.removed"]) !== undefined;
}

/** What becomes of the row that an object stands for; nothing for one that stays. */
export function removalOf(member: JsonValue): Pick<BoundMember, "change"> {
  if (!isRemoved(member) || !isJsonObject(member)) return {};
  const removed = member["@removed"] ?? member["@odata.removed"];
  return { change: isJsonObject(removed) && removed.reason === "deleted" ? "delete" : "unlink" };
}

/** How the rows of an entity are read. */
interface RowReader {
  /** The reading of the reference. */
  readonly reading: Reading;
  readonly readRow: (value: JsonValue, entity: LinkedEntity, reading: Reading) => Row;
}

/**
 * The key of what an association refers to, which is all that the row around it can hold. Whatever else is given belongs to
 * another entity, and is refused: neither is it written there nor left out.
 *
 * @param value what was given
 * @param element the association
 * @param reader reads rows
 */
export function readReference(
  value: JsonValue,
  element: LinkedElement,
  { reading, readRow }: RowReader,
): Row {
  const target = element.$target!; // the callers have checked it
  const { options } = reading;
  const { violations } = options;
  if (!isJsonObject(value)) {
    violations.wrongType(value, target.name, reading.place.path);
    return {};
  }
  const { keys, others } = splitReference(value, element);
  const link = linkOf(value);
  const row = typeof link === "string" ? keysOfLink(link, element, reading) : readRow(keys, target, reading);
  const [first] = Object.keys(others);
  if (first !== undefined && options.isAnswer?.(value) !== true) {
    const found = violations.count;
    readRow(others, target, { ...reading, isValidated: false });
    if (violations.count === found) violations.notKey(first, element.name, inside(reading, first).place.path);
  }
  return row;
}

/** The members of a JSON object. */
type Members = { readonly [name: string]: JsonValue };

/** Keys of what an association refers to, with annotations, and all other members. */
function splitReference(
  value: Members,
  element: LinkedElement,
): { readonly keys: Members; readonly others: Members } {
  const links = foreignKeyLinks(element).map(({ target }) => target);
  const isKey = (name: string) =>
    name.includes("@") || links.some((key) => key === name || key.startsWith(`${name}_`));
  const members = Object.entries(value);
  return {
    keys: Object.fromEntries(members.filter(([name]) => isKey(name))),
    others: Object.fromEntries(members.filter(([name]) => !isKey(name))),
  };
}

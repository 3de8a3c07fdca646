/**
 * Conditions that a change of a row cannot make untrue, and those that a new row shows to be true.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { User } from "../../context/user.ts";
import type { Row, SelectBody } from "../../cqn/cqn.ts";
import { isFilledOn } from "../../model/filled_on.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { PermittedRows } from "./access.ts";
import { attributeOf } from "./effective_condition.ts";

/**
 * The elements that a condition depends on, and that a view chooses its rows by; null where these are more than stored values
 * of the row itself.
 */
type Dependencies = ReadonlySet<string> | null;

const KNOWN: WeakMap<LinkedEntity, WeakMap<Expr, Dependencies>> = new WeakMap();

/**
 * Whether rows that a user may change are such rows as well once some of their values have changed: their condition, and
 * whether the entity shows them, depend on other values of the row only.
 *
 * @param entity the entity
 * @param rows the rows that the user may change
 * @param data what changes
 */
export function leavesPermitted(entity: LinkedEntity, { where, query }: PermittedRows, data: Row): boolean {
  return where !== undefined && query === undefined && isUnaffected(entity, where, data);
}

/**
 * Whether a condition that a row of an entity meets holds as well once some of its values have changed, and the row is one of
 * the entity still: both depend on other values of the row only.
 *
 * @param entity the entity
 * @param where the condition
 * @param data what changes
 */
export function isUnaffected(entity: LinkedEntity, where: Expr, data: Row): boolean {
  const names = dependenciesOf(entity, where);
  if (names === null) return false;
  for (const name in data) {
    // associations and structures stand for other elements
    if (names.has(name) && !entity.$flat.get(name)?.key) return false;
    if (!isPlain(entity, name)) return false;
  }
  return true;
}

/** A new row, and who writes it. */
interface NewRow {
  readonly data: Row;
  readonly user: User;
}

/** What a row has to hold; null where more than that has to be known. */
type Equality = readonly [name: string, value: Expr];
const EQUALITIES: WeakMap<LinkedEntity, WeakMap<Expr, readonly Equality[] | null>> = new WeakMap();

/**
 * Whether the data of a new row show that it meets a condition: texts of its own equal to given ones. False says nothing,
 * the database has to be asked.
 *
 * @param entity the entity
 * @param where the condition
 * @param row the data, as they are written, and the user
 */
export function isShownBy(entity: LinkedEntity, where: Expr, { data, user }: NewRow): boolean {
  let ofEntity = EQUALITIES.get(entity);
  if (!ofEntity) EQUALITIES.set(entity, ofEntity = new WeakMap());
  let equalities = ofEntity.get(where);
  if (equalities === undefined) ofEntity.set(where, equalities = findEqualities(entity, where));
  if (equalities === null) return false;
  for (const [name, value] of equalities) {
    const expected = value.kind === "literal" ? value.val : user.attr[attributeOf(value)!];
    if (typeof expected !== "string" && !isOne(expected)) return false;
    const text = typeof expected === "string" ? expected : expected[0];
    if (typeof text !== "string" || data[name] !== text) return false;
  }
  return true;
}

function isOne(value: unknown): value is readonly [unknown] {
  return Array.isArray(value) && value.length === 1;
}

function findEqualities(entity: LinkedEntity, where: Expr): readonly Equality[] | null {
  const found: Equality[] = [];
  return conditionsOfRows(entity)?.length === 0 && addEqualities(entity, where, found) ? found : null;
}

/** Adds what a condition compares; false for what is more than equalities that all have to hold. */
function addEqualities(entity: LinkedEntity, condition: Expr, found: Equality[]): boolean {
  if (condition.kind === "unlocalized") return addEqualities(entity, condition.arg, found);
  if (condition.kind === "joined") {
    return condition.op === "and" && condition.args.every((one) => addEqualities(entity, one, found));
  }
  if (condition.kind !== "comparison" || condition.op !== "=") return false;
  const { left, right } = condition;
  if (left.kind !== "reference") return false;
  const isText = right.kind === "literal" && typeof right.val === "string" && right.literal === undefined;
  if (!isText && attributeOf(right) === undefined) return false;
  const [name] = left.ref; // nothing leads on from a plain value
  if (typeof name !== "string" || !isPlain(entity, name)) return false;
  if (entity.$flat.get(name)?.type.builtin !== "cds.String") return false;
  found.push([name, right]);
  return true;
}

function dependenciesOf(entity: LinkedEntity, where: Expr): Dependencies {
  let ofEntity = KNOWN.get(entity);
  if (!ofEntity) KNOWN.set(entity, ofEntity = new WeakMap());
  let names = ofEntity.get(where);
  if (names === undefined) ofEntity.set(where, names = findDependencies(entity, where));
  return names;
}

function findDependencies(entity: LinkedEntity, where: Expr): Dependencies {
  const ofRows = conditionsOfRows(entity);
  if (ofRows === null) return null;
  const names = new Set<string>();
  let isOwn = true;
  for (const condition of [...ofRows, where]) {
    walkTree(condition, (expression) => {
      const { kind } = expression;
      if (kind === "select" || kind === "set") isOwn = false;
      if (kind !== "reference") return isOwn;
      const [name, ...more] = expression.ref;
      // the name in front of others may be that of the source
      if (typeof name !== "string" || more.length > 0 || !isPlain(entity, name)) isOwn = false;
      else names.add(name);
      return isOwn;
    });
  }
  return isOwn ? names : null;
}

/** Whether an element is a stored value that nothing but data of requests changes. */
function isPlain(entity: LinkedEntity, name: string): boolean {
  const flat = entity.$flat.get(name);
  const element = entity.elements[name];
  if (!flat || !element || flat.virtual || element.value !== undefined) {
    return false;
  }
  return !isFilledOn(flat.annotated, "update") && flat.annotated["@odata.etag.counter"] === undefined;
}

/**
 * The conditions by which an entity, and the views it is made of, choose rows of a table. Null where more than that decides about
 * them, or where a column is not the element of the same name: two of them might show the same one otherwise.
 */
function conditionsOfRows(entity: LinkedEntity): readonly Expr[] | null {
  if (!viewQuery(entity)) return [];
  const { $select: select, $source: source } = entity;
  if (!select || !source || !isPlainQuery(select) || !showsElements(select)) return null;
  const below = conditionsOfRows(source);
  const where = fromXo(select.where);
  return below && where ? [...below, where] : below;
}

/** Whether a query shows the rows of its source on which its condition holds. */
function isPlainQuery(
  { from, columns: _columns, excluding: _excluding, where: _where, ...more }: SelectBody,
): boolean {
  return "ref" in from && from.ref.length === 1 && typeof from.ref[0] === "string" &&
    Object.keys(more).length === 0;
}

function showsElements({ columns = ["*"] }: SelectBody): boolean {
  return columns.every((column) => {
    if (typeof column !== "object") return column === "*";
    return "ref" in column && column.ref?.length === 1 && !("as" in column);
  });
}

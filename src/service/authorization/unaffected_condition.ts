/**
 * Conditions that a change of a row cannot make untrue.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { viewQuery } from "../../model/view_query.ts";

/** The elements that a condition depends on; null where it depends on more than stored values of the row itself. */
type Dependencies = ReadonlySet<string> | null;

const KNOWN: WeakMap<LinkedEntity, WeakMap<readonly Xo[], Dependencies>> = new WeakMap();

/**
 * Whether a condition that a row meets holds as well once some of its values have changed: it depends on other values of
 * the row only.
 *
 * @param entity the entity
 * @param where the condition
 * @param data what changes
 */
export function isUnaffected(entity: LinkedEntity, where: readonly Xo[], data: Row): boolean {
  const names = dependenciesOf(entity, where);
  if (names === null) return false;
  for (const name in data) {
    // associations and structures stand for other elements
    if (names.has(name) && !entity.$flat.get(name)?.key) return false;
    if (!isPlain(entity, name)) return false;
  }
  return true;
}

function dependenciesOf(entity: LinkedEntity, where: readonly Xo[]): Dependencies {
  let ofEntity = KNOWN.get(entity);
  if (!ofEntity) KNOWN.set(entity, ofEntity = new WeakMap());
  let names = ofEntity.get(where);
  if (names === undefined) ofEntity.set(where, names = findDependencies(entity, where));
  return names;
}

function findDependencies(entity: LinkedEntity, where: readonly Xo[]): Dependencies {
  const condition = fromXo(where);
  if (!condition || !showsItsSource(entity)) return null;
  const names = new Set<string>();
  let isOwn = true;
  walkTree(condition, (expression) => {
    const { kind } = expression;
    if (kind === "select" || kind === "set" || kind === "exists") isOwn = false;
    if (kind !== "reference") return isOwn;
    const [name] = expression.ref;
    if (expression.ref.length > 1 || typeof name !== "string" || !isPlain(entity, name)) isOwn = false;
    else names.add(name);
    return isOwn;
  });
  return isOwn ? names : null;
}

/** Whether an element is a stored value that nothing but data of requests changes. */
function isPlain(entity: LinkedEntity, name: string): boolean {
  const flat = entity.$flat.get(name);
  const element = entity.elements[name];
  if (!flat || !element || flat.virtual || flat.foreignKey4 !== undefined || element.value !== undefined) {
    return false;
  }
  const annotated = flat.annotated as unknown as Readonly<Record<string, unknown>>; // annotations are members
  return annotated["@cds.on.update"] === undefined && annotated["@odata.etag.counter"] === undefined;
}

/** Whether each column of a projection is the element of the same name: two of them might show the same one otherwise. */
function showsItsSource(entity: LinkedEntity): boolean {
  if (!viewQuery(entity)) return true;
  const { $select: select, $source: source } = entity;
  if (!select || !source) return false;
  const columns = select.columns ?? ["*"];
  const areSame = columns.every((column) => {
    if (typeof column !== "object") return column === "*";
    return "ref" in column && column.ref?.length === 1 && !("as" in column);
  });
  return areSame && showsItsSource(source);
}

/**
 * Rows as payloads show them: structures nested (`@odata.nested`) and with what is computed in them, members of other
 * derived types left out.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { type DerivedType, hasElement, typeHierarchy, typeOfValue } from "../../model/derived_types.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { type NestedStructure, nestedStructures, structureOf } from "../../model/nested_structures.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { MemberShape, ResultShape } from "../plan/result_shape.ts";

/** A row in the form of payloads. */
export interface PresentedRow {
  readonly row: Row;
  /** The type of the row, where the entity has several. */
  readonly type?: DerivedType;
}

/**
 * A row in the form of payloads.
 *
 * @param row the row, structures flat or nested
 * @param entity its entity
 * @param shape what was selected
 */
export function presentedRow(row: Row, entity: LinkedEntity, shape?: ResultShape): PresentedRow {
  const hierarchy = typeHierarchy(entity);
  if (!hierarchy && nestedStructures(entity).size === 0) return { row };
  const type = hierarchy && typeOfValue(hierarchy, row[hierarchy.discriminator.name]);
  const result: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const flat = entity.$flat.get(name);
    const structure = flat && structureOf(entity, flat);
    if (structure) {
      if (!(structure.element.name in result)) {
        const { name } = structure.element;
        const nested = isNullStructure(row, structure.leaves)
          ? null
          : membersOf(row, selectedLeaves(structure, shape?.select));
        result[name] = nested && withComputedMembers(nested, row, { name, shape: shape?.members?.get(name) });
      }
      continue;
    }
    const isHidden = hierarchy && flat &&
      (flat === hierarchy.discriminator ? shape?.select?.includes(name) === false : !mayHave(type, flat));
    if (isHidden) continue;
    const inside = shape?.members?.get(name);
    // handlers may give structures nested
    result[name] = inside && isPlainObject(value)
      ? withComputedMembers(value as Row, row, { name, shape: inside })
      : value;
  }
  return { row: result, ...(type && { type }) };

  function mayHave(of: DerivedType | undefined, flat: FlatElement): boolean {
    return of === undefined || hasElement(hierarchy!, of, flat.annotated); // asked with a hierarchy only
  }
}

/**
 * The value of a nested structure.
 *
 * @param row the row that holds it flat
 * @param leaves its flat elements
 * @param depth steps of their paths that lead to it
 * @returns null where all of it is null
 */
export function nestedValue(row: Row, leaves: readonly FlatElement[], depth = 1): Row | null {
  return isNullStructure(row, leaves) ? null : membersOf(row, leaves, depth);
}

function isNullStructure(row: Row, leaves: readonly FlatElement[]): boolean {
  return leaves.every(({ name }) => row[name] === null || row[name] === undefined);
}

/** What `$select` shows of a structure: all of it, or what its paths lead to. */
function selectedLeaves(
  { element, leaves }: NestedStructure,
  select: readonly string[] | undefined,
): readonly FlatElement[] {
  const paths = select?.map((name) => name.split("/")).filter(([first]) => first === element.name) ?? [];
  return paths.length === 0
    ? leaves
    : leaves.filter((leaf) => paths.some((path) => path.every((name, at) => leaf.path[at] === name)));
}

function membersOf(row: Row, leaves: readonly FlatElement[], depth = 1): Row {
  const result: Row = {};
  for (const { name, path } of leaves) {
    const value = row[name];
    if (value === undefined) continue;
    const inner = path.slice(depth);
    const last = inner.pop()!; // paths lead into the structure
    let owner = result;
    for (const step of inner) owner = (owner[step] ??= {}) as Row;
    owner[last] = value;
  }
  return result;
}

/**
 * The flat elements of a nested structure with their values.
 *
 * @param value the structure; null empties it
 * @param leaves its flat elements
 * @param options `depth`: steps of their paths that lead to it; `replace`: what is missing becomes null
 * @returns values by flat name
 */
export function flatValues(
  value: unknown,
  leaves: readonly FlatElement[],
  { depth = 1, replace = false }: { readonly depth?: number; readonly replace?: boolean } = {},
): Row {
  const row: Row = {};
  for (const leaf of leaves) {
    const { name, path } = leaf;
    const inner = valueAt(value, path.slice(depth, -1));
    const given = valueAt(inner, path.slice(-1));
    const found = given === undefined && leaf.foreignKey4 !== undefined ? nestedKey(inner, leaf) : given;
    if (found !== undefined) row[name] = found;
    else if (replace) row[name] = null;
  }
  return row;
}

/** Null where a structure on the way is null, undefined where it is missing. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => isPlainObject(inner) ? inner[step] : inner === null ? null : undefined,
    value,
  );
}

/** A foreign key that its association holds: `country: {code: "DE"}`. */
function nestedKey(value: unknown, { name, path, foreignKey4 }: FlatElement): unknown {
  const key = name.slice(foreignKey4!.length + 1); // asked for foreign keys only
  return valueAt(value, [path.at(-1)!.slice(0, -key.length - 1), key]);
}

/**
 * The name of the column with what `$compute` adds to a structure.
 *
 * @param structure the structure
 * @param name the name that `$compute` gives
 * @returns `size@compute.area`
 */
export function computedColumn(structure: string, name: string): string {
  return `${structure}@compute.${name}`;
}

/**
 * A structure with what is computed beside its members.
 *
 * @param value the structure
 * @param row the row that holds it
 * @param options the name of the structure in the row, and what is shown of it
 */
export function withComputedMembers(
  value: Row,
  row: Row,
  { name, shape }: { readonly name: string; readonly shape: MemberShape | undefined },
): Row {
  if (!shape?.computed) return value;
  const computed = [...shape.computed.keys()].map((own) => [own, row[computedColumn(name, own)]] as const);
  return { ...value, ...Object.fromEntries(computed) };
}

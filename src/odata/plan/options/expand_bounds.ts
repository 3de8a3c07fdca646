/**
 * How far `$expand` goes: levels, and how often rows that several rows share lead to collections again.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import { leadsToOwn, sharedColumns } from "../../../model/links.ts";
import { badRequest } from "../plan_error.ts";

/** What `$expand` may do below rows. */
export interface ExpandBounds {
  readonly limits: Pick<Limits, "expandDepth" | "expandRepetitions">;
  /** Levels above. */
  readonly depth: number;
  /** How often rows of levels above are repeated in one another. */
  readonly repetitions: number;
  /** Whether there is more than one row. */
  readonly isMany: boolean;
  /** Whether a row may be there several times, once for each that refers to it. */
  readonly isShared: boolean;
  /** Columns in which all rows have the same value, as they belong to one row: links with each other side once. */
  readonly same?: readonly string[];
}

/**
 * The bounds of rows that are not expanded themselves.
 *
 * @param limits `expandDepth`, `expandRepetitions`
 * @param isMany whether there is more than one row
 */
export function expandBounds(limits: ExpandBounds["limits"], isMany: boolean): ExpandBounds {
  return { limits, depth: 0, repetitions: 0, isMany, isShared: false };
}

/**
 * The bounds of the rows that an association leads to; they may be exceeded.
 *
 * @param bounds those of the rows before
 * @param association the association
 */
export function boundsBelow(bounds: ExpandBounds, association: LinkedElement): ExpandBounds {
  const { limits, depth, repetitions, isMany, isShared, same } = bounds;
  const { is2many } = association;
  return {
    limits,
    depth: depth + 1,
    // a collection is repeated as often as the row it belongs to, once for each row that shares that one
    repetitions: is2many && isShared ? repetitions + 1 : repetitions,
    isMany: isMany || is2many,
    isShared: (isShared && !is2many) || (isMany && !leadsToOwn(association, same)),
    same: is2many && !isMany ? sharedColumns(association) : undefined,
  };
}

/** Whether `$expand` may go as far as that. */
export function isWithin({ limits, depth, repetitions }: ExpandBounds): boolean {
  return depth <= limits.expandDepth && repetitions <= limits.expandRepetitions;
}

/**
 * Makes sure that `$expand` goes no further than it may.
 *
 * @param bounds those of the expanded rows
 * @param place name and offset of the navigation property
 * @throws {ServiceError} 400 if it does
 */
export function assertWithin(
  bounds: ExpandBounds,
  { name, offset }: { readonly name: string; readonly offset: number },
): void {
  if (isWithin(bounds)) return;
  const { limits, depth } = bounds;
  if (depth > limits.expandDepth) throw badRequest("$expand is nested too deeply", offset);
  throw badRequest(
    `$expand repeats the rows of "${name}", as several rows share what they belong to: the limit is ` +
      `${limits.expandRepetitions} of such collections in one another; read "${name}" by a path`,
    offset,
  );
}

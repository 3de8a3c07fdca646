/**
 * Where writes on a projection go: the table at its base, with the names of its columns.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { lowerQuery } from "../passes/lower_query.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import type { Xo } from "../../cqn/cqn.ts";

/** Values in a statement; D1 takes 100. */
const MOST_VALUES = 64;

/**
 * Conditions on one row each as conditions on groups of rows. Groups have the size of a power of two, for which the last
 * row may stand several times, so that there are few different statements.
 *
 * @param conditions a conjunction for each row
 * @param values the number of values in each of them
 * @returns conditions in the order of the rows
 */
export function rowGroups(
  conditions: readonly (readonly Xo[])[],
  values: number,
): readonly (readonly Xo[])[] {
  const size = powerOfTwo(Math.floor(MOST_VALUES / Math.max(values, 1)), Math.floor);
  const groups: (readonly Xo[])[] = [];
  for (let start = 0; start < conditions.length; start += size) {
    const group = conditions.slice(start, start + size);
    const length = powerOfTwo(group.length, Math.ceil);
    const filled = Array.from({ length }, (_, at) => group[Math.min(at, group.length - 1)]);
    groups.push(
      length === 1 ? filled[0] : filled.flatMap((xpr, at): Xo[] => at === 0 ? [{ xpr }] : ["or", { xpr }]),
    );
  }
  return groups;
}

/**
 * The power of two beside a number; 1 beside what is less.
 *
 * @param number any number
 * @param round whether it is the next smaller or the next larger one
 */
export function powerOfTwo(number: number, round: (exponent: number) => number): number {
  return number <= 1 ? 1 : 2 ** round(Math.log2(number));
}

/** The table behind an entity. */
export interface WriteTarget {
  /** The entity that is addressed. */
  readonly entity: LinkedEntity;
  /** The table's entity. */
  readonly base: LinkedEntity;
  /** Column of the table for each flat element that can be written. */
  readonly columns: ReadonlyMap<string, FlatElement>;
}

const targets: WeakMap<LinkedEntity, WriteTarget> = new WeakMap();

/**
 * The table that writes on an entity go to.
 *
 * @param model the linked model
 * @param entity table or projection
 * @throws ServiceError 501 for views that do not stand for the rows of one table
 */
export function writeTargetOf(model: LinkedModel, entity: LinkedEntity): WriteTarget {
  let target = targets.get(entity);
  if (target === undefined) {
    target = viewQuery(entity) ? throughProjection(model, entity) : tableTarget(entity);
    targets.set(entity, target);
  }
  return target;
}

function tableTarget(entity: LinkedEntity): WriteTarget {
  const writable = [...entity.$flat].filter(([, flat]) =>
    !flat.virtual && (flat.element.value === undefined || flat.foreignKey4 !== undefined)
  );
  return { entity, base: entity, columns: new Map(writable) };
}

function throughProjection(model: LinkedModel, entity: LinkedEntity): WriteTarget {
  const { $select: select, $source: source } = entity;
  const fails = () =>
    new ServiceError({ status: 501, message: `Rows of "${entity.name}" cannot be written` });
  if (!select || !source || !("ref" in select.from) || select.from.ref.length > 1 || select.distinct) {
    throw fails();
  }
  const inner = writeTargetOf(model, source);
  const lowered = lowerQuery(model, { SELECT: select });
  const columns = new Map<string, FlatElement>();
  const { from, groupBy } = lowered.query.SELECT;
  const alias = aliasOf(from);
  if (groupBy && !isGroupedByKey(groupBy, alias, source)) throw fails();
  for (const { name, expression } of lowered.columns) {
    if (expression.kind !== "reference" || expression.ref.length !== 2 || expression.ref[0] !== alias) {
      continue;
    }
    const column = inner.columns.get(String(expression.ref[1]));
    if (column) columns.set(name, column);
  }
  return { entity, base: inner.base, columns };
}

/** Whether each group is one row of the source, beside which there are values of others. */
function isGroupedByKey(
  groupBy: readonly unknown[],
  alias: string | undefined,
  { $flatKeys }: LinkedEntity,
): boolean {
  const grouped = new Set(
    (groupBy as readonly { readonly ref?: readonly unknown[] }[]).filter(({ ref }) => ref?.[0] === alias)
      .map(({ ref }) => ref![1]),
  );
  const keys = $flatKeys.filter(({ virtual }) => !virtual);
  return keys.length > 0 && keys.every(({ name }) => grouped.has(name));
}

function aliasOf(source: unknown): string | undefined {
  const node = source as { as?: string; args?: readonly unknown[] };
  return node.args ? aliasOf(node.args[0]) : node.as;
}

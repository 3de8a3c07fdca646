/**
 * Rows that the checks of input accept as they are, which most are.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { holdsNul } from "../../util/holds_nul.ts";
import { isOfType } from "./check_type.ts";
import { type ElementRule, rulesOf } from "./element_rules.ts";
import { isBlank } from "./given_value.ts";

/**
 * Whether `validateInput` and `validateComplete` neither find anything in a new row nor change it, for rows of single
 * values: one with other members is not, so that those decide about it.
 *
 * @param entity the entity, whose associations need no check
 * @param row the row, before anything is filled in
 * @param defaultStringLength characters of a String without declared length
 */
export function isAcceptedRow(entity: LinkedEntity, row: Row, defaultStringLength: number): boolean {
  let given = 0;
  for (const rule of rulesOf(entity)) {
    const value = row[rule.flat.name];
    if (value === undefined) {
      if (rule.isMandatory && !rule.hasDefault) return false;
      if (rule.isNotNull && !rule.isSupplied) return false;
    } else {
      if (!isAcceptedValue(value, rule, defaultStringLength)) return false;
      given++;
    }
  }
  for (const name in row) if (row[name] !== undefined) given--;
  return given === 0;
}

/**
 * Whether `validateInput` neither finds anything in what changes in a stored row nor takes something out of it, for
 * changes of single values.
 *
 * @param entity the entity, whose associations need no check
 * @param data what changes, without keys
 * @param defaultStringLength characters of a String without declared length
 * @returns false where nothing changes
 */
export function isAcceptedChange(entity: LinkedEntity, data: Row, defaultStringLength: number): boolean {
  let given = 0;
  for (const rule of rulesOf(entity)) {
    const value = data[rule.flat.name];
    if (value === undefined) continue;
    if (rule.isImmutable || rule.flat.key || !isAcceptedValue(value, rule, defaultStringLength)) return false;
    given++;
  }
  if (given === 0) return false;
  for (const name in data) if (data[name] !== undefined) given--;
  return given === 0;
}

function isAcceptedValue(value: unknown, rule: ElementRule, defaultStringLength: number): boolean {
  if (rule.isIgnored || (rule.isMandatory && isBlank(value))) return false;
  if (value === null) return !rule.isNotNull;
  const { type } = rule.flat;
  if (type.items || type.elements || !isOfType(value, type, defaultStringLength) || holdsNul(value)) {
    return false;
  }
  for (const assertion of rule.assertions) if (assertion(value) !== undefined) return false;
  return true;
}

/**
 * What callers give for elements and parameters: foreign keys come by their own names, or nested.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type {
  FlatElement,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  ResolvedType,
} from "../../model/linked.ts";
import { namedKey } from "../../model/values/key_text.ts";
import { foreignKeyMembers } from "../../model/keys.ts";
import { assertionsOfElement, type ElementRule, rulesOf } from "./element_rules.ts";
import { holdsUnstorable } from "../../util/unstorable_text.ts";
import { isOfType } from "./check_type.ts";
import { isRow } from "../../cqn/entries_of.ts";

/** The value of an element; a foreign key may come nested (`author: {ID: 1}`). */
export function valueIn(row: Row, { flat }: Pick<ElementRule, "flat">): unknown {
  const { name, foreignKey4 } = flat;
  if (row[name] !== undefined || foreignKey4 === undefined) return row[name];
  const nested = row[foreignKey4];
  if (nested === null) return null;
  return isRow(nested) ? nested[name.slice(foreignKey4.length + 1)] : undefined;
}

/** The value of a foreign key, which the association may hold. */
export function valueOfKey(row: Row, association: string, name: string): unknown {
  if (row[name] !== undefined) return row[name];
  const nested = row[association];
  return isRow(nested) ? nested[name.slice(association.length + 1)] : undefined;
}

/**
 * What is given for a parameter, or a member of a structure, and its name: of an association the first foreign key that
 * is missing.
 *
 * @param values the values given
 * @param element the parameter or member
 */
export function parameterIn(
  values: Row,
  element: LinkedElement,
): { readonly name: string; readonly value: unknown } {
  const { name } = element;
  const keys = foreignKeyMembers(element).map((key) => ({
    name: key.name,
    value: valueOfKey(values, name, key.name),
  }));
  const missing = keys.find(({ value }) => value === undefined || value === null);
  return missing ?? keys[0] ?? { name, value: values[name] };
}

/** Whether a value is none for an element that is mandatory. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * How many characters a String without declared length may have.
 *
 * @param host the runtime
 */
export function defaultStringLength({ env }: { readonly env: Readonly<Record<string, unknown>> }): number {
  const { default_string_length: length } = (env.model ?? {}) as { readonly default_string_length?: number };
  return length ?? 255;
}

/**
 * Whether UUIDs in bodies may be any texts.
 *
 * @param host the runtime
 */
export function hasLooseIds({ env }: { readonly env: Readonly<Record<string, unknown>> }): boolean {
  const { strict_uuid: isStrict } = (env.features ?? {}) as { readonly strict_uuid?: boolean };
  return isStrict === false;
}

/**
 * Whether `validateInput` and `validateComplete` neither find anything in a new row nor change it, for rows of single
 * values: one with other members is not, so that those decide about it.
 *
 * @param entity the entity, whose associations need no check
 * @param row the row, before anything is filled in
 * @param defaultStringLength characters of a String without declared length
 */
export function isAcceptedRow(entity: LinkedEntity, row: Row, defaultStringLength: number): boolean {
  return acceptedValues(entity, row, { defaultStringLength, links: NO_LINKS }) === givenMembers(row);
}

/** What decides about new rows with their parts. */
export interface TreeRules {
  /** Characters of a String without declared length. */
  readonly defaultStringLength: number;
  /**
   * What ties the rows of a composition to their whole, which the deep write fills in; undefined where more than the values
   * of such rows has to be looked at.
   */
  linksOf(composition: LinkedElement): ReadonlySet<string> | undefined;
}

/** A row, and what ties it to its whole. */
interface PartOfTree {
  readonly row: Row;
  readonly links: ReadonlySet<string>;
}

/**
 * The same as `isAcceptedRow` for a new row and the rows nested in it.
 *
 * @param entity the entity, whose associations need no check
 * @param row the row, before anything is filled in
 * @param rules what is known of its parts
 */
export function isAcceptedTree(entity: LinkedEntity, row: Row, rules: TreeRules): boolean {
  return isAcceptedPart(entity, { row, links: NO_LINKS }, rules);
}

function isAcceptedPart(entity: LinkedEntity, { row, links }: PartOfTree, rules: TreeRules): boolean {
  const { defaultStringLength } = rules;
  const accepted = acceptedValues(entity, row, { defaultStringLength, links });
  if (accepted === undefined) return false;
  let others = givenMembers(row) - accepted;
  if (others === 0) return true;
  for (const composition of entity.compositions) {
    const parts = row[composition.name];
    if (parts === undefined) continue;
    if (!composition.is2many || !Array.isArray(parts) || !composition.$target) return false;
    const linksOfParts = rules.linksOf(composition);
    if (linksOfParts === undefined) return false;
    for (const part of parts) {
      if (!isRow(part)) return false;
      if (!isAcceptedPart(composition.$target, { row: part, links: linksOfParts }, rules)) return false;
    }
    others--;
  }
  return others === 0;
}

const NO_LINKS: ReadonlySet<string> = new Set();

function givenMembers(row: Row): number {
  let given = 0;
  for (const name in row) if (row[name] !== undefined) given++;
  return given;
}

/** How many single values a new row has; undefined where one of them, or one that is missing, is not accepted. */
function acceptedValues(
  entity: LinkedEntity,
  row: Row,
  { defaultStringLength, links }: {
    readonly defaultStringLength: number;
    readonly links: ReadonlySet<string>;
  },
): number | undefined {
  let given = 0;
  for (const rule of rulesOf(entity)) {
    const { name } = rule.flat;
    const value = row[name];
    if (value === undefined) {
      if (rule.isMandatory && !rule.hasDefault) return undefined;
      if (rule.isNotNull && !rule.isSupplied && !links.has(name)) return undefined;
    } else {
      if (!isAcceptedValue(value, rule, defaultStringLength)) return undefined;
      given++;
    }
  }
  return given;
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
  if (type.items || type.elements || !isOfType(value, type, defaultStringLength) || holdsUnstorable(value)) {
    return false;
  }
  for (const assertion of rule.assertions) if (assertion(value) !== undefined) return false;
  return true;
}

/** What is asked of a parameter with a single value. */
interface ParameterRule extends Pick<ElementRule, "isMandatory" | "isNotNull" | "assertions"> {
  readonly name: string;
  readonly type: ResolvedType;
}

/** Those of parameters of which some are no single values are null. */
const PARAMETERS: WeakMap<LinkedElements, readonly ParameterRule[] | null> = new WeakMap();

function parameterRules(params: LinkedElements): readonly ParameterRule[] | null {
  let rules = PARAMETERS.get(params);
  if (rules === undefined) {
    const all = [...params];
    const areSingle = all.every(({ isAssociation, $type }) =>
      !isAssociation && !$type.items && !$type.elements
    );
    rules = areSingle
      ? all.map((param) => ({
        name: param.name,
        type: param.$type,
        isMandatory: param["@mandatory"] === true,
        isNotNull: param.notNull === true,
        assertions: assertionsOfElement(param),
      }))
      : null;
    PARAMETERS.set(params, rules);
  }
  return rules;
}

/**
 * Whether `validateInput` finds nothing in the parameters of an operation, as far as all of them are single values.
 *
 * @param params the declared parameters
 * @param values what is given for them
 * @param defaultStringLength characters of a String without declared length
 */
export function areAcceptedParameters(
  params: LinkedElements,
  values: Row,
  defaultStringLength: number,
): boolean {
  const rules = parameterRules(params);
  if (rules === null) return false;
  for (const { name, type, isMandatory, isNotNull, assertions } of rules) {
    const value = values[name];
    if (value === undefined || isBlank(value)) {
      if (isMandatory || isNotNull) return false;
      if (value === undefined || value === null) continue;
    }
    if (!isOfType(value, type, defaultStringLength)) return false;
    for (const assertion of assertions) if (assertion(value) !== undefined) return false;
  }
  return true;
}

/** The association of the children of a composition to their parent: `items.order = $self`. */
export function backLinkOf({ name, on }: LinkedElement): string | undefined {
  for (const token of on ?? []) {
    if (typeof token === "object" && "ref" in token && token.ref.length === 2 && token.ref[0] === name) {
      const [, step] = token.ref;
      return typeof step === "string" ? step : step?.id;
    }
  }
  return undefined;
}

/** `(ID=2)` when all keys of a child are given, those of the back link aside. */
export function childKey(target: LinkedEntity, child: Row): string | undefined {
  const keys = target.$flatKeys.filter(({ foreignKey4, virtual }) => foreignKey4 === undefined && !virtual);
  return keys.length > 0 && keys.every(({ name }) => isGiven(child[name])) ? keyText(keys, child) : undefined;
}

/** The same with those of the back link if the child has them, as rows of drafts do: `(up__ID=1,ID=2)`. */
export function childKeyInPath(target: LinkedEntity, child: Row): string | undefined {
  const keys = target.$flatKeys.filter(({ name, virtual }) => !virtual && isGiven(child[name]));
  return childKey(target, child) && keyText(keys, child);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function keyText(keys: readonly FlatElement[], row: Row): string {
  return `(${keys.map((key) => namedKey(key.name, row[key.name], key)).join(",")})`;
}

/**
 * The rules of the elements of an entity, compiled once.
 *
 * @module
 */

import type { FlatElement, ForeignKey, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import { flowOf } from "../../model/flows/flow.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { isRestricted } from "../authorization/view_restrictions.ts";
import { isRestrictedByWhole } from "../authorization/ways_to_parts.ts";
import { type Assertion, assertionsOf, declaredMessage } from "./assertions.ts";
import { isGeneratedKey, isManaged } from "./fill_managed.ts";

/** The rules of one element. */
export interface ElementRule {
  readonly flat: FlatElement;
  /** Callers cannot set it: what they send is ignored. */
  readonly isIgnored: boolean;
  /** Callers can set it on creation only. */
  readonly isImmutable: boolean;
  readonly isMandatory: boolean;
  /** The text that the model declares for what is missing. */
  readonly mandatoryMessage: Pick<ErrorProperties, "$message">;
  readonly hasDefault: boolean;
  /** Whether it must not be null once the `before` handlers have run. */
  readonly isNotNull: boolean;
  /** Whether the framework or the database gives a new row its value, where callers do not. */
  readonly isSupplied: boolean;
  readonly assertions: readonly Assertion[];
}

/** A managed association, whose target may have to exist. */
export interface TargetRule {
  /** Name of the association. */
  readonly association: string;
  readonly target: LinkedEntity;
  readonly keys: readonly ForeignKey[];
  /** Whether a row must exist; otherwise it must be one that the user may read, if some are hidden. */
  readonly isAsserted: boolean;
  /** Whether the target is a part, which the row takes over. */
  readonly isPart: boolean;
  /** Whether it is a part that is hidden with its whole. */
  readonly isHidden: boolean;
  /** The text that the model declares for a target that is not there. */
  readonly message: Pick<ErrorProperties, "$message">;
}

const RULES: WeakMap<LinkedEntity, readonly ElementRule[]> = new WeakMap();
const TARGETS: WeakMap<LinkedEntity, readonly TargetRule[]> = new WeakMap();
const ASSERTIONS: WeakMap<LinkedElement, readonly Assertion[]> = new WeakMap();

/** The rules of the elements of an entity. */
export function rulesOf(entity: LinkedEntity): readonly ElementRule[] {
  let rules = RULES.get(entity);
  if (rules === undefined) {
    RULES.set(
      entity,
      rules = [...entity.$flat.values()].map((flat) => compile(flat, entity)),
    );
  }
  return rules;
}

/** The associations of an entity annotated `@assert.target`, and those to what may be hidden. */
export function targetRulesOf(entity: LinkedEntity): readonly TargetRule[] {
  let rules = TARGETS.get(entity);
  if (rules === undefined) {
    rules = [...entity.associations].flatMap((association): TargetRule[] => {
      const { $target: target, name } = association;
      const isAsserted = association["@assert.target"] === true;
      const isPart = association.isComposition;
      const isHidden = target !== undefined && isPart && isRestrictedByWhole(target);
      const keys = association.$foreignKeys ??
        (isAsserted || isHidden ? conditionKeys(entity, association) : []);
      return target && keys.length > 0 && (isAsserted || isHidden || isRestricted(target))
        ? [{
          association: name,
          target,
          keys,
          isAsserted,
          isPart,
          isHidden,
          message: declaredMessage(association, "@assert.target"),
        }]
        : [];
    });
    TARGETS.set(entity, rules);
  }
  return rules;
}

/** The foreign keys of an association to one that its condition names. */
function conditionKeys(entity: LinkedEntity, association: LinkedElement): readonly ForeignKey[] {
  return foreignKeyLinks(association).flatMap(({ source, target }) => {
    const element = entity.$flat.get(source);
    return element ? [{ name: source, target, element }] : [];
  });
}

/**
 * `@assert.range` and `@assert.format` of a parameter, a member of a structure, or an item.
 *
 * @param element the parameter, member or item
 */
export function assertionsOfElement(element: LinkedElement): readonly Assertion[] {
  let assertions = ASSERTIONS.get(element);
  if (assertions === undefined) ASSERTIONS.set(element, assertions = assertionsOf(element, element));
  return assertions;
}

const OF_ITEMS: WeakMap<LinkedElement, readonly Assertion[]> = new WeakMap();

/**
 * The rules of each item of an arrayed element: those of its items, and those annotated at the element itself.
 *
 * @param element an element with `items`
 */
export function assertionsOfItems(element: LinkedElement): readonly Assertion[] {
  let assertions = OF_ITEMS.get(element);
  if (assertions === undefined) {
    const items = element.$type.items!;
    OF_ITEMS.set(element, assertions = [...assertionsOf(items, items), ...assertionsOf(element, items)]);
  }
  return assertions;
}

function compile(flat: FlatElement, entity: LinkedEntity): ElementRule {
  const { annotated, element, key } = flat;
  const isStamped = annotated["@cds.on.insert"] !== undefined || annotated["@cds.on.update"] !== undefined;
  const hasDefault = annotated.default !== undefined;
  return {
    flat,
    isIgnored: !key &&
      (annotated["@readonly"] === true || annotated["@Core.Computed"] === true || isStamped ||
        annotated["@odata.etag.counter"] === true || element.value !== undefined ||
        flowOf(entity)?.status.name === flat.name),
    isImmutable: !key &&
      (annotated["@Core.Immutable"] === true || annotated["@odata.discriminator"] === true),
    isMandatory: annotated["@mandatory"] === true ||
      enumName(annotated["@Common.FieldControl"]) === "Mandatory",
    mandatoryMessage: declaredMessage(annotated, "@mandatory"),
    hasDefault,
    isNotNull: !flat.virtual && isNeverNull(entity, flat),
    isSupplied: isGeneratedKey(flat) || isManaged(flat) || hasDefault || element.value !== undefined,
    assertions: assertionsOf(annotated, element),
  };
}

function enumName(value: unknown): unknown {
  return typeof value === "object" && value !== null ? (value as { readonly "#"?: unknown })["#"] : undefined;
}

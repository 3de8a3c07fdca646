import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Expression } from "../../cqn/cqn.ts";
import type { FlatElement, ForeignKey, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import { flowOf } from "../../model/flows/flow.ts";
import { isStamped } from "../../model/filled_on.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { isRestricted } from "../authorization/view_restrictions.ts";
import { isRestrictedByWhole } from "../authorization/ways_to_parts.ts";
import { isGeneratedKey, isManaged } from "./fill_managed.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { comparedText, isTemporal, temporalText, type TemporalType } from "../../util/temporal_text.ts";
import { limitPattern } from "../../util/bounded_pattern.ts";
import { linearMatcher } from "../../util/linear_pattern.ts";
import { placeOf } from "../../model/problems.ts";

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
  const hasDefault = annotated.default !== undefined;
  return {
    flat,
    isIgnored: !key &&
      (annotated["@readonly"] === true || annotated["@Core.Computed"] === true || isStamped(annotated) ||
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

/** Gives the error of a value that is not null, if it violates the rule. */
type Assertion = (value: unknown) => Omit<ErrorProperties, "target"> | undefined;

/**
 * The rules of an element.
 *
 * @param annotated the element with the annotations in effect
 * @param type the element that gives the type
 * @throws ConfigurationError for a pattern that is none, or that a value could make run for ages
 */
function assertionsOf(annotated: LinkedElement, type: LinkedElement): readonly Assertion[] {
  const range = annotated["@assert.range"];
  const rangeMessage = declaredMessage(annotated, "@assert.range");
  const format = annotated["@assert.format"];
  const assertions: Assertion[] = [];
  const symbols = type.$type.enum;
  if (symbols && (range === true || annotated["@assert.enum"] === true)) {
    const enumMessage = annotated["@assert.enum.message"] === undefined
      ? rangeMessage
      : declaredMessage(annotated, "@assert.enum");
    const values = Object.entries(symbols).map(([name, { val }]) => val ?? name);
    assertions.push((value) =>
      values.includes(value as string)
        ? undefined
        : { status: 400, code: "ASSERT_ENUM", args: [value, values.join(", ")], ...enumMessage }
    );
  } else if (Array.isArray(range)) {
    const ranges = Array.isArray(range[0]) ? range : [range];
    assertions.push(rangeAssertion(ranges, type.$type.builtin, rangeMessage));
  }
  if (typeof format === "string") assertions.push(formatAssertion(format, annotated));
  return assertions;
}

interface Bound {
  /** As the model has it. */
  readonly value: number | string | undefined;
  /** As it is compared. */
  readonly limit: number | string | undefined;
  readonly isExclusive: boolean;
}

/** The text that a model declares for a check, or its key, with the arguments that it gets. */
interface Message {
  readonly $message?: string;
}

/**
 * The text that a model declares for a check: `@assert.range.message`, `@mandatory.message` and the like.
 *
 * @param annotated the element with the annotations in effect
 * @param check the annotation of the check
 */
function declaredMessage(annotated: LinkedElement, check: `@${string}`): Message {
  const text = annotated[`${check}.message`];
  if (typeof text !== "string" || text === "") return {};
  return { $message: /^\{i18n>(.+)\}$/.exec(text)?.[1] ?? text };
}

function rangeAssertion(
  ranges: readonly unknown[],
  type: string | undefined,
  message: Message,
): Assertion {
  const bounds = ranges.map((range) => {
    const [low, high] = range as readonly unknown[];
    return { low: bound(low, type), high: bound(high, type) };
  });
  const { low, high } = bounds[0]!;
  const args = [text(low, ">", "-Infinity"), text(high, "<", "Infinity")];
  // texts of models name the bounds, ours the value, too
  const own = [low.value ?? "-Infinity", high.value ?? "Infinity"];
  return (value) => {
    const compared = isTemporal(type) ? storedInstant(value, type) : value;
    if (bounds.some((one) => isAbove(compared, one.low) && isBelow(compared, one.high))) return undefined;
    return message.$message === undefined
      ? { status: 400, code: "ASSERT_RANGE", args: [value, ...args] }
      : { status: 400, code: "ASSERT_RANGE", args: own, ...message };
  };
}

/** What a row holds of an instant, a day or a time of day, as it is compared. */
function storedInstant(value: unknown, type: TemporalType): string {
  return comparedText(temporalText(value instanceof Date ? value : String(value), type), type);
}

/** `1` is included, `(1)` is not, `_` is open. */
function bound(given: unknown, type: string | undefined): Bound {
  const isExclusive = typeof given === "object" && given !== null;
  const value = (isExclusive ? exclusiveValue(given) : given) as Bound["value"];
  const limit = typeof value === "string" && isTemporal(type) ? comparedText(value, type) : value;
  return { value, limit, isExclusive };
}

function exclusiveValue(given: object): unknown {
  const isOpen = "=" in given && Object.keys(given).length === 1;
  const node = isOpen ? undefined : fromExpression(given as Expression); // as compilers write it
  return node?.kind === "literal" ? node.val : undefined;
}

function text({ value, isExclusive }: Bound, sign: string, open: string): unknown {
  if (value === undefined) return `${sign}${open}`;
  return isExclusive ? `${sign}${value}` : value;
}

function isAbove(value: unknown, { limit: low, isExclusive }: Bound): boolean {
  if (low === undefined) return true;
  const order = compare(value, low);
  return order > 0 || (order === 0 && !isExclusive);
}

function isBelow(value: unknown, { limit: high, isExclusive }: Bound): boolean {
  if (high === undefined) return true;
  const order = compare(value, high);
  return order < 0 || (order === 0 && !isExclusive);
}

/** Not comparable values are in no range. */
function compare(value: unknown, limit: number | string): number {
  if (typeof limit === "string") {
    const given = String(value);
    return Number(given > limit) - Number(given < limit);
  }
  const given = Number(value);
  return Number.isNaN(given) ? NaN : given - limit;
}

function formatAssertion(pattern: string, element: LinkedElement): Assertion {
  const matches = patternMatcher(pattern, element);
  const message = declaredMessage(element, "@assert.format");
  return (value) =>
    matches(String(value))
      ? undefined
      : { status: 400, code: "ASSERT_FORMAT", args: [value, pattern], ...message };
}

/** Characters of the longest value that a pattern is looked for in. */
const MAX_LENGTH = 4096;

/**
 * Matches with the regular expressions of the language, with others all ways at once where a value could make a pattern
 * run for ages. Patterns that this is impossible for stop the start, and values too long for a pattern do not match.
 */
function patternMatcher(pattern: string, element: LinkedElement): (value: string) => boolean {
  const expression = compilePattern(pattern, element);
  const limit = limitPattern(pattern);
  if (!("reason" in limit)) return (value) => value.length <= limit.maxLength && expression.test(value);
  const isFound = linearMatcher(expression);
  if (isFound) return (value) => value.length <= MAX_LENGTH && isFound(value);
  throw new ConfigurationError(
    `The pattern ${pattern} of ${element} ${limit.reason}: values could make it run for ages`,
    placeOf(element),
  );
}

function compilePattern(pattern: string, element: LinkedElement): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch { /* older patterns escape what needs no escape, which Unicode patterns refuse */ }
  try {
    return new RegExp(pattern);
  } catch (cause) {
    throw new ConfigurationError(
      `The pattern ${pattern} of ${element} is no regular expression`,
      placeOf(element),
      { cause },
    );
  }
}

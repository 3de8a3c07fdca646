/**
 * Conditions of restrictions as they hold for a user (auth 7).
 *
 * @module
 */

import type { RefStep, Xo } from "../../cqn/cqn.ts";
import { walkXo } from "../../cqn/walk.ts";
import type { User } from "../../context/user.ts";

/** Tokens that are always and never true, and tokens that neither are nor become true by a negation. */
const ALWAYS: Xo = { xpr: [{ val: 1 }, "=", { val: 1 }] };
const NEVER: Xo = { xpr: [{ val: 1 }, "=", { val: 0 }] };
const UNKNOWN: Xo = { val: null };
/** Members of `$user` that are no attributes. */
const MEMBERS: ReadonlySet<string> = new Set(["id", "locale", "tenant"]);

/**
 * A condition as it holds for a user. A predicate with an attribute that the user lacks is never true, whether it is
 * negated or not; only the test of the attribute for null sees that it is missing.
 *
 * @param where the condition of a privilege
 * @param user who asks
 */
export function effectiveCondition(where: readonly Xo[], user: User): readonly Xo[] {
  const result: Xo[] = [];
  let start = 0;
  let isBetween = false;
  for (let index = 0; index <= where.length; index++) {
    const token = where[index];
    if (token === "between") isBetween = true;
    if (token !== undefined && token !== "or" && token !== "and") continue;
    if (token === "and" && isBetween) isBetween = false;
    else {
      result.push(...effectiveTerm(where.slice(start, index), user));
      if (token !== undefined) result.push(token);
      start = index + 1;
    }
  }
  return result;
}

/** What stands between `and` and `or`. */
function effectiveTerm(term: readonly Xo[], user: User): readonly Xo[] {
  const start = term.findIndex((token) => token !== "not");
  const [negations, predicate] = [term.slice(0, start), term.slice(start)];
  const [first, second] = predicate;
  if (predicate.length === 1 && isGroup(first)) {
    return [...negations, { xpr: effectiveCondition(first.xpr, user) }];
  }
  if (first === "exists" && typeof second === "object" && "ref" in second) {
    return [...negations, first, { ...second, ref: effectivePath(second.ref, user) }];
  }
  const isNull = nullTest(predicate, user);
  if (isNull !== undefined) return [...negations, isNull ? ALWAYS : NEVER];
  return lacksAttribute(predicate, user) ? [UNKNOWN] : term;
}

function isGroup(token: Xo | undefined): token is { readonly xpr: readonly Xo[] } {
  return typeof token === "object" && "xpr" in token && !("func" in token) && token.xpr?.[0] !== "case";
}

function effectivePath(path: readonly RefStep[], user: User): readonly RefStep[] {
  return path.map((step) =>
    typeof step === "string" || !step.where ? step : { ...step, where: effectiveCondition(step.where, user) }
  );
}

/** Whether `$user.<attr> is null` and the like holds; undefined for any other predicate. */
function nullTest([first, operator, ...rest]: readonly Xo[], user: User): boolean | undefined {
  const name = typeof first === "object" ? attributeOf(first) : undefined;
  if (name === undefined) return undefined;
  const [second, third] = rest;
  const isNegated = operator === "is" ? second === "not" : operator !== "=" && operator !== "==";
  const value = operator === "is" && isNegated ? third : second;
  const isNull = value === "null" || (typeof value === "object" && "val" in value && value.val === null);
  return isNull ? isMissing(user, name) !== isNegated : undefined;
}

function lacksAttribute(tokens: readonly Xo[], user: User): boolean {
  let isLacking = false;
  walkXo(tokens, (expression) => {
    const name = "expand" in expression || "inline" in expression
      ? undefined
      : attributeOf(expression as Exclude<Xo, string>);
    if (name !== undefined && isMissing(user, name)) isLacking = true;
  });
  return isLacking;
}

/**
 * Whether a user has no value of an attribute: it is missing, null, or an empty list.
 *
 * @param user the user
 * @param name the attribute
 */
export function isMissing(user: User, name: string): boolean {
  const value = user.attr[name];
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The attribute that a reference to `$user` names. */
export function attributeOf(token: Exclude<Xo, string>): string | undefined {
  if (!("ref" in token) || token.param || token.ref.length !== 2 || nameOf(token.ref[0]!) !== "$user") {
    return undefined;
  }
  const name = nameOf(token.ref[1]!);
  return MEMBERS.has(name) ? undefined : name;
}

function nameOf(step: RefStep): string {
  return typeof step === "string" ? step : step.id;
}

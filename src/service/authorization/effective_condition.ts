/**
 * Conditions of restrictions as they hold for a user (auth 7).
 *
 * @module
 */

import { ALWAYS, join, NEVER, not } from "../../algebra/build.ts";
import type { Comparison, Expr, TreeStep } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { User } from "../../context/user.ts";

/** Members of `$user` that are no attributes. */
const MEMBERS: ReadonlySet<string> = new Set(["id", "locale", "tenant"]);

/**
 * A condition as it holds for a user. A predicate with an attribute that the user lacks is never true, whether it is
 * negated or not; only the test of the attribute for null sees that it is missing.
 *
 * @param where the condition of a privilege
 * @param user who asks
 */
export function effectiveCondition(where: Expr, user: User): Expr {
  return effective(where, user, NEVER);
}

/** `lacking` stands for what tests a missing attribute: below `not`, also through `exists`, it has to be true to grant nothing. */
function effective(condition: Expr, user: User, lacking: Expr): Expr {
  switch (condition.kind) {
    case "joined":
      return join(condition.op, condition.args.map((one) => effective(one, user, lacking)));
    case "unary":
      if (condition.op !== "not") break;
      return not(effective(condition.arg, user, lacking === NEVER ? ALWAYS : NEVER));
    case "exists": {
      const { arg } = condition;
      if (arg.kind !== "reference") break;
      return { ...condition, arg: { ...arg, ref: effectivePath(arg.ref, user, lacking) } };
    }
    case "comparison": {
      const holds = nullTest(condition, user);
      if (holds !== undefined) return holds ? ALWAYS : NEVER;
    }
  }
  return lacksAttribute(condition, user) ? lacking : condition;
}

function effectivePath(path: readonly TreeStep[], user: User, lacking: Expr): readonly TreeStep[] {
  return path.map((step) =>
    typeof step === "string" || !step.where ? step : { ...step, where: effective(step.where, user, lacking) }
  );
}

/** Operators that test for null, and whether they hold where the value is there. */
const NULL_TESTS: Readonly<Record<string, boolean | undefined>> = {
  ...{ "is": false, "=": false, "==": false },
  ...{ "is not": true, "<>": true, "!=": true },
};

/** Whether `$user.<attr> is null` and the like holds; undefined for any other predicate. */
function nullTest({ left, op, right }: Comparison, user: User): boolean | undefined {
  const name = attributeOf(left);
  const isNegated = NULL_TESTS[op];
  const isNull = right.kind === "literal" && right.val === null;
  return name === undefined || isNegated === undefined || !isNull
    ? undefined
    : isMissing(user, name) !== isNegated;
}

function lacksAttribute(condition: Expr, user: User): boolean {
  let isLacking = false;
  walkTree(condition, (expression) => {
    const name = expression.kind === "variable" ? attributeOf(expression) : undefined;
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

/** The attribute of the user that an expression is. */
export function attributeOf(expression: Expr): string | undefined {
  if (expression.kind !== "variable") return undefined;
  const [first, name, ...more] = expression.path;
  return first !== "$user" || name === undefined || more.length > 0 || MEMBERS.has(name) ? undefined : name;
}

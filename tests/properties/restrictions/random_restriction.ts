/**
 * Random `@requires` and `@restrict`.
 *
 * @module
 */

import type { Choices } from "./choices.ts";
import {
  type Association,
  type Condition,
  type Privilege,
  type Restriction,
  type Table,
  type Value,
  type View,
  viewOf,
  type World,
} from "./world.ts";

/** What is annotated. Conditions of a table name only what all its projections have. */
export type Annotated = { readonly table: Table } | { readonly view: View };

const GRANTS = [
  undefined,
  ["READ"],
  ["*"],
  ["READ", "WRITE"],
  ["READ", "CREATE", "UPDATE"],
  ["READ"],
  ["READ", "touch"],
  undefined,
  ["UPDATE", "DELETE"],
  ["CREATE"],
  ["WRITE"],
  ["touch", "UPDATE"],
];
const TO = [["r1"], undefined, ["r1", "r2"], ["r2"], ["authenticated-user"], ["any"], ["r1"]];

/** Annotations for a table or view. */
export function randomRestriction(choices: Choices, world: World, on: Annotated): Restriction {
  const requires = choices.chance(15)
    ? choices.pick([["r1"], ["r1", "r2"], ["authenticated-user"], ["any"]])
    : undefined;
  const restrict = requires && choices.chance(50)
    ? undefined
    : Array.from({ length: 1 + choices.int(3) }, () => randomPrivilege(choices, world, on));
  return { ...(requires ? { requires } : {}), ...(restrict ? { restrict } : {}) };
}

/** Annotations for a part, which some users may write in some states only. */
export function partRestriction(choices: Choices): Restriction {
  const where: Condition = {
    kind: "compare",
    path: ["a"],
    operator: choices.pick(["=", "<>"] as const),
    value: { val: "x" },
    isReversed: false,
  };
  const event = choices.pick(["UPDATE", "DELETE", "CREATE"]);
  const others = ["READ", "CREATE", "UPDATE", "DELETE"].filter((one) => one !== event);
  return { restrict: [{ grant: others }, { grant: [event], where, isText: true }] };
}

/** Annotations for an action of a view. */
export function randomTouch(choices: Choices, world: World, view: View): Restriction {
  if (choices.chance(40)) return {};
  if (choices.chance(30)) return { requires: choices.pick([["r1"], ["r2"]]) };
  const { to, where } = randomPrivilege(choices, world, { view });
  const privilege = { ...(to ? { to } : {}), ...(where ? { where } : {}), isText: true };
  return { restrict: [to || where ? privilege : { grant: ["touch"], ...privilege }] };
}

function randomPrivilege(choices: Choices, world: World, on: Annotated): Privilege {
  const isTouchable = "table" in on || on.view.name === on.view.table;
  const grant = choices.pick(GRANTS)?.filter((name) => name !== "touch" || isTouchable);
  const to = choices.pick(TO);
  const view = "view" in on ? on.view : viewOf(world, on.table.name);
  const place = { view, isPlain: "table" in on };
  const where = choices.chance(70) ? randomCondition(choices, world, { place, depth: 2 }) : undefined;
  return {
    ...(grant ? { grant } : to || where ? {} : { grant: ["*"] }),
    ...(to ? { to } : {}),
    ...(where ? { where } : {}),
    isText: choices.chance(50),
  };
}

interface Place {
  readonly view: View;
  /** Whether only elements that are everywhere may be named. */
  readonly isPlain: boolean;
}

interface At {
  readonly place: Place;
  readonly depth: number;
}

function randomCondition(choices: Choices, world: World, at: At): Condition {
  const { place, depth } = at;
  const kind = choices.int(depth > 0 ? 12 : 7);
  if (kind < 5) return comparison(choices, world, place);
  if (kind === 5) {
    return { kind: "null", path: randomPath(choices, world, place).path, isNegated: choices.chance(50) };
  }
  if (kind === 6) return opened(choices, world, place);
  if (kind === 7) return { kind: "not", of: randomCondition(choices, world, { place, depth: depth - 1 }) };
  if (kind < 10) {
    const sides = [0, 1].map(() => randomCondition(choices, world, { place, depth: depth - 1 }));
    return { kind: "join", operator: choices.pick(["and", "or"]), sides };
  }
  const steps = association(choices, place);
  if (steps.length === 0) return comparison(choices, world, place);
  const target = { view: viewOf(world, steps.at(-1)!.target), isPlain: true };
  const inner = choices.chance(70)
    ? randomCondition(choices, world, { place: target, depth: depth - 1 })
    : undefined;
  return {
    kind: "exists",
    path: steps.map(({ name }) => name),
    ...(inner ? { inner } : {}),
    isNegated: choices.chance(25),
  };
}

/** `a = $user.p or $user.p is null`. */
function opened(choices: Choices, world: World, place: Place): Condition {
  const found = comparison(choices, world, place);
  const attr = found.kind === "compare" && "attr" in found.value ? found.value.attr : "p";
  return {
    kind: "join",
    operator: choices.pick(["or", "and"]),
    sides: [found, { kind: "lacks", attr, isNegated: choices.chance(20) }],
  };
}

function comparison(choices: Choices, world: World, place: Place): Condition {
  const { path, isText } = randomPath(choices, world, place);
  if (!isText) {
    const operator = choices.pick(["<", ">=", "=", "<>"] as const);
    return {
      kind: "compare",
      path,
      operator,
      value: { val: choices.int(6) },
      isReversed: choices.chance(20),
    };
  }
  const value = choices.pick<Value>([{ attr: "p" }, { user: true }, { val: "x" }, { attr: "q" }, {
    val: "y",
  }]);
  const isList = "attr" in value && choices.chance(25);
  const operator = isList
    ? choices.pick(["in", "not in"] as const)
    : choices.pick(["=", "=", "<>", "!="] as const);
  return { kind: "compare", path, operator, value, isReversed: !isList && choices.chance(20) };
}

interface Path {
  readonly path: readonly string[];
  readonly isText: boolean;
}

function randomPath(choices: Choices, world: World, { view, isPlain }: Place): Path {
  const ones = view.associations.filter(({ many }) => !many);
  if (ones.length > 0 && choices.chance(30)) {
    const one = choices.pick(ones);
    const inner = randomPath(choices, world, { view: viewOf(world, one.target), isPlain: true });
    return { ...inner, path: [one.name, ...inner.path] };
  }
  if (view.keys.includes("no")) return { path: ["text"], isText: true };
  const isText = !choices.chance(25);
  if (isText) {
    const texts = isPlain ? ["a"] : view.texts.includes("t") ? ["t", ...view.texts] : view.texts;
    const name = choices.pick(texts);
    return { path: name === "adr_city" ? ["adr", "city"] : [name], isText };
  }
  const numbers = isPlain ? ["n", "ID"] : view.numbers;
  return { path: [choices.pick(numbers)], isText };
}

/** An association, as a path; none if there is none. */
function association(choices: Choices, { view, isPlain }: Place): readonly Association[] {
  const candidates = view.associations.filter(({ composition }) => !composition || !isPlain);
  return candidates.length === 0 ? [] : [choices.pick(candidates)];
}

/**
 * The condition of an association between two table aliases (csn-cqn 5).
 *
 * @module
 */

import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { type Through, throughOf } from "../../model/through.ts";
import { type Anchor, type Lowering, type ResolvedPath, Scope, stepName } from "./scope.ts";
import { withStructureComparisons } from "./structure_comparison.ts";

/** Both ends of an association. */
export interface AssociationEnds {
  readonly from: Anchor;
  readonly to: Anchor;
}

/**
 * The condition that links two aliases along an association.
 *
 * @param lowering the steps of lowering
 * @param association a managed association, or one with a condition
 * @param ends where it starts and where it leads
 */
export function associationCondition(
  lowering: Lowering,
  association: LinkedElement,
  ends: AssociationEnds,
): readonly Xo[] {
  if (association.isManaged) {
    return (association.$foreignKeys ?? []).flatMap((key, index): Xo[] => [
      ...(index ? ["and"] : []),
      { ref: [ends.to.alias, key.target] },
      "=",
      { ref: [ends.from.alias, key.name] },
    ]);
  }
  const through = throughOf(association);
  if (through) return throughCondition(lowering, through, ends);
  if (!association.on) throw new TypeError(`"${association}" has neither keys nor a condition`);
  return conditionTokens(lowering, association.on, { association, ends });
}

/** There is a row that links both sides. */
function throughCondition(
  lowering: Lowering,
  { links, target }: Through,
  { from, to }: AssociationEnds,
): Xo[] {
  const entity = links.$target!; // throughOf() has followed it
  const scope = new Scope(from.scope, false);
  const alias = lowering.alias(links.name);
  scope.sources.push({ alias, name: links.name, explicit: false, entity });
  const link: Anchor = { alias, entity, scope };
  const where = [
    ...associationCondition(lowering, links, { from, to: link }),
    "and",
    ...associationCondition(lowering, target, { from: link, to }),
  ];
  const columns: Expression[] = [{ val: 1, literal: "number" }];
  return ["exists", { SELECT: { columns, from: scope.withJoins(lowering.table(entity, alias)), where } }];
}

interface ConditionScope {
  readonly association: LinkedElement;
  readonly ends: AssociationEnds;
}

function conditionTokens(lowering: Lowering, given: readonly Xo[], scope: ConditionScope): Xo[] {
  const tokens = withStructureComparisons(given, (ref) => resolved(lowering, ref, scope));
  const result: Xo[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const back = backlink(tokens, index, scope);
    if (back) {
      result.push({
        xpr: associationCondition(lowering, back, { from: scope.ends.to, to: scope.ends.from }),
      });
      index += 2;
      continue;
    }
    const token = tokens[index];
    result.push(typeof token === "string" ? token : operand(lowering, token, scope));
  }
  return result;
}

/** `books.author = $self` in either order: the association that points back. */
function backlink(tokens: readonly Xo[], index: number, scope: ConditionScope): LinkedElement | undefined {
  const [left, operator, right] = tokens.slice(index, index + 3);
  if (operator !== "=" || typeof left === "string" || typeof right === "string") return undefined;
  const other = isSelf(left) ? right : isSelf(right) ? left : undefined;
  if (!other || !("ref" in other)) return undefined;
  const [first, ...path] = withoutSelf(other.ref).map(stepName);
  if (first !== scope.association.name) return undefined;
  let elements = scope.association.$target?.elements;
  let found: LinkedElement | undefined;
  for (const step of path) {
    found = elements?.[step];
    elements = found?.$type.elements;
  }
  return found?.isAssociation ? found : undefined;
}

function isSelf(token: Expression): boolean {
  return "ref" in token && token.ref.length === 1 &&
    (token.ref[0] === "$self" || token.ref[0] === "$projection");
}

/** `$self.name` of an element of the row itself, without `$self`. */
function withoutSelf(ref: readonly RefStep[]): readonly RefStep[] {
  return ref.length > 1 && ["$self", "$projection"].includes(stepName(ref[0])) ? ref.slice(1) : ref;
}

/** Where an operand leads; undefined for values, and for columns of a query that adds the association. */
function resolved(
  lowering: Lowering,
  ref: readonly RefStep[],
  scope: ConditionScope,
): ResolvedPath | undefined {
  const { association, ends } = scope;
  if (ends.from.scope.mixins.get(association.name) === association) return undefined;
  const steps = withoutSelf(ref);
  const first = stepName(steps[0]);
  if (first.startsWith("$")) return undefined;
  return first === association.name && steps.length > 1
    ? lowering.path(ends.to, steps.slice(1))
    : lowering.path(ends.from, steps);
}

function operand(lowering: Lowering, token: Expression, scope: ConditionScope): Expression {
  if ("xpr" in token && !("func" in token)) return { xpr: conditionTokens(lowering, token.xpr, scope) };
  if ("list" in token) return { list: token.list.map((item) => operand(lowering, item, scope)) };
  if ("func" in token && Array.isArray(token.args)) {
    const args = token.args as readonly (Expression | "*")[];
    return { ...token, args: args.map((arg) => arg === "*" ? arg : operand(lowering, arg, scope)) };
  }
  if (!("ref" in token) || token.param) return token;
  const first = stepName(token.ref[0]);
  const { association, ends } = scope;
  if (first === "$self" || first === "$projection") {
    const steps = token.ref.slice(1);
    if (steps.length > 1 && stepName(steps[0]) === association.name) {
      return columnOf(lowering, ends.to, steps.slice(1));
    }
    return ownColumn(lowering, steps, scope);
  }
  if (first.startsWith("$")) return token;
  if (isAliasOfMixin(first, scope)) return lowering.expression(token, ends.from.scope);
  if (first === association.name) return columnOf(lowering, ends.to, token.ref.slice(1));
  return columnOf(lowering, ends.from, token.ref);
}

/** Paths of a mixin may begin with the alias of a source of its query. */
function isAliasOfMixin(first: string, { association, ends: { from } }: ConditionScope): boolean {
  return from.scope.mixins.get(association.name) === association && first !== association.name &&
    from.entity.elements[first] === undefined && from.scope.sources.some(({ name }) => name === first);
}

/** An element of the row the association starts at; of a mixin that row is one of the query. */
function ownColumn(
  lowering: Lowering,
  steps: readonly RefStep[],
  { association, ends: { from } }: ConditionScope,
): Expression {
  const isMixin = from.scope.mixins.get(association.name) === association;
  const output = isMixin && steps.length === 1 ? from.scope.output(stepName(steps[0])) : undefined;
  return output ?? columnOf(lowering, from, steps);
}

function columnOf(lowering: Lowering, anchor: Anchor, steps: readonly RefStep[]): Expression {
  const found = lowering.path(anchor, steps);
  if (found.kind === "column") return found.expression;
  if (found.kind === "association" && found.association.$foreignKeys?.length === 1) {
    return { ref: [found.anchor.alias, found.association.$foreignKeys[0].name] };
  }
  throw new TypeError(
    `"${steps.map(stepName).join(".")}" of "${anchor.entity.name}" has no value to compare`,
  );
}

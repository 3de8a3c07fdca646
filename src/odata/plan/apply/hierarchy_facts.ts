/**
 * Where a node stands in what a transformation made of its hierarchy, as properties that `@Hierarchy.RecursiveHierarchy`
 * names. What is so of each node is found out before the query runs (`resources/hierarchy_nodes.ts`); the query has it as
 * one text, in which a node is found by its value.
 *
 * @see https://sap.github.io/odata-vocabularies/vocabularies/Hierarchy.html
 *
 * @module
 */

import type { CastType, Expression, RefExpression } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { groupOf, type Typed, typeOf } from "../scope.ts";
import { annotationMember, pathText } from "./annotations.ts";

/** Numbers that are so of a node, in their order in the text. */
const NUMBERS = [
  "LimitedRank",
  "LimitedDescendantCount",
  "DistanceFromRoot",
  "ChildCount",
  "DescendantCount",
  "SiblingRank",
] as const;

/** What is so of a node. */
export type NodeFacts = Readonly<Record<typeof NUMBERS[number], number>> & {
  readonly DrillState: "expanded" | "collapsed" | "leaf";
};

/** Characters of each fact: as many as the longest state has. */
const WIDTH = 9;
/** Stand around a node in the text. */
const [BEFORE, BEHIND] = ["\u0001", "\u0002"];

/**
 * The text in which queries find the facts.
 *
 * @param facts by node
 */
export function factsText(facts: Iterable<readonly [string | number, NodeFacts]>): string {
  return Array.from(facts, ([node, one]) => {
    const numbers = NUMBERS.map((name) => String(one[name]).padEnd(WIDTH));
    return `${BEFORE}${node}${BEHIND}${numbers.join("")}${one.DrillState.padEnd(WIDTH)}`;
  }).join("");
}

/**
 * The properties that say where a node stands.
 *
 * @param entity the entity of the nodes
 * @param hierarchy its qualifier, the value of a node, and the parameter with the text
 * @returns values by the name of the property
 */
export function factsOf(
  entity: LinkedEntity,
  { qualifier, value, param }: {
    readonly qualifier: string;
    readonly value: Expression;
    readonly param: string;
  },
): ReadonlyMap<string, Typed> {
  const found = new Map<string, Typed>();
  for (const [at, fact] of [...NUMBERS, "DrillState"].entries()) {
    const term = `@Hierarchy.RecursiveHierarchy#${qualifier}` as const;
    const name = pathText(
      annotationMember(entity, term, fact) ?? annotationMember(entity, term, `${fact}Property`),
    );
    const type = entity.$flat.has(name) ? typeOf(entity.$flat.get(name)!) : undefined;
    const isState = fact === "DrillState";
    if (type === undefined || groupOf(type) !== (isState ? "text" : "number")) continue;
    const text = factText(value, { ref: [param], param: true }, at * WIDTH);
    const expr = { ...text, ...(isState ? {} : { cast: { type: type.builtin } }) };
    found.set(name, { expr, type, nullable: true });
  }
  return found;
}

function factText(value: Expression, facts: RefExpression, at: number): Expression {
  const node: Expression & { readonly cast: CastType } = { ...value, cast: { type: "cds.String" } };
  const marker: Expression = { func: "concat", args: [{ val: BEFORE }, node, { val: BEHIND }] };
  const start: Expression = {
    xpr: [{ func: "indexof", args: [facts, marker] }, "+", { func: "length", args: [marker] }, "+", {
      val: at,
      literal: "number",
    }],
  };
  const padded: Expression = { func: "substring", args: [facts, start, { val: WIDTH, literal: "number" }] };
  return { func: "trim", args: [padded] };
}

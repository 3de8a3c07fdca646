/**
 * Where a node stands in what a transformation made of its hierarchy, as properties that `@Hierarchy.RecursiveHierarchy`
 * names. What is so of each node is found out before the query runs (`resources/hierarchy_nodes.ts`); the query has it as
 * one text, in which a node is found by its value.
 *
 * @see https://sap.github.io/odata-vocabularies/vocabularies/Hierarchy.html
 *
 * @module
 */

import { arithmetic, call, literal as valueOf, numeral, parameter } from "../../../algebra/build.ts";
import type { Expr, Parameter } from "../../../algebra/tree.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { groupOf, resolveAlias, type Scope, told, type Typed, typeOf } from "../scope.ts";
import type { Argument, CommonExpr, MemberName, PrimitiveLiteral, RecHierReference } from "../../url/ast.ts";
import type { LevelChanges } from "../query_inputs.ts";
import { badRequest } from "../plan_error.ts";

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
    readonly value: Expr;
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
    const text = factText(value, parameter(param), at * WIDTH);
    found.set(name, { expr: isState ? text : told(text, type.builtin), type, nullable: true });
  }
  return found;
}

function factText(value: Expr, facts: Parameter, at: number): Expr {
  const marker = call("concat", [valueOf(BEFORE), told(value, "cds.String"), valueOf(BEHIND)]);
  const behind = arithmetic(call("indexof", [facts, marker]), "+", call("length", [marker]));
  const padded = call("substring", [facts, arithmetic(behind, "+", numeral(at)), numeral(WIDTH)]);
  return call("trim", [padded]);
}

/**
 * A path in an annotation.
 *
 * @param value `{"=": "path"}`, or text
 * @returns the path
 */
export function pathText(value: unknown): string {
  if (typeof value === "string") return value;
  const path = (value as { readonly "="?: unknown } | null | undefined)?.["="];
  return typeof path === "string" ? path : "";
}

/**
 * The name of an enumeration symbol in an annotation.
 *
 * @param value `{"#": "SUM"}`, or text
 * @returns the name
 */
export function symbolText(value: unknown): string {
  if (typeof value === "string") return value;
  const symbol = (value as { readonly "#"?: unknown } | null | undefined)?.["#"];
  return typeof symbol === "string" ? symbol : "";
}

/**
 * A member of an annotation that is a record, written as a whole or member by member.
 *
 * @param definition what is annotated
 * @param term the annotation
 * @param member the member
 */
export function annotationMember(
  definition: { readonly [annotation: `@${string}`]: unknown },
  term: `@${string}`,
  member: string,
): unknown {
  const whole = definition[term] as Readonly<Record<string, unknown>> | null | undefined;
  return whole?.[member] ?? definition[`${term}.${member}`];
}

/** The name of the transformation. */
export const TOP_LEVELS = "com.sap.vocabularies.Hierarchy.v1.TopLevels";

/** What the call asks for. */
export interface TopLevelsArguments {
  readonly hierarchy: RecHierReference;
  /** Undefined for all. */
  readonly levels?: number | undefined;
  readonly changes: LevelChanges;
}

const NAMES: readonly string[] = [
  "HierarchyNodes",
  "HierarchyQualifier",
  "NodeProperty",
  "Levels",
  "Expand",
  "Show",
  "Collapse",
  "ExpandLevels",
];

/**
 * Reads the arguments.
 *
 * @param call the call
 * @param scope has the aliases
 * @throws {ServiceError} 400 for an argument that is missing, unknown or of another form
 */
export function topLevelsArguments({ parens, offset }: MemberName, scope: Scope): TopLevelsArguments {
  const given = new Map((parens[0]?.items ?? []).map((one) => [nameOf(one), resolveAlias(one.value, scope)]));
  const required = (name: string): CommonExpr => {
    const value = given.get(name);
    if (value) return value;
    throw badRequest(`TopLevels needs "${name}"`, offset);
  };
  const property = required("NodeProperty");
  const steps = textOf(property).split("/").map((name): MemberName => {
    return { kind: "memberName", offset: property.offset, name, parens: [] };
  });
  const levels = given.get("Levels");
  const nodes = (name: string) => itemsOf(given.get(name)).map(nodeOf);
  return {
    hierarchy: {
      nodes: required("HierarchyNodes"),
      qualifier: textOf(required("HierarchyQualifier")),
      property: { kind: "memberExpr", offset: property.offset, steps },
    },
    levels: levels && countOf(levels, 1),
    changes: {
      levels: [
        ...nodes("Expand").map((node) => ({ node, below: 1 })),
        ...nodes("Collapse").map((node) => ({ node, below: 0 })),
        ...itemsOf(given.get("ExpandLevels")).map(changeOf),
      ],
      shown: nodes("Show"),
    },
  };
}

function nameOf({ name, offset }: Argument): string {
  if (name !== undefined && NAMES.includes(name)) return name;
  throw badRequest(`The parameters of TopLevels are ${NAMES.join(", ")}`, offset);
}

/** `{"NodeID":"1","Levels":2}`; all levels where there is no number. */
function changeOf(expr: CommonExpr): LevelChanges["levels"][number] {
  const members = expr.kind === "object"
    ? new Map(expr.members.map(({ name, value }) => [name, value]))
    : undefined;
  const node = members?.get("NodeID");
  const below = members?.get("Levels");
  if (!node) throw badRequest('An object with "NodeID" and "Levels" is expected', expr.offset);
  return { node: nodeOf(node), below: !below || literal(below)?.value === null ? null : countOf(below, 0) };
}

function literal(expr: CommonExpr): PrimitiveLiteral | undefined {
  return expr.kind === "primitiveLiteral" ? expr : undefined;
}

function textOf(expr: CommonExpr): string {
  const value = literal(expr)?.value;
  if (typeof value === "string") return value;
  throw badRequest("A text is expected", expr.offset);
}

/** The value of a node as text. */
function nodeOf(expr: CommonExpr): string {
  const value = literal(expr)?.value ?? null;
  if (value !== null) return String(value);
  throw badRequest("The value of a node is expected", expr.offset);
}

function countOf(expr: CommonExpr, least: number): number {
  const value = literal(expr)?.value;
  if (Number.isInteger(value) && value as number >= least) return value as number; // integers are numbers
  // beyond the safe integers there are as many levels as anybody wants
  if (typeof value === "bigint" && value > 0n) return Number.MAX_SAFE_INTEGER;
  throw badRequest(`A whole number from ${least} on is expected`, expr.offset);
}

function itemsOf(expr: CommonExpr | undefined): readonly CommonExpr[] {
  if (expr === undefined) return [];
  if (expr.kind === "array") return expr.items;
  throw badRequest("An array is expected", expr.offset);
}

/**
 * The arguments of `com.sap.vocabularies.Hierarchy.v1.TopLevels`.
 *
 * @module
 */

import type { Argument, CommonExpr, MemberName, PrimitiveLiteral, RecHierReference } from "../../url/ast.ts";
import { resolveAlias } from "../expressions/resolve_alias.ts";
import type { LevelChanges } from "../plan.ts";
import { badRequest } from "../plan_error.ts";
import type { Scope } from "../scope.ts";

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

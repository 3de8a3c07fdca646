/**
 * Levels of `rollup`: given one by one, or by the name of a leveled hierarchy (Data Aggregation 4.0, 5.5.1).
 *
 * @module
 */

import type { MemberExpr } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import type { Scope } from "../scope.ts";
import { pathText } from "./annotations.ts";

/**
 * The properties of a rollup, the most general first.
 *
 * @param properties the arguments of `rollup`
 * @param scope the names of the rows
 * @returns paths
 * @throws {ServiceError} 400 for one argument that names no leveled hierarchy
 */
export function levelsOf(properties: readonly MemberExpr[], { entity }: Scope): readonly MemberExpr[] {
  const [only, second] = properties;
  if (only === undefined || second !== undefined) return properties;
  const [step] = only.steps;
  const name = step?.kind === "memberName" ? step.name : "";
  const levels = entity[`@Aggregation.LeveledHierarchy#${name}`];
  if (!Array.isArray(levels)) {
    throw badRequest(
      `"${entity.name}" has no leveled hierarchy "${name}", and rollup needs two levels`,
      only.offset,
    );
  }
  return levels.map((level): MemberExpr => ({
    kind: "memberExpr",
    offset: only.offset,
    steps: pathText(level).split(/[./]/).map((part) => ({
      kind: "memberName",
      offset: only.offset,
      name: part,
      parens: [],
    })),
  }));
}

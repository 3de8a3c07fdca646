/**
 * Paths from `$root` (OData 4.01 Part 2, section 5.1.1.15): what they lead to is read by a query of its own.
 *
 * Values of annotations in expressions (OData 4.01 Part 2, section 5.1.1.12): services annotate the model, so the
 * value is the same for all instances; what is not annotated is null.
 *
 * @module
 */

import type { AnnotationExpr, CommonExpr, MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import { literal, NULL, reference } from "../../../algebra/build.ts";
import { addWhere, type Member, type Walk } from "./member_walk.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { keyCondition, keyPredicate } from "../paths/plan_keys.ts";
import { BOOLEAN, DECIMAL, resolveAlias, type Scope, STRING, type Typed } from "../scope.ts";
import { isSingleton } from "../../../model/service_document.ts";
import { vocabulary } from "../../../model/csdl/vocabularies.ts";

/**
 * A path that starts at `$root`.
 *
 * @param expr the path
 * @param scope the scope of the expression
 * @returns the path behind the entity set, and the steps that are left
 * @throws {ServiceError} 400 for unknown names
 */
export function rootWalk(
  { steps, offset }: MemberExpr,
  scope: Scope,
): { readonly walk: Walk; readonly rest: readonly MemberStep[] } {
  const [first, ...rest] = steps;
  if (first?.kind !== "memberName") throw badRequest("The name of an entity set is expected", offset);
  const { index } = scope;
  const entity = index.entitySets.get(first.name);
  if (entity === undefined) {
    if (index.operations.has(first.name)) throw badRequest("A call needs parentheses", first.offset);
    const known = index.entitySets.keys();
    throw unknownName({
      name: first.name,
      offset: first.offset,
      what: "entity set",
      owner: index.service.name,
      known,
    });
  }
  const many = !isSingleton(entity);
  const walk: Walk = { scope, entity, ref: [entity.name], root: true, many };
  keyStep(walk, first);
  return { walk, rest };
}

/**
 * Reads the key behind the name of a collection.
 *
 * @param walk has reached a collection; one instance with a key
 * @param node the name
 * @throws {ServiceError} 400 for a key that is none
 */
export function keyStep(walk: Walk, { name, parens, offset }: MemberName): void {
  const [list, more] = parens;
  if (list === undefined) return;
  if (more !== undefined) throw badRequest(`"${name}" has more than one key predicate`, more.offset);
  if (!walk.many) throw badRequest(`"${name}" is not a collection`, offset);
  const { bindings } = walk.scope;
  const key = keyPredicate(list, {
    entity: walk.entity,
    bindings,
    resolveAlias: (expr) => resolveAlias(expr, walk.scope),
  });
  addWhere(walk, keyCondition(key));
  walk.many = false;
}

/**
 * The value of an annotation.
 *
 * @param annotated the element or entity in front of it
 * @param node the annotation
 * @param rest what follows
 * @returns a constant
 * @throws {ServiceError} 400 if something follows that its value does not have
 */
export function annotationValue(
  annotated: object,
  node: AnnotationExpr,
  rest: readonly MemberStep[],
): Member {
  if (rest.length > 0) throw badRequest("Nothing can follow an annotation", rest[0].offset);
  const alias = node.name.slice(1).split(".", 1)[0];
  // annotations that $metadata does not show are not told here either
  if (vocabulary(alias) === undefined) return { value: constant(undefined) };
  const given: unknown = (annotated as Readonly<Record<string, unknown>>)[node.name];
  return { value: constant(given) };
}

function constant(val: unknown): Typed {
  switch (typeof val) {
    case "boolean":
      return { expr: literal(val), type: BOOLEAN, nullable: false };
    case "number":
      return { expr: literal(val), type: DECIMAL, nullable: false };
    case "string":
      return { expr: literal(val), type: STRING, nullable: false };
    default:
      return { expr: NULL, nullable: true };
  }
}

const NAME = "Aggregation.rollupnode";

/**
 * Whether a path starts with the call of the function; it may start at `$it`, as the function is bound to instances.
 *
 * @param expr the path
 */
export function isRollupNode({ root, steps }: MemberExpr): boolean {
  const [first] = steps;
  return (root === undefined || root === "$it") && first?.kind === "memberName" && first.name === NAME &&
    first.parens.length > 0;
}

/**
 * A path that starts at the node of a group.
 *
 * @param expr the path
 * @param scope the scope of the expression
 * @returns the path at the node, and the steps that are left
 * @throws {ServiceError} 400 outside of `rolluprecursive`, and for hierarchies that it does not have
 */
export function rollupWalk(
  { steps }: MemberExpr,
  scope: Scope,
): { readonly walk: Walk; readonly rest: readonly MemberStep[] } {
  const [call, ...rest] = steps;
  const { offset } = call as MemberName; // the caller has looked
  const { rollups, closed, computed } = scope;
  if (rollups === undefined) {
    throw badRequest(`"${NAME}" belongs into the transformations of rolluprecursive`, offset);
  }
  const node = rollups[positionOf(call as MemberName, scope) - 1];
  if (node === undefined) throw badRequest(`There are ${rollups.length} hierarchies here`, offset);
  const { alias, entity } = node;
  const given = (name: string) => {
    if (!closed) return reference([alias, `${alias}_${name}`]);
    const value = computed.get(`${alias}/${name}`);
    if (value) return value.expr;
    throw notImplemented(`"${name}" of the node behind these transformations`, offset);
  };
  return { walk: { scope, entity, ref: [], root: false, many: false, given }, rest };
}

function positionOf({ parens, offset }: MemberName, scope: Scope): number {
  const [argument, more] = parens[0]?.items ?? [];
  if (argument === undefined) return 1;
  const value: CommonExpr = resolveAlias(argument.value, scope);
  const isPosition = argument.name === "Position" && value.kind === "primitiveLiteral" && more === undefined;
  const position = isPosition ? Number(value.value) : NaN;
  if (Number.isInteger(position) && position > 0) return position;
  throw badRequest(`The parameter of "${NAME}" is Position, a number from 1 on`, offset);
}

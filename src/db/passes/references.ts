import { allOf, call, column, exists, ONE, select } from "../../algebra/build.ts";
import type { Expr, TreeSelect, TreeStep } from "../../algebra/tree.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { unknownElement } from "./path_to_join.ts";
import {
  type Anchor,
  type Lowering,
  type ResolvedPath,
  Scope,
  type ScopeSource,
  stepSource,
} from "./scope.ts";
import { stepName, stepsOfName } from "../../cqn/steps.ts";
import { associationCondition, validityCondition } from "./association_condition.ts";

/**
 * What a reference of a query means.
 *
 * @param lowering the steps of lowering
 * @param ref the steps of the reference
 * @param scope the scope it stands in
 * @throws TypeError for names that no source has
 */
export function resolveReference(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): ResolvedPath {
  const first = stepName(ref[0]);
  if (first === "$self" || first === "$projection" || first === "$it") return ofSelf(lowering, ref, scope);
  if (first === "$main") return resolveReference(lowering, ref.slice(1), outermost(scope));
  for (let current: Scope | undefined = scope; current; current = current.parent) {
    const found = inScope(lowering, ref, current);
    if (found) return found;
  }
  const entity = scope.sources.find((source) => source.entity)?.entity;
  if (entity) throw unknownElement(entity, first);
  throw new TypeError(`Unknown element "${ref.map(stepName).join(".")}"`);
}

/**
 * The place a path starts at, with the steps from there.
 *
 * @param ref the steps of the reference
 * @param scope the scope it stands in
 */
function anchorOf(
  ref: readonly TreeStep[],
  scope: Scope,
): { readonly anchor: Anchor; readonly steps: readonly TreeStep[] } | undefined {
  const first = stepName(ref[0]);
  if (first === "$self" || first === "$projection" || first === "$it") {
    const query = queryScope(scope);
    return anchorOf(behindColumns(ref.slice(1), query), query);
  }
  if (first === "$main") return anchorOf(ref.slice(1), outermost(scope));
  for (let current: Scope | undefined = scope; current; current = current.parent) {
    const source = sourceOf(ref, current);
    if (!source?.source.entity) continue;
    const { alias, entity } = source.source;
    return { anchor: { alias, entity, scope: current }, steps: source.steps };
  }
  return undefined;
}

function queryScope(scope: Scope): Scope {
  let current = scope;
  while (!current.isQuery && current.parent) current = current.parent;
  return current;
}

/** `$main` is the row of the query that all others stand in. */
function outermost(scope: Scope): Scope {
  let current = scope;
  while (current.parent) current = current.parent;
  return current;
}

/** `$self` is the row of the query; its columns come before the elements of the source. */
function ofSelf(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): ResolvedPath {
  const query = queryScope(scope);
  const steps = ref.slice(1);
  const output = steps.length === 1 ? query.output(stepName(steps[0])) : undefined;
  if (output) return { kind: "column", expression: output };
  return resolveReference(lowering, behindColumns(steps, query), query);
}

/** The steps from the sources of a query on, where the first one is a column that is a path. */
function behindColumns([first, ...rest]: readonly TreeStep[], query: Scope): readonly TreeStep[] {
  const path = query.columnPath?.(stepName(first));
  if (!path) return [first, ...rest];
  if (typeof first === "string") return [...path, ...rest];
  const last = path.at(-1)!;
  const where = allOf([typeof last === "string" ? undefined : last.where, first.where]);
  return [...path.slice(0, -1), { ...first, id: stepName(last), where }, ...rest];
}

function inScope(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): ResolvedPath | undefined {
  const found = sourceOf(ref, scope);
  if (found === undefined) {
    const output = ref.length === 1 ? scope.outputs.get(stepName(ref[0])) : undefined;
    return output && { kind: "column", expression: output };
  }
  const { source, steps } = found;
  const name = stepName(steps[0]);
  const { position } = source;
  if (position?.name === name) return { kind: "column", expression: position.expression };
  const output = source.columns?.get(steps.length === 1 ? name : steps.map(stepName).join("_"));
  if (output) {
    return {
      kind: "column",
      expression: column(source.alias, output.name, { type: output.expression.type ?? output.type }),
      element: output.element,
      type: output.type,
    };
  }
  if (!source.entity) return undefined;
  return lowering.path({ alias: source.alias, entity: source.entity, scope }, steps);
}

/** The source that has the first step; an alias in front is taken off. */
function sourceOf(
  ref: readonly TreeStep[],
  scope: Scope,
): { readonly source: ScopeSource; readonly steps: readonly TreeStep[] } | undefined {
  const first = stepName(ref[0]);
  if (scope.mixins.has(first)) return { source: scope.sources[0], steps: ref };
  const named = ref.length > 1 ? scope.sources.find((source) => source.name === first) : undefined;
  if (named?.explicit) return { source: named, steps: ref.slice(1) };
  const holder = scope.sources.find((source) => hasElement(source, ref));
  if (holder) return { source: holder, steps: ref };
  if (named) return { source: named, steps: ref.slice(1) };
  for (const source of scope.sources) {
    const length = source.entity && !source.explicit ? stepsOfName(ref, source.entity.name) : 0;
    if (length > 0) return { source, steps: ref.slice(length) };
  }
  return undefined;
}

/** Whether a source has the element that a path starts with. */
export function hasElement({ entity, columns, position }: ScopeSource, ref: readonly TreeStep[]): boolean {
  const first = stepName(ref[0]);
  if (position?.name === first) return true;
  if (columns && (columns.has(first) || columns.has(ref.map(stepName).join("_")))) return true;
  return entity !== undefined && (entity.elements[first] !== undefined || entity.$flat.has(first));
}

/**
 * The value of a reference: a column, or the foreign key of an association with just one.
 *
 * @param found where the reference leads
 * @param ref for messages
 */
export function valueOf(
  found: ResolvedPath,
  ref: readonly TreeStep[],
): { readonly expression: Expr; readonly element?: LinkedElement; readonly type?: string } {
  if (found.kind === "column") return found;
  if (found.kind === "association" && found.association.$foreignKeys?.length === 1) {
    const [key] = found.association.$foreignKeys;
    const element = key.element.element;
    const type = element.$type.builtin;
    return { expression: column(found.anchor.alias, key.name, { type }), element, type };
  }
  throw new TypeError(`"${ref.map(stepName).join(".")}" is no single value`);
}

/**
 * The subquery of `exists <path>`.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations, each with an infix filter if need be
 * @param scope the scope it stands in
 */
export function existsSubquery(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): TreeSelect {
  return pathSubquery(lowering, start(ref, scope), { column: ONE });
}

/**
 * The subquery that counts the rows a path leads to.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations
 * @param scope the scope it stands in
 */
export function countSubquery(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): TreeSelect {
  const column = call("count", ["*"]);
  const from = start(ref, scope);
  // A path over several associations counts the rows of its last one.
  const before = from.steps.slice(0, -1);
  if (before.length === 0) return pathSubquery(lowering, from, { column });
  const found = lowering.path(from.anchor, from.steps);
  if (found.kind !== "association") throw new TypeError(`"${ref.map(stepName).join(".")}" cannot be counted`);
  return pathSubquery(lowering, { anchor: found.anchor, steps: [found.step] }, { column });
}

interface Start {
  readonly anchor: Anchor;
  readonly steps: readonly TreeStep[];
}

function start(ref: readonly TreeStep[], scope: Scope): Start {
  const found = anchorOf(ref, scope);
  if (!found) throw new TypeError(`"${ref.map(stepName).join(".")}" is no association`);
  return found;
}

function pathSubquery(
  lowering: Lowering,
  { anchor, steps }: Start,
  options: { readonly column: Expr },
): TreeSelect {
  const first = leadingAssociation(lowering, anchor, steps);
  const { association, anchor: from, step, rest } = first;
  const target = association.$target;
  if (!target) throw new TypeError(`The target of "${association}" is not in the model`);
  const scope = new Scope(anchor.scope, false);
  const alias = lowering.alias(association.name);
  scope.sources.push(stepSource(step, { alias, name: association.name, entity: target }));
  const to = { alias, entity: target, scope };
  const where = allOf([
    associationCondition(lowering, association, { from, to }),
    validityCondition(lowering, to),
    typeof step !== "string" && step.where ? lowering.expression(step.where, scope) : undefined,
    rest.length > 0 ? exists(pathSubquery(lowering, { anchor: to, steps: rest }, options)) : undefined,
  ]);
  const table = lowering.table(target, alias, step);
  return select({ columns: [options.column], from: scope.withJoins(table), where });
}

/** The first association of a path, structures before it included. */
function leadingAssociation(lowering: Lowering, anchor: Anchor, steps: readonly TreeStep[]) {
  for (let length = 1; length <= steps.length; length++) {
    const found = lowering.path(anchor, steps.slice(0, length));
    if (found.kind === "association") return { ...found, rest: steps.slice(length) };
    if (found.kind === "column") break;
  }
  throw new TypeError(`"${steps.map(stepName).join(".")}" of "${anchor.entity.name}" is no association`);
}

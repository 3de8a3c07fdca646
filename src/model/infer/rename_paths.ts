import type { RefStep, Xo } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { mapRefs } from "../../cqn/walk.ts";
import { modelError } from "./draft.ts";
import type { ViewColumn } from "./view_columns.ts";
import { resolvePath, type ViewScope } from "./view_scope.ts";

/**
 * Conditions of selected associations refer to the elements of the view. Associations that `*` selects are left out
 * when the view lacks what their condition needs; for those selected by name it is a mistake.
 *
 * @param columns the columns of a view, whose elements are changed
 * @param scope the scope of its query
 * @returns those that are elements of the view
 */
export function renamePaths(columns: readonly ViewColumn[], scope: ViewScope): ViewColumn[] {
  const byPath = new Map<string, string>();
  for (const column of columns) {
    const path = column.path?.join(".");
    if (path && (!byPath.has(path) || column.name === path)) byPath.set(path, column.name);
  }
  for (const column of columns) renameConstraint(column, { byPath, scope });
  return columns.filter((column) => renameCondition(column, { byPath, scope }));
}

/** A constraint that an element has inherited names elements of the source, which may have other names here. */
function renameConstraint({ element, path, source }: ViewColumn, { byPath, scope }: Renaming): void {
  const given = element[CONSTRAINT];
  if (!given || typeof given !== "object" || !source || !path) return;
  const found = resolvePath({ ...scope, sources: [source] }, path);
  if (!("element" in found) || found.element[CONSTRAINT] !== given) return;
  const [renamed] = mapRefs([given as Xo], (ref) => {
    const steps = (ref as readonly RefStep[]).map(stepName); // expressions hold paths
    const skip = steps[0] === "$self" && steps.length > 1 ? 1 : 0;
    if (skip === 0 && steps[0]!.startsWith("$")) return ref;
    return newPath(ref.slice(skip), { steps: steps.slice(skip), byPath, scope }) ?? ref;
  });
  element[CONSTRAINT] = renamed;
}

const CONSTRAINT = "@assert";

interface Renaming {
  readonly byPath: ReadonlyMap<string, string>;
  readonly scope: ViewScope;
}

function renameCondition(column: ViewColumn, { byPath, scope }: Renaming): boolean {
  const { on } = column.element;
  if (!on) return true;
  let lacking: string | undefined;
  column.element.on = mapRefs(on, (ref) => {
    const steps = (ref as readonly string[]).map(stepName); // paths hold steps only
    if (steps[0] === column.name) return ref;
    if (steps[0] === "$projection") return ["$self", ...ref.slice(1)];
    if (column.declared) return ref;
    // `$self` of a source means the source, of a mixin the view.
    const skip = steps[0] === "$self" && steps.length > 1 && column.source ? 1 : 0;
    const path = steps.slice(skip);
    if (path[0].startsWith("$") || !("path" in resolvePath(scope, path))) return ref;
    const renamed = newPath(ref.slice(skip), { steps: path, byPath, scope });
    if (!renamed) lacking ??= path.join(".");
    return renamed ?? ref;
  });
  if (lacking === undefined) return true;
  if (!column.wildcard && !column.hasCondition) refuse(column, lacking, scope);
  return !column.wildcard;
}

/** Nobody follows the associations of what is no entity. */
function refuse({ name, element }: ViewColumn, lacking: string, { draft, view }: ViewScope): void {
  if (draft.definitions[view].kind !== "entity") return;
  const message =
    `Association "${name}" of "${view}" needs element "${lacking}" of its source, which "${view}" does not select`;
  draft.problems.catch(modelError(message, element, draft.definitions[view]));
}

function newPath(
  ref: readonly unknown[],
  at: {
    readonly steps: readonly string[];
    readonly byPath: ReadonlyMap<string, string>;
    readonly scope: ViewScope;
  },
): readonly unknown[] | undefined {
  const alias = at.scope.sources.some((source) => source.alias === at.steps[0]) && !at.byPath.has(at.steps[0])
    ? 1
    : 0;
  for (const path = at.steps.slice(alias); path.length; path.pop()) {
    const name = at.byPath.get(path.join("."));
    if (name !== undefined) return [name, ...ref.slice(alias + path.length)];
  }
  return undefined;
}

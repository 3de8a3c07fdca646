/**
 * Signatures of views and projections: elements, keys and annotations (csn-cqn 6, 11).
 *
 * @module
 */

import type { SelectBody, SelectQuery, SetQuery, Source } from "../../cqn/cqn.ts";
import { walkQuery } from "../../cqn/walk.ts";
import { adaptAssociation, isInheritedByViews } from "./view_associations.ts";
import { applyAnnotations } from "./apply_extensions.ts";
import {
  assertChain,
  copyOperation,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  inheritAnnotations,
  isView,
  modelError,
  type SelectedNames,
} from "./draft.ts";
import { findElement, structureOf } from "./element_path.ts";
import { followed, startsOf } from "./followed_paths.ts";
import { checkQuery, type QueryScopes } from "./check_query.ts";
import { renamedSearch, type ViewColumn, viewColumns } from "./view_columns.ts";
import { renamePaths } from "./rename_paths.ts";
import { scopeOf, type ViewScope } from "./view_scope.ts";
import { stepName } from "../../cqn/steps.ts";

interface ViewState {
  readonly draft: Draft;
  readonly done: Set<string>;
  readonly open: Set<string>;
  /** Views whose signature could not be computed. */
  readonly broken: Set<string>;
  /** Views that read broken ones: what is wrong with them follows from that. */
  readonly tainted: Set<string>;
  /** Look at the names in queries of a view, which may lead to any other one. */
  readonly checks: (readonly [view: string, check: () => void])[];
}

/**
 * Computes the signatures of all views, each after its sources. Views that come with their complete signature keep it.
 *
 * @param draft the model
 * @param names the views to look at; default all
 * @throws {ConfigurationError} for unknown sources and columns, and for cyclic views
 */
export function inferViews(draft: Draft, names: readonly string[] = Object.keys(draft.definitions)): void {
  const state: ViewState = {
    draft,
    done: new Set(),
    open: new Set(),
    broken: new Set(),
    tainted: new Set(),
    checks: [],
  };
  for (const name of names) ensureSignature(state, name);
  // those of subqueries are added meanwhile
  for (const [view, check] of state.checks) attempt(state, view, check);
}

/** Takes a step of a view; mistakes that follow from those of its sources are not told. */
function attempt(state: ViewState, view: string, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (!state.tainted.has(view)) state.draft.problems.catch(error);
    return false;
  }
}

/** Makes sure that the signature of a view is known before another one reads it. */
function ensureSource(state: ViewState, name: string): void {
  ensureSignature(state, name);
  const reader = [...state.open].at(-1);
  if (reader !== undefined && state.broken.has(name)) state.tainted.add(reader);
}

function ensureSignature(state: ViewState, name: string): void {
  const definition = state.draft.definitions[name];
  if (!definition || state.done.has(name) || !isView(definition)) return;
  if (state.open.has(name)) throw modelError(`Cyclic view "${name}"`, definition);
  assertChain(state.open, definition);
  state.open.add(name);
  const isInferred = attempt(state, name, () => hasSignature(definition) || infer(state, name, definition));
  if (!isInferred) state.broken.add(name);
  state.open.delete(name);
  state.done.add(name);
}

/** Elements that come with a type were computed before; elements without only carry annotations. */
function hasSignature(definition: DraftDefinition): boolean {
  const elements = Object.values(definition.elements ?? {});
  return elements.length > 0 &&
    elements.every((element) =>
      element.type !== undefined || element.elements !== undefined || element.items !== undefined ||
      element.target !== undefined || "@Core.Computed" in element
    );
}

function infer(state: ViewState, name: string, definition: DraftDefinition): void {
  const query: SelectQuery | SetQuery = definition.projection
    ? { SELECT: definition.projection }
    : definition.query!; // isView
  const given = definition.elements;
  const { columns: selected, scope } = columnsOfQuery(state, query, { view: name });
  const union = "SET" in query;
  const columns = union ? selected : renamePaths(selected, scope);
  if (definition.kind === "entity" && !union) inheritKeys(columns, scope);
  definition.elements = emptyRecord();
  for (const column of columns) {
    if (definition.kind !== "entity") delete column.element.key;
    definition.elements[column.name] = column.element;
  }
  state.draft.selected.set(name, selectedNames(columns));
  adaptRedirected(state, { name, definition }, columns);
  const [first] = scope.sources;
  if (first?.entity) {
    const own = columns.filter(({ source }) => source === undefined || source === first);
    inheritAnnotations(
      definition,
      renamedSearch(state.draft.definitions[first.entity], own),
      (key, value) => !isInheritedByViews(key, value),
    );
    if (definition.kind === "entity" && !union && scope.single) {
      inheritOperations(
        { name, definition },
        { name: first.entity, draft: state.draft },
        query.SELECT.excluding,
      );
    }
  }
  for (const [key, element] of Object.entries(given ?? {})) {
    const target = definition.elements[key];
    if (target) Object.assign(target, element);
  }
  applyAnnotations(state.draft, name);
}

/** Rows of a projection are rows of its source, which have the same bound operations; they return rows of the projection. */
function inheritOperations(
  view: { readonly name: string; readonly definition: DraftDefinition },
  source: { readonly name: string; readonly draft: Draft },
  excluding: readonly string[] = [],
): void {
  const { definition } = view;
  for (const [name, operation] of Object.entries(source.draft.definitions[source.name].actions ?? {})) {
    if (excluding.includes(name) || definition.actions?.[name]) continue;
    const copy = copyOperation(operation);
    for (const returned of [copy.returns, copy.returns?.items]) {
      if (returned?.type === source.name) returned.type = view.name;
    }
    (definition.actions ??= emptyRecord())[name] = copy;
  }
}

/** The names of the new target count for `redirected to`. Targets that depend on this view are taken as they are. */
function adaptRedirected(
  state: ViewState,
  at: { readonly name: string; readonly definition: DraftDefinition },
  columns: readonly ViewColumn[],
): void {
  for (const { name: key, element, redirectedFrom } of columns) {
    if (redirectedFrom === undefined || typeof element.target !== "string") continue;
    if (!state.draft.definitions[element.target]) continue; // reported as unknown target later
    if (!state.open.has(element.target)) ensureSource(state, element.target);
    adaptAssociation(state.draft, { key, element, at }, redirectedFrom);
  }
}

interface QueryPlace {
  readonly view: string;
  /** The query around a subquery. */
  readonly outer?: QueryScopes;
}

function columnsOfQuery(
  state: ViewState,
  query: SelectQuery | SetQuery,
  at: QueryPlace,
): { readonly columns: ViewColumn[]; readonly scope: ViewScope } {
  if ("SET" in query) {
    const [first, ...others] = query.SET.args.map((arg) => columnsOfQuery(state, arg, at));
    for (const { columns } of others) assertSameNumber(state, { first: first.columns, columns }, at.view);
    return first;
  }
  const select = query.SELECT;
  ensureSources(state, select.from);
  ensurePaths(state, select);
  walkQuery({ SELECT: select }, (inner) => {
    if ("SELECT" in inner || "SET" in inner) ensureSubquery(state, inner);
  });
  const scope = scopeOf(state.draft, select, {
    view: at.view,
    queryElements: (source) => queryElements(state, source, at),
  });
  const columns = viewColumns(scope, select);
  const outputs = new Set(columns.map(({ name }) => name));
  const values = new Set(
    columns.filter(({ element }) => (element.target === undefined || element.keys) && !element.virtual)
      .map(({ name }) => name),
  );
  const check = () =>
    checkQuery(select, { scope, outer: at.outer, outputs, values }, (subquery, outer) => {
      columnsOfQuery(state, withNames(subquery), { view: at.view, outer });
    });
  state.checks.push([at.view, check]);
  return { columns, scope };
}

/** Columns of subqueries in expressions need no names. */
function withNames(query: SelectQuery | SetQuery): SelectQuery | SetQuery {
  if ("SET" in query) return { SET: { ...query.SET, args: query.SET.args.map(withNames) } };
  const columns = query.SELECT.columns?.map((column, index) =>
    column === "*" || column.as !== undefined || "ref" in column || "func" in column
      ? column
      : { ...column, as: `column ${index + 1}` }
  );
  return { SELECT: { ...query.SELECT, ...(columns && { columns }) } };
}

/** Structures and associations count as several columns or none, so queries with them are left to the database. */
function assertSameNumber(
  state: ViewState,
  { first, columns }: { readonly first: readonly ViewColumn[]; readonly columns: readonly ViewColumn[] },
  view: string,
): void {
  const isPlain = ({ element }: ViewColumn) =>
    element.target === undefined && element.type !== undefined &&
    structureOf(state.draft, element) === undefined;
  if (first.length === columns.length || ![...first, ...columns].every(isPlain)) return;
  const message = `The queries that "${view}" combines have ${first.length} and ${columns.length} columns`;
  throw modelError(`${message}, expected the same number`, state.draft.definitions[view]);
}

function queryElements(state: ViewState, source: Source, at: QueryPlace): DraftElements {
  const elements = emptyRecord<DraftElement>();
  if (!("SELECT" in source) && !("SET" in source)) return elements;
  const { columns, scope } = columnsOfQuery(state, source, at);
  if ("SELECT" in source) inheritKeys(columns, scope);
  for (const column of columns) elements[column.name] = column.element;
  return elements;
}

function ensureSources(state: ViewState, source: Source): void {
  if ("join" in source) { for (const arg of source.args) ensureSources(state, arg); }
  else if ("ref" in source) {
    const steps = source.ref.map(stepName);
    ensureSource(state, steps[0]);
    ensureTargets(state, steps);
  }
}

/** What a subquery reads, its view reads, too. */
function ensureSubquery(state: ViewState, query: SelectQuery | SetQuery): void {
  if ("SET" in query) { for (const arg of query.SET.args) ensureSubquery(state, arg); }
  else ensureSources(state, query.SELECT.from);
}

/** Views that paths of columns run along have to be complete too. */
function ensurePaths(state: ViewState, select: SelectBody): void {
  const { columns = [], mixin = {} } = select;
  const starts = [...startsOf(select.from)];
  for (const path of followed(columns)) {
    const { target } = (mixin[path[0]] ?? {}) as DraftElement; // mixins are elements
    if (typeof target === "string") {
      if (!state.open.has(target)) ensureSource(state, target);
      ensureTargets(state, [target, ...path.slice(1)]);
    }
    for (const start of starts) {
      ensureTargets(state, [...start, ...path]);
      ensureTargets(state, [...start, ...path.slice(1)]); // behind an alias
    }
  }
}

function ensureTargets(state: ViewState, path: readonly string[]): void {
  for (let length = 2; length <= path.length; length++) {
    const found = findElement(state.draft, path.slice(0, length));
    if ("missing" in found) return;
    const { target } = found.element;
    if (typeof target === "string" && !state.open.has(target)) ensureSource(state, target);
  }
}

/** Keys come along if all are selected, nothing multiplies the rows, and no column says `key` itself. */
function inheritKeys(columns: readonly ViewColumn[], scope: ViewScope): void {
  for (const column of columns) if (column.explicitKey) column.element.key = true;
  if (columns.some((column) => column.explicitKey || column.toMany)) return;
  if (scope.sources.some((source) => source.toMany)) return;
  const keys: ViewColumn[] = [];
  for (const source of scope.sources) {
    const names = Object.entries(source.elements).filter(([, element]) => element.key).map(([key]) => key);
    if (names.length === 0) return;
    for (const key of names) {
      const column = columns.find((item) =>
        item.source === source && item.path?.length === 1 && item.path[0] === key
      );
      if (!column) return;
      keys.push(column);
    }
  }
  for (const column of keys) column.element.key = true;
}

/** The names that elements of each source have in the view; of an entity that is there twice, the first counts. */
function selectedNames(columns: readonly ViewColumn[]): SelectedNames {
  const bySource = new Map<string, { readonly source: ViewColumn["source"]; names: Map<string, string> }>();
  for (const { path, name, source } of columns) {
    if (path?.length !== 1) continue;
    const entity = source?.entity ?? "";
    const found = bySource.get(entity) ?? { source, names: new Map<string, string>() };
    if (found.source !== source) continue;
    bySource.set(entity, found);
    // Of several columns for one element the one with its own name counts, else the first.
    if (!found.names.has(path[0]) || name === path[0]) found.names.set(path[0], name);
  }
  return new Map([...bySource].map(([entity, { names }]) => [entity, names]));
}

import type {
  CastType,
  Column,
  Expression,
  NestedColumn,
  RefExpression,
  RefStep,
  SelectBody,
} from "../../cqn/cqn.ts";
import { isNamedOnly } from "../../cqn/named_only.ts";
import { PSEUDO_VARIABLES, stepName } from "../../cqn/steps.ts";
import { annotationsOf } from "../annotations_of.ts";
import {
  copyElement,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  isToMany,
  modelError,
} from "./draft.ts";
import { findInElements } from "./element_path.ts";
import { expressionType } from "./resolve_types.ts";
import { publishAssociation, relocateCondition, type Relocation } from "./view_associations.ts";
import {
  hasUnknownSource,
  innerScope,
  type ResolvedPath,
  resolvePath,
  type ScopeSource,
  type ViewScope,
} from "./view_scope.ts";

/** An element of a view and where it comes from. */
export interface ViewColumn {
  readonly name: string;
  readonly element: DraftElement;
  /** Steps from the source when the column selects an element as it is. */
  readonly path?: readonly string[];
  readonly source?: ScopeSource;
  /** The column asks for `key` itself. */
  readonly explicitKey: boolean;
  /** Its path runs along a to-many association. */
  readonly toMany: boolean;
  /** Selected by `*`. */
  readonly wildcard?: boolean;
  /** Its name is an alias, which stands alone in `inline`. */
  readonly aliased?: boolean;
  /** The target before `redirected to`. */
  readonly redirectedFrom?: string;
  /** The column gives the association a condition of its own. */
  readonly hasCondition?: boolean;
  /** An association that the list itself declares: its condition is about elements of the view. */
  readonly declared?: boolean;
}

/**
 * The columns of a SELECT in order, `*` expanded.
 *
 * @param given the scope of the query
 * @param select the query
 * @throws {ConfigurationError} for unknown elements, missing and duplicate names
 */
export function viewColumns(given: ViewScope, select: SelectBody): ViewColumn[] {
  const columns = select.columns ?? ["*" as const];
  const scope = withColumns(given, columns);
  const result = new Map<string, ViewColumn>();
  const explicit = new Set<string>();
  const mistakes: unknown[] = [];
  for (const column of columns) {
    if (column === "*") {
      for (const item of wildcard(scope, select.excluding ?? [])) {
        if (!result.has(item.name)) result.set(item.name, item);
      }
      continue;
    }
    try {
      for (const item of columnsOf(scope, column)) {
        assertNew(scope, column, explicit.has(item.name) ? item.name : undefined);
        explicit.add(item.name);
        // A column of the same name takes the place of the one from `*`.
        result.set(item.name, item);
      }
    } catch (error) {
      mistakes.push(error);
    }
  }
  if (mistakes.length > 0) {
    if (!hasUnknownSource(scope)) { for (const mistake of mistakes) scope.draft.problems.catch(mistake); }
    throw mistakes[0];
  }
  return [...result.values()];
}

function assertNew(scope: ViewScope, column: Exclude<Column, "*">, taken: string | undefined): void {
  if (taken === undefined) return;
  throw modelError(`Duplicate column "${taken}" in "${scope.view}"`, column as DraftElement, viewOf(scope));
}

/** `$self.name` and `$projection.name` are columns of the list, whose elements are found when they are needed. */
function withColumns(scope: ViewScope, columns: readonly Column[]): ViewScope {
  const known = new Map<string, DraftElement | undefined>();
  const result: ViewScope = {
    ...scope,
    column: (name) => {
      if (known.has(name)) return known.get(name);
      known.set(name, undefined); // a column does not refer to itself
      // an inlined path is no column, but what it leads to is several
      const column = columns.find((one): one is Exclude<Column, "*"> =>
        one !== "*" && !("inline" in one) && columnName(one) === name
      );
      const element = column && columnsOf(result, column)[0]?.element;
      known.set(name, element);
      return element;
    },
  };
  return result;
}

function viewOf(scope: ViewScope): DraftElement | undefined {
  return scope.draft.definitions[scope.view];
}

function* wildcard(scope: ViewScope, excluding: readonly string[]): Iterable<ViewColumn> {
  for (const source of scope.sources) {
    for (const [name, element] of Object.entries(source.elements)) {
      if (excluding.includes(name)) continue;
      yield {
        name,
        element: selectedCopy(element, true),
        path: [name],
        source,
        explicitKey: false,
        toMany: false,
        wildcard: true,
      };
    }
  }
}

/** A copy of a source element as view element: keys are decided later, expressions belong to the source. */
function selectedCopy(element: DraftElement, direct: boolean): DraftElement {
  const copy = copyElement(element);
  delete copy.key;
  delete copy.value;
  if (!direct) {
    delete copy.notNull;
    delete copy.default;
  }
  return copy;
}

/**
 * The name of a column: its alias, or the last step of its path, or the name of its function.
 *
 * @param column any column but `*`
 */
function columnName(column: Exclude<Column, "*">): string | undefined {
  if (column.as !== undefined) return column.as;
  const ref = pathOf(column);
  if (ref) return ref.map(stepName).pop();
  if ("func" in column) return column.func;
  return undefined;
}

function pathOf(column: Exclude<Column, "*">): readonly RefStep[] | undefined {
  return "ref" in column ? column.ref : undefined;
}

function columnsOf(scope: ViewScope, column: Exclude<Column, "*">): ViewColumn[] {
  if ("inline" in column && column.inline) return inlined(scope, column);
  const name = columnName(column);
  if (name === undefined) {
    throw modelError(
      `A column of "${scope.view}" is an expression without name, expected "as <name>"`,
      column as DraftElement,
      viewOf(scope),
    );
  }
  if (column.cast && "default" in column.cast && !column.virtual) {
    const message = `Column "${name}" of "${scope.view}" has a default, which only virtual columns may have`;
    throw modelError(message, column as DraftElement, viewOf(scope));
  }
  const { param } = column as Partial<RefExpression>; // other columns have none
  const item = pathOf(column) && !param
    ? pathColumn(scope, column as NestedColumn, name)
    : expressionColumn(scope, column, name);
  return [{ ...item, element: decorated(item.element, column), aliased: column.as !== undefined }];
}

/** Annotations and `virtual` of the column itself. */
function decorated(element: DraftElement, column: Exclude<Column, "*">): DraftElement {
  if (column.virtual) element.virtual = true;
  if (column.key) element.key = true;
  for (const [key, value] of annotationsOf(column)) (element as Record<string, unknown>)[key] = value;
  if ("doc" in column && typeof column.doc === "string") element.doc = column.doc;
  return element;
}

function pathColumn(scope: ViewScope, column: NestedColumn, name: string): ViewColumn {
  const ref = column.ref!; // the caller has checked it
  const steps = ref.map(stepName);
  if (column.virtual && column.cast) return { ...plain(name), element: castElement(column.cast) };
  const isOwn = steps[0] === "$self" || steps[0] === "$projection";
  if (PSEUDO_VARIABLES.has(steps[0]) || steps[0] === "$parameters") {
    return expressionColumn(scope, column, name);
  }
  if (isOwn && steps.length > 1 && scope.column?.(steps[1])) return ownColumn(scope, column, name);
  const found = resolvePath(scope, isOwn && steps.length > 1 ? steps.slice(1) : steps);
  if ("missing" in found) {
    if (column.virtual) return { ...plain(name), element: { virtual: true } };
    if (declaresAssociation(column)) return declaredColumn(column, name);
    const message = `Unknown column "${steps.join(".")}" in "${scope.view}": ${found.missing}`;
    throw modelError(message, column as DraftElement, viewOf(scope));
  }
  const direct = found.associations.length === 0;
  const base = {
    ...plain(name),
    explicitKey: column.key === true,
    toMany: found.associations.some(isToMany),
    source: found.source,
  };
  if (column.expand) return { ...base, element: expanded(scope, column, found.element) };
  const filtered = typeof ref[ref.length - 1] !== "string";
  const path = direct && !filtered ? found.path : undefined;
  if (found.element.target !== undefined) {
    return {
      ...base,
      path,
      ...published(scope, column, { found, name, copy: selectedCopy(found.element, direct) }),
    };
  }
  if (column.cast?.type) return { ...base, path, element: castElement(column.cast) };
  return { ...base, path, element: selectedCopy(found.element, direct) };
}

/** A selected association: its element, and its target before it is redirected. */
function published(
  scope: ViewScope,
  column: NestedColumn,
  { found, name, copy }: { readonly found: ResolvedPath; readonly name: string; readonly copy: DraftElement },
): Pick<ViewColumn, "element" | "redirectedFrom" | "hasCondition"> {
  relocateCondition(scope.draft, copy, { ...declaration(scope, found), to: name });
  const element = publishAssociation(copy, { column, name, path: found.path });
  const { target } = found.element;
  const redirected = column.cast as DraftElement | undefined; // a cast has the properties of a type expression
  const redirectedFrom = redirected?.target && !redirected.on && typeof target === "string"
    ? target
    : undefined;
  return { element, redirectedFrom, hasCondition: redirected?.on !== undefined };
}

/**
 * A name with target and condition: `reviews : Association to many Reviews on reviews.book = $self`. The name is the path, or
 * the alias of a column without expression.
 */
function declaresAssociation(column: Exclude<Column, "*">): column is DeclaringColumn {
  const type = column.cast as DraftElement | undefined; // a cast has the properties of a type expression
  return typeof type?.target === "string" && type.on !== undefined &&
    ("ref" in column ? column.ref?.length === 1 : isNamedOnly(column));
}

type DeclaringColumn = Exclude<Column, "*"> & { readonly cast: CastType };

function declaredColumn({ cast }: DeclaringColumn, name: string): ViewColumn {
  return { ...plain(name), element: castElement(cast), declared: true };
}

/** The path of an element in the entity that declares it, and the associations that lead there. */
function declaration(scope: ViewScope, { path, source }: ResolvedPath): Pick<Relocation, "from" | "along"> {
  const [first] = path;
  const elements = source?.elements ??
    (first in scope.mixin ? scope.mixin : { [first]: scope.column!(first)! }); // paths start nowhere else
  for (let length = path.length - 1; length > 0; length--) {
    const found = findInElements(scope.draft, elements, path.slice(0, length));
    if ("element" in found && found.element.target !== undefined) {
      return { from: path.slice(length), along: path.slice(0, length) };
    }
  }
  return { from: path, along: [] };
}

/** A column that repeats another one of the list. */
function ownColumn(scope: ViewScope, column: NestedColumn, name: string): ViewColumn {
  if (column.cast?.type) return { ...plain(name), element: castElement(column.cast) };
  const found = resolvePath(scope, column.ref!.map(stepName)); // the caller has checked it
  if ("missing" in found) {
    const message = `Unknown column "${
      column.ref!.map(stepName).join(".")
    }" in "${scope.view}": ${found.missing}`;
    throw modelError(message, column as DraftElement, viewOf(scope));
  }
  const base = { ...plain(name), explicitKey: column.key === true };
  const copy = selectedCopy(found.element, false);
  if (copy.target === undefined) return { ...base, element: copy };
  return { ...base, ...published(scope, column, { found, name, copy }) };
}

function plain(name: string): Omit<ViewColumn, "element"> {
  return { name, explicitKey: false, toMany: false };
}

function castElement(cast: CastType): DraftElement {
  return copyElement(cast as DraftElement); // a cast has the properties of a type expression
}

function expressionColumn(scope: ViewScope, column: Exclude<Column, "*">, name: string): ViewColumn {
  if (declaresAssociation(column)) return declaredColumn(column, name);
  const base = { ...plain(name), explicitKey: column.key === true };
  if ("expand" in column && column.expand) {
    return { ...base, element: { elements: nestedElements(scope, column) } };
  }
  const element: DraftElement = column.cast
    ? castElement(column.cast)
    : expressionType(column as Expression, (steps) => {
      const found = resolvePath(scope, steps);
      return "element" in found ? found.element : undefined;
    });
  if (!column.virtual) (element as Record<string, unknown>)["@Core.Computed"] = true;
  return { ...base, element };
}

function expanded(scope: ViewScope, column: NestedColumn, element: DraftElement): DraftElement {
  const elements = nestedElements(innerScope(scope, element), column);
  return element.target !== undefined && isToMany(element) ? { items: { elements } } : { elements };
}

function nestedElements(inner: ViewScope, column: NestedColumn): DraftElements {
  const elements = emptyRecord<DraftElement>();
  const select = { from: { ref: [] }, columns: column.expand ?? column.inline, excluding: column.excluding };
  for (const item of viewColumns(inner, select)) elements[item.name] = item.element;
  return elements;
}

function inlined(scope: ViewScope, column: NestedColumn): ViewColumn[] {
  const steps = (column.ref ?? []).map(stepName);
  const select = { from: { ref: [] }, columns: column.inline, excluding: column.excluding };
  const source = aliasedSource(scope, steps);
  if (source) {
    return viewColumns({ ...scope, sources: [source] }, select).map((item) => ({
      ...item,
      name: item.aliased || column.as === undefined ? item.name : `${column.as}_${item.name}`,
    }));
  }
  const found = resolvePath(scope, steps);
  if ("missing" in found) {
    throw modelError(
      `Unknown column "${steps.join(".")}" in "${scope.view}": ${found.missing}`,
      column as DraftElement,
      viewOf(scope),
    );
  }
  const prefix = column.as ?? steps.filter((step) => !step.startsWith("$")).join("_");
  const toMany = [...found.associations, found.element].some((step) =>
    step.target !== undefined && isToMany(step)
  );
  return viewColumns(innerScope(scope, found.element), select).map((item) => {
    const name = item.aliased ? item.name : `${prefix}_${item.name}`;
    relocateCondition(scope.draft, item.element, { from: [item.name], to: name, along: found.path });
    const aliased = item.aliased || column.as !== undefined;
    const path = item.path && [...found.path, ...item.path];
    return { ...item, name, aliased, path, source: found.source, toMany: toMany || item.toMany };
  });
}

/** The source that a path of one step names, if there is no element of that name. */
function aliasedSource(scope: ViewScope, steps: readonly string[]): ScopeSource | undefined {
  if (steps.length !== 1 || scope.sources.some(({ elements }) => steps[0] in elements)) return undefined;
  return scope.sources.find(({ alias }) => alias === steps[0]);
}

const SEARCH = "@cds.search.";

/**
 * The annotations of a source, those that name searched elements with the names of the view.
 *
 * @param source the source
 * @param columns the columns of the view that are from it
 */
export function renamedSearch(source: DraftDefinition, columns: readonly ViewColumn[]): object {
  const result: Record<string, unknown> = {};
  for (const [key, value] of annotationsOf(source)) {
    const isPath = key.startsWith(SEARCH);
    result[isPath ? SEARCH + nameInView(key.slice(SEARCH.length), columns) : key] = value;
  }
  return result;
}

/** Of several columns that select an element, the one that keeps its name counts. */
function nameInView(path: string, columns: readonly ViewColumn[]): string {
  const steps = path.split(".");
  const found = columns.filter((column) => isPrefix(column.path, steps));
  const column = found.find(({ path, name }) => path!.length === 1 && path![0] === name) ?? found[0];
  return column ? [column.name, ...steps.slice(column.path!.length)].join(".") : path;
}

function isPrefix(path: readonly string[] | undefined, steps: readonly string[]): boolean {
  return path !== undefined && path.length <= steps.length && path.every((step, at) => steps[at] === step);
}

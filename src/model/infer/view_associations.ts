import { functionRow } from "../../algebra/functions.ts";
import type { Column, Expression, NestedColumn, RefStep, SelectBody, Source, Xo } from "../../cqn/cqn.ts";
import { mapRefs, walkExpression } from "../../cqn/walk.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { copyElement, type Draft, type DraftDefinition, type DraftElement, modelError } from "./draft.ts";
import { stepName } from "../../cqn/steps.ts";
import { findInElements, structureOf } from "./element_path.ts";
import { everyOf } from "../../cqn/conjunction.ts";

/** An association and where it is. */
export interface NamedAssociation {
  readonly key: string;
  readonly element: DraftElement;
  readonly at: { readonly name: string; readonly definition: DraftDefinition };
}

/** Longer chains of views are cycles, which are reported elsewhere. */
const MAX_VIEWS = 100;

/**
 * What a view comes from: its source, the source of that, and so on.
 *
 * @param draft the model
 * @param name the view to start with, which is not part of the result
 */
export function viewOrigins(draft: Draft, name: string): string[] {
  const origins: string[] = [];
  let current = primarySource(draft, name);
  while (current !== undefined && origins.length < MAX_VIEWS) {
    origins.push(current);
    current = primarySource(draft, current);
  }
  return origins;
}

/**
 * Whether the rows of a view stand for several rows of its source, or for each of them once.
 *
 * @param draft the model
 * @param name name of the view
 */
export function isAggregating(draft: Draft, name: string): boolean {
  const select = selectOf(draft, name);
  if (!select) return false;
  return select.distinct === true || (select.groupBy?.length ?? 0) > 0 ||
    (select.columns ?? []).some((column) => column !== "*" && aggregates(column));
}

function aggregates(column: Exclude<Column, "*">): boolean {
  let found = false;
  walkExpression(column as Expression | NestedColumn, (expression) => {
    if ("SELECT" in expression || "SET" in expression) return false; // has groups of its own
    found ||= "func" in expression && functionRow(expression.func)?.aggregates === true && !expression.xpr;
    return !found;
  });
  return found;
}

/** A view on the way to an original entity, and which of its sources leads there. */
interface ViewStep {
  readonly view: string;
  readonly source: string;
}

/** The views from a name down to the original entity, joined sources included; undefined if none leads there. */
function viewChain(
  draft: Draft,
  name: string,
  { original, seen = new Set() }: { readonly original: string; readonly seen?: Set<string> },
): ViewStep[] | undefined {
  if (name === original) return [];
  if (seen.has(name)) return undefined;
  seen.add(name);
  for (const source of sourcesOf(draft, name)) {
    const rest = viewChain(draft, source, { original, seen });
    if (rest) return [{ view: name, source }, ...rest];
  }
  return undefined;
}

function sourcesOf(draft: Draft, name: string): readonly string[] {
  const from = selectOf(draft, name)?.from;
  return from ? entitiesOf(from) : [];
}

function entitiesOf(source: Source): readonly string[] {
  if ("join" in source) return source.args.flatMap(entitiesOf);
  return "ref" in source && source.ref.length === 1 ? source.ref.map(stepName) : [];
}

function selectOf(draft: Draft, name: string): SelectBody | undefined {
  const definition = draft.definitions[name];
  return definition?.projection ??
    (definition?.query && "SELECT" in definition.query ? definition.query.SELECT : undefined);
}

function primarySource(draft: Draft, name: string): string | undefined {
  const select = selectOf(draft, name);
  if (!select || !("ref" in select.from)) return undefined;
  const steps = select.from.ref.map(stepName);
  return steps.length === 1 ? steps[0] : undefined;
}

/**
 * Whether a view has all that an association needs of its target.
 *
 * @param draft the model
 * @param association the association, whose target is the view
 * @param original the target before
 */
export function fitsAssociation(draft: Draft, association: NamedAssociation, original: string): boolean {
  try {
    adaptAssociation(draft, { ...association, element: { ...association.element } }, original);
    return true;
  } catch (error) {
    if (error instanceof ConfigurationError) return false;
    throw error;
  }
}

/**
 * Gives keys and condition of a redirected association the names that the elements have in the new target.
 *
 * @param draft the model; the signature of the new target is known
 * @param association the association, its target set already
 * @param original the target before
 * @throws {ConfigurationError} when the new target does not come from the original, or lacks a needed element
 */
export function adaptAssociation(draft: Draft, association: NamedAssociation, original: string): void {
  const { element, key, at } = association;
  const views = viewChain(draft, element.target as string, { original }); // an exposed target has a name
  if (!views) {
    throw modelError(
      `Association "${key}" of "${at.name}" is redirected to "${element.target}", which does not come from "${original}"`,
      element,
      at.definition,
    );
  }
  const lookup = (name: string) => renamed(draft, name, views);
  const fail = (name: string) =>
    modelError(
      `Association "${key}" of "${at.name}" needs element "${name}" of its target, which "${
        views[0]?.view ?? original
      }" does not select`,
      element,
      at.definition,
    );
  if (element.keys && !element.on) {
    element.keys = element.keys.map((item) => {
      const name = lookup(item.ref[0]);
      if (name === undefined) throw fail(item.ref[0]);
      if (name === item.ref[0]) return item;
      return { ...item, ref: [name, ...item.ref.slice(1)], as: item.as ?? item.ref.join("_") };
    });
  }
  if (element.on) element.on = adaptCondition(element.on, { key, lookup, fail });
}

function adaptCondition(
  on: readonly Xo[],
  by: {
    readonly key: string;
    readonly lookup: (name: string) => string | undefined;
    readonly fail: (name: string) => Error;
  },
): Xo[] {
  return mapRefs(on, (ref) => {
    const steps = (ref as readonly string[]).map(stepName); // paths hold steps only
    if (steps[0] !== by.key || steps.length < 2) return ref;
    const name = by.lookup(steps[1]);
    if (name === undefined) throw by.fail(steps[1]);
    return name === steps[1] ? ref : [ref[0], name, ...ref.slice(2)];
  });
}

function renamed(draft: Draft, name: string, views: readonly ViewStep[]): string | undefined {
  let current: string | undefined = name;
  for (const { view, source } of [...views].reverse()) {
    const selected = draft.selected.get(view);
    if (current === undefined) return undefined;
    // Signatures that came with the model have no record of their columns: names are taken as they are; likewise
    // those of views that are not complete because they depend on this association.
    if (selected) current = selected.get(source)?.get(current);
    else if (draft.definitions[view].elements && !draft.definitions[view].elements[current]) return undefined;
  }
  return current;
}

/** Where an association is selected from, and under which name. */
export interface Relocation {
  /** Its path in the entity that declares it. */
  readonly from: readonly string[];
  /** Its name in the view. */
  readonly to: string;
  /** The path from the source of the view to the entity that declares it. */
  readonly along: readonly string[];
}

/**
 * Puts the condition of an association in terms of another place: paths that start with the association get its new
 * name, all others run along the path to where it was. `$self` there is no row of the view, so the comparison with it
 * is written out.
 *
 * @param draft the model; keys are known
 * @param element the association, which is changed
 * @param relocation where it was and what it is called now
 */
export function relocateCondition(draft: Draft, element: DraftElement, relocation: Relocation): void {
  if (!element.on) return;
  const { from, to, along } = relocation;
  const on = along.length > 0 ? writtenOut(draft, { element, on: element.on }, from) : element.on;
  element.on = mapRefs(on, (ref) => {
    const steps = (ref as readonly RefStep[]).map(stepName); // paths hold steps only
    if (from.every((step, i) => steps[i] === step)) return [to, ...ref.slice(from.length)];
    if (along.length === 0) return ref;
    if (steps[0] === "$self" && steps.length > 1) return [...along, ...ref.slice(1)];
    return steps[0].startsWith("$") ? ref : [...along, ...ref];
  });
}

/** `books.author = $self` as comparison of keys. */
function writtenOut(
  draft: Draft,
  { element, on }: { readonly element: DraftElement; readonly on: readonly Xo[] },
  from: readonly string[],
): Xo[] {
  const result: Xo[] = [];
  for (let i = 0; i < on.length; i++) {
    const token = on[i];
    const path = on[i + 1] === "=" ? backlinkPath(token, on[i + 2]) : undefined;
    const found = path && findInElements(draft, structureOf(draft, element), path.slice(from.length));
    if (found && "element" in found && found.element.keys) {
      const keys = everyOf(found.element.keys, ({ ref }) => [{ ref: [...path, ...ref] }, "=", { ref }]);
      result.push(on.length === 3 ? keys[0] : { xpr: keys }, ...(on.length === 3 ? keys.slice(1) : []));
      i += 2;
    } else if (typeof token === "object" && "xpr" in token && !("func" in token)) {
      result.push({ xpr: writtenOut(draft, { element, on: token.xpr }, from) });
    } else result.push(token);
  }
  return result;
}

/** The path that is compared with `$self`, in either order. */
function backlinkPath(left: Xo, right: Xo | undefined): string[] | undefined {
  const isSelf = (token: Xo | undefined) =>
    typeof token === "object" && "ref" in token && token.ref.length === 1 && token.ref[0] === "$self";
  const other = isSelf(right) ? left : isSelf(left) ? right : undefined;
  return typeof other === "object" && "ref" in other ? other.ref.map(stepName) : undefined;
}

/**
 * The view element of a selected association.
 *
 * @param element a copy of the association, its condition in terms of the view, which is changed
 * @param options the column, its name, and the path of the association in the source
 * @returns the element
 */
export function publishAssociation(
  element: DraftElement,
  options: { readonly column: NestedColumn; readonly name: string; readonly path: readonly string[] },
): DraftElement {
  const { column, name, path } = options;
  const cast = column.cast as DraftElement | undefined; // a cast has the properties of a type expression
  const last = column.ref?.at(-1);
  if (typeof last === "object") applyFilter(element, last, { name, path });
  if (typeof cast?.target !== "string") return element;
  element.target = cast.target;
  if (cast.on) {
    element.on = cast.on;
    delete element.keys;
  } else if (cast.keys) element.keys = copyElement(cast).keys;
  if (cast.cardinality) element.cardinality = cast.cardinality;
  return element;
}

function applyFilter(
  element: DraftElement,
  step: Exclude<RefStep, string>,
  at: { readonly name: string; readonly path: readonly string[] },
): void {
  if (step.cardinality) element.cardinality = { ...element.cardinality, ...step.cardinality };
  if (!step.where) return;
  const condition = element.on ?? managedCondition(element, at);
  const filter = mapRefs(step.where, (ref) => String(ref[0]).startsWith("$") ? ref : [at.name, ...ref]);
  element.on = [{ xpr: condition }, "and", { xpr: filter }];
  delete element.keys;
}

/** The condition of a managed association written out: the foreign keys stay with the original association. */
function managedCondition(
  element: DraftElement,
  at: { readonly name: string; readonly path: readonly string[] },
): Xo[] {
  return everyOf(
    element.keys ?? [],
    ({ ref }) => [{ ref: [at.name, ...ref] }, "=", { ref: [...at.path, ...ref] }],
  );
}

/**
 * They describe the one definition they are written at: its table, its place in a service, its own paths. Restrictions
 * name elements of the entity they are written at; that they hold for views is decided when these are read.
 */
const OWN: ReadonlySet<string> = new Set([
  "@requires",
  "@restrict",
  "@cds.autoexposed",
  "@cds.redirection.target",
  "@cds.persistence.exists",
  "@cds.persistence.name",
  "@cds.persistence.table",
  "@cds.persistence.udf",
  "@cds.persistence.calcview",
  "@fiori.draft.enabled",
  "@odata.singleton",
]);

/**
 * Tells whether a projection inherits an annotation of its source.
 *
 * @param key the annotation
 * @param value its value
 */
export function isInheritedByViews(key: string, value: unknown): boolean {
  if (key === "@cds.persistence.skip") return value === "if-unused";
  return !OWN.has(key) && !key.startsWith("@sql.");
}

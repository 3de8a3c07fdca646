/**
 * Which entities the query of a view reads.
 *
 * @module
 */

import type { RefExpression, SelectBody, SelectQuery, SetQuery, Source } from "../cqn/cqn.ts";
import { walkQuery } from "../cqn/walk.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "./linked.ts";
import { viewQuery } from "./runtime_view.ts";
import { stepName } from "../cqn/steps.ts";

/** What a query reads by name, and by which paths. */
interface Reading {
  readonly view: LinkedEntity;
  /** The first source. */
  first?: LinkedEntity;
  /** What is read beside it, which may be the same entity again. */
  readonly others: Set<LinkedEntity>;
  /** The structures that paths lead to. */
  readonly structures: Set<LinkedElements>;
  readonly paths: (readonly string[])[];
}

const known: WeakMap<LinkedEntity, Reading> = new WeakMap();

/**
 * The entities that a view reads: those of joins, unions and subqueries, and those that paths in columns and conditions
 * lead to. As names may be aliases, a path counts for each entity that it fits to: rather an entity too many than one
 * too few.
 *
 * @param view any entity
 * @returns none for tables
 */
export function entitiesRead(view: LinkedEntity): readonly LinkedEntity[] {
  return [...entitiesOf(readingOf(view))];
}

/**
 * Whether a view reads nothing but the rows of its first source, each with its own columns.
 *
 * @param view any entity
 */
export function readsFirstSourceOnly(view: LinkedEntity): boolean {
  const { first, others } = readingOf(view);
  return first !== undefined && others.size === 0;
}

function entitiesOf({ first, others }: Reading): ReadonlySet<LinkedEntity> {
  return first ? new Set([first, ...others]) : others;
}

function readingOf(view: LinkedEntity): Reading {
  let reading = known.get(view);
  if (reading === undefined) known.set(view, reading = compute(view));
  return reading;
}

function compute(view: LinkedEntity): Reading {
  const query = viewQuery(view);
  const reading: Reading = { view, others: new Set(), structures: new Set(), paths: [] };
  if (!query) return reading;
  collect(query, reading);
  // what a path leads to may be where another one starts: nested columns, infix filters
  for (let count = 0; count !== startsOf(reading).length;) {
    const starts = startsOf(reading);
    count = starts.length;
    for (const path of reading.paths) {
      for (const elements of starts) {
        follow(elements, path, reading);
        follow(elements, path.slice(1), reading); // behind an alias
      }
    }
  }
  return reading;
}

/** The elements that paths may start with. */
function startsOf(reading: Reading): readonly LinkedElements[] {
  return [...[...entitiesOf(reading)].map(({ elements }) => elements), ...reading.structures];
}

function collect(query: SelectQuery | SetQuery, reading: Reading): void {
  if ("SET" in query) return query.SET.args.forEach((arg) => collect(arg, reading));
  collectNames(query.SELECT, reading);
  const columns = new Set<unknown>(query.SELECT.columns);
  walkQuery(query, (expression) => {
    if ("SELECT" in expression || "SET" in expression) {
      collect(expression as SelectQuery | SetQuery, reading);
      return false;
    }
    const { ref } = expression as Partial<RefExpression>;
    if (!ref) return;
    // an association that is a column is there to be followed by others
    const isColumn = columns.has(expression) && !("expand" in expression) && !("inline" in expression);
    reading.paths.push(ref.slice(0, isColumn ? -1 : undefined).map(stepName));
  });
}

function collectNames({ from, mixin = {} }: SelectBody, reading: Reading): void {
  collectSource(from, reading);
  for (const association of Object.values(mixin)) {
    const { target } = association as { readonly target?: unknown };
    if (typeof target === "string") add(target, reading);
  }
}

/** Subqueries and the steps behind entities come with the expressions. */
function collectSource(source: Source, reading: Reading): void {
  if ("join" in source) { for (const arg of source.args) collectSource(arg, reading); }
  else if ("ref" in source) add(stepName(source.ref[0]!), reading);
}

function add(name: string, reading: Reading): void {
  const entity = reading.view.$entityNamed(name);
  if (entity && reading.first) reading.others.add(entity);
  else if (entity) reading.first = entity;
}

/** Adds the entities and structures along a path, its end included. */
function follow(start: LinkedElements, path: readonly string[], { others, structures }: Reading): void {
  let elements: LinkedElements | undefined = start;
  for (const name of path) {
    const element: LinkedElement | undefined = elements?.[name];
    if (!element) return;
    if (element.$target) others.add(element.$target);
    else if (element.$type.elements) structures.add(element.$type.elements);
    elements = element.$target?.elements ?? element.$type.elements;
  }
}

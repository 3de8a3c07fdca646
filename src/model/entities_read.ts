/**
 * Which entities the query of a view reads.
 *
 * @module
 */

import type { RefStep, SelectBody, SelectQuery, SetQuery, Source } from "../cqn/cqn.ts";
import { walkQuery } from "../cqn/walk.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "./linked.ts";
import { viewQuery } from "./view_query.ts";

/** What a query reads by name, and by which paths. */
interface Reading {
  readonly view: LinkedEntity;
  readonly entities: Set<LinkedEntity>;
  readonly paths: (readonly string[])[];
}

const known: WeakMap<LinkedEntity, readonly LinkedEntity[]> = new WeakMap();

/**
 * The entities that a view reads: those of joins, unions and subqueries, and those that paths in columns and conditions
 * lead to. As names may be aliases, a path counts for each entity that it fits to: rather an entity too many than one
 * too few.
 *
 * @param view any entity
 * @returns none for tables
 */
export function entitiesRead(view: LinkedEntity): readonly LinkedEntity[] {
  let entities = known.get(view);
  if (entities === undefined) known.set(view, entities = [...compute(view)]);
  return entities;
}

function compute(view: LinkedEntity): ReadonlySet<LinkedEntity> {
  const query = viewQuery(view);
  const reading: Reading = { view, entities: new Set(), paths: [] };
  if (!query) return reading.entities;
  collect(query, reading);
  // what a path leads to may be where another one starts: nested columns, infix filters
  for (let size = -1; size !== reading.entities.size;) {
    size = reading.entities.size;
    for (const path of reading.paths) {
      for (const entity of [...reading.entities]) {
        follow(entity, path, reading);
        follow(entity, path.slice(1), reading); // behind an alias
      }
    }
  }
  return reading.entities;
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
    if (!("ref" in expression) || !expression.ref) return;
    // an association that is a column is there to be followed by others
    const isColumn = columns.has(expression) && !("expand" in expression) && !("inline" in expression);
    reading.paths.push(expression.ref.slice(0, isColumn ? -1 : undefined).map(nameOf));
  });
}

function collectNames({ from, mixin = {} }: SelectBody, reading: Reading): void {
  collectSource(from, reading);
  for (const association of Object.values(mixin)) {
    const { target } = association as { readonly target?: unknown };
    if (typeof target === "string") add(target, reading);
  }
}

/** Subqueries come with the expressions. */
function collectSource(source: Source, reading: Reading): void {
  if ("join" in source) { for (const arg of source.args) collectSource(arg, reading); }
  else if ("ref" in source) {
    const [name, ...path] = source.ref.map(nameOf);
    const entity = add(name!, reading);
    if (entity) follow(entity, path, reading);
  }
}

function add(name: string, { view, entities }: Reading): LinkedEntity | undefined {
  const entity = view.$entityNamed(name);
  if (entity) entities.add(entity);
  return entity;
}

/** Adds the entities along a path, its end included. */
function follow(start: LinkedEntity, path: readonly string[], { entities }: Reading): void {
  let elements: LinkedElements | undefined = start.elements;
  for (const name of path) {
    const element: LinkedElement | undefined = elements?.[name];
    if (!element) return;
    if (element.$target) entities.add(element.$target);
    elements = element.$target?.elements ?? element.$type.elements;
  }
}

function nameOf(step: RefStep): string {
  return typeof step === "string" ? step : step.id;
}

import type { LinkedElements, LinkedEntity } from "./linked.ts";
import type { SelectQuery, SetQuery, Source } from "../cqn/cqn.ts";
import type { Csn, CsnDefinition, CsnElement } from "./csn.ts";
import { stepName } from "../cqn/steps.ts";

const known: WeakMap<LinkedEntity, boolean> = new WeakMap();

/**
 * Whether an entity is a view that has `@cds.persistence.skip` and reads what is in the database: its query takes its
 * place wherever it is read.
 *
 * @param entity any entity
 */
export function isRuntimeView(entity: LinkedEntity): boolean {
  const skip = entity["@cds.persistence.skip"];
  if (skip !== true && skip !== BY_QUERY) return false;
  let result = known.get(entity);
  if (result === undefined) {
    known.set(entity, false); // a view does not read itself
    const query = viewQuery(entity);
    result = query !== undefined && sourcesRead(query).every((name) => {
      const source = entity.$entityNamed(name);
      return source !== undefined && hasStoredRows(source);
    });
    known.set(entity, result);
  }
  return result;
}

/**
 * Whether the database has the rows of an entity, under its name or by its query.
 *
 * @param entity any entity
 */
export function hasStoredRows(entity: LinkedEntity): boolean {
  return entity["@cds.persistence.skip"] !== true || isRuntimeView(entity);
}

/**
 * The query of a view or projection.
 *
 * @param entity any entity
 * @returns undefined for tables
 */
export function viewQuery(entity: LinkedEntity): SelectQuery | SetQuery | undefined {
  return entity.$select ? { SELECT: entity.$select } : entity.query;
}

/** A view with parameters. */
export type ViewWithParameters = LinkedEntity & { readonly params: LinkedElements };

/**
 * Whether an entity is a view with parameters: what it holds depends on their values, which all paths to it name.
 *
 * @param entity the entity
 */
export function hasParameters(entity: LinkedEntity): entity is ViewWithParameters {
  return entity.params !== undefined;
}

/**
 * A model in which entities that would be tables without columns, and views on entities with `@cds.persistence.skip`, have
 * that annotation as well: they, or what they read, are not in the database, so handlers answer for them.
 *
 * @param csn an inferred model; it is not changed
 */
export function skipElsewhere(csn: Csn): Csn {
  const isElsewhere = decided(csn, (definition, isBelow) => {
    if (definition?.kind !== "entity") return false;
    const read = sourcesOf(definition);
    return isSkipped(definition) || read.some(isBelow) ||
      (read.length === 0 && !Object.values(definition.elements ?? {}).some(hasColumn));
  });
  const skipped = (name: string, definition: CsnDefinition) =>
    definition.kind === "entity" && !isSkipped(definition) && isElsewhere(name);
  return withSkip(csn, skipped, true);
}

/**
 * A model in which views with `@cds.persistence.skip` are served by their query, where the database has what they read.
 *
 * @param csn an inferred model; it is not changed
 */
export function serveRuntimeViews(csn: Csn): Csn {
  const isStored = decided(csn, (definition, isBelow) => {
    const read = definition === undefined ? [] : sourcesOf(definition);
    if (read.length > 0) return read.every(isBelow);
    return definition?.kind === "entity" && !isSkipped(definition);
  });
  return withSkip(csn, (name, definition) => isSkipped(definition) && isStored(name), BY_QUERY);
}

/** Whether a table can be made of an element: not where it is virtual, calculated, or finds other rows. */
function hasColumn({ virtual, value, on, elements }: CsnElement): boolean {
  if (virtual || value || on) return false;
  return elements === undefined || Object.values(elements).some(hasColumn);
}

function isSkipped(definition: CsnDefinition): boolean {
  return definition["@cds.persistence.skip"] === true;
}

/** Decides about definitions by what they read, each once. */
function decided(
  { definitions = {} }: Csn,
  decide: (definition: CsnDefinition | undefined, isBelow: (name: string) => boolean) => boolean,
): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return function is(name: string): boolean {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, false); // a circle is found when the model is inferred
    const result = decide(Object.hasOwn(definitions, name) ? definitions[name] : undefined, is);
    known.set(name, result);
    return result;
  };
}

/** The model itself where no definition changes. */
function withSkip(
  csn: Csn,
  isChanged: (name: string, definition: CsnDefinition) => boolean,
  skip: true | typeof BY_QUERY,
): Csn {
  const definitions = csn.definitions ?? {};
  const changed = Object.entries(definitions).filter((entry) => isChanged(...entry))
    .map(([name, definition]) => [name, { ...definition, "@cds.persistence.skip": skip }] as const);
  return changed.length === 0
    ? csn
    : { ...csn, definitions: { ...definitions, ...Object.fromEntries(changed) } };
}

/** What `@cds.persistence.skip` says of views that services read and write by their query. */
const BY_QUERY = "by-query";

function sourcesOf({ query, projection }: CsnDefinition): readonly string[] {
  return [...query ? sourcesRead(query) : [], ...projection ? namesIn(projection.from) : []];
}

/**
 * The entities that a query reads by name; those of paths and of subqueries in conditions are left out.
 *
 * @param query the query of a view
 */
function sourcesRead(query: SelectQuery | SetQuery): readonly string[] {
  return "SET" in query ? query.SET.args.flatMap(sourcesRead) : namesIn(query.SELECT.from);
}

function namesIn(source: Source): readonly string[] {
  if ("join" in source) return source.args.flatMap(namesIn);
  if (!("ref" in source)) return sourcesRead(source);
  const [root] = source.ref;
  return [stepName(root)];
}

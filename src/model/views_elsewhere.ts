/**
 * Views on entities that are in no database.
 *
 * @module
 */

import type { SelectQuery, SetQuery, Source } from "../cqn/cqn.ts";
import type { Csn, CsnDefinition } from "./csn.ts";
import { stepName } from "../cqn/steps.ts";

/**
 * A model in which views on entities with `@cds.persistence.skip` have that annotation as well: what they read is not in
 * the database, so handlers answer for them.
 *
 * @param csn an inferred model; it is not changed
 */
export function skipViewsElsewhere(csn: Csn): Csn {
  const isElsewhere = decided(
    csn,
    (definition, isBelow) =>
      definition?.kind === "entity" && (isSkipped(definition) || sourcesOf(definition).some(isBelow)),
  );
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
export const BY_QUERY = "by-query";

function sourcesOf({ query, projection }: CsnDefinition): readonly string[] {
  return [...query ? sourcesRead(query) : [], ...projection ? namesIn(projection.from) : []];
}

/**
 * The entities that a query reads by name; those of paths and of subqueries in conditions are left out.
 *
 * @param query the query of a view
 */
export function sourcesRead(query: SelectQuery | SetQuery): readonly string[] {
  return "SET" in query ? query.SET.args.flatMap(sourcesRead) : namesIn(query.SELECT.from);
}

function namesIn(source: Source): readonly string[] {
  if ("join" in source) return source.args.flatMap(namesIn);
  if (!("ref" in source)) return sourcesRead(source);
  const [root] = source.ref;
  return [stepName(root)];
}

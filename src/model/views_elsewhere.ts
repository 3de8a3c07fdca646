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
  const sources = csn.definitions ?? {};
  const known = new Map<string, boolean>();
  const isElsewhere = (name: string): boolean => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, false); // a circle is found when the model is inferred
    const definition = Object.hasOwn(sources, name) ? sources[name] : undefined;
    const result = definition?.kind === "entity" &&
      (definition["@cds.persistence.skip"] === true || sourcesOf(definition).some(isElsewhere));
    known.set(name, result);
    return result;
  };
  const added = Object.entries(sources).filter(([name, definition]) =>
    definition.kind === "entity" && definition["@cds.persistence.skip"] !== true && isElsewhere(name)
  );
  if (added.length === 0) return csn;
  const skipped = added.map(([name, definition]) =>
    [name, { ...definition, "@cds.persistence.skip": true }] as const
  );
  return { ...csn, definitions: { ...sources, ...Object.fromEntries(skipped) } };
}

/**
 * A model in which views with `@cds.persistence.skip` are served by their query, where the database has what they read.
 *
 * @param csn an inferred model; it is not changed
 */
export function serveRuntimeViews(csn: Csn): Csn {
  const sources = csn.definitions ?? {};
  const known = new Map<string, boolean>();
  const isStored = (name: string): boolean => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, false); // a circle is found when the model is inferred
    const definition = Object.hasOwn(sources, name) ? sources[name] : undefined;
    const read = definition === undefined ? [] : sourcesOf(definition);
    const isTable = definition?.kind === "entity" && definition["@cds.persistence.skip"] !== true;
    const result = read.length > 0 ? read.every(isStored) : isTable;
    known.set(name, result);
    return result;
  };
  const served = Object.entries(sources).filter(([name, definition]) =>
    definition["@cds.persistence.skip"] === true && isStored(name)
  );
  if (served.length === 0) return csn;
  const views = served.map(([name, definition]) =>
    [name, { ...definition, "@cds.persistence.skip": BY_QUERY }] as const
  );
  return { ...csn, definitions: { ...sources, ...Object.fromEntries(views) } };
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

/**
 * Views on entities that are in no database.
 *
 * @module
 */

import type { SelectQuery, SetQuery, Source } from "../cqn/cqn.ts";
import type { Csn, CsnDefinition } from "./csn.ts";

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

function sourcesOf({ query, projection }: CsnDefinition): readonly string[] {
  return [...query ? readBy(query) : [], ...projection ? namesIn(projection.from) : []];
}

function readBy(query: SelectQuery | SetQuery): readonly string[] {
  return "SET" in query ? query.SET.args.flatMap(readBy) : namesIn(query.SELECT.from);
}

function namesIn(source: Source): readonly string[] {
  if ("join" in source) return source.args.flatMap(namesIn);
  if (!("ref" in source)) return readBy(source);
  const [root] = source.ref;
  return [typeof root === "string" ? root : root.id];
}

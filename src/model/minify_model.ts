/**
 * Models without what nothing in them uses.
 *
 * @module
 */

import type { Csn, CsnDefinition } from "./csn.ts";

/** Kinds of definitions that are there for others. */
const FOR_OTHERS: ReadonlySet<string | undefined> = new Set(["type", "aspect", undefined]);

/**
 * A model without types and aspects that nothing uses, and without entities that are only there where they are used
 * (`@cds.persistence.skip: 'if-unused'`).
 *
 * @param csn the model
 * @returns another one, whose definitions are the same
 */
export function minifyModel<T extends Csn>(csn: T): T {
  const { definitions = {} } = csn;
  const kept = new Set<string>();
  const waiting = Object.keys(definitions).filter((name) => stands(definitions[name]!));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (kept.has(name)) continue;
    kept.add(name);
    for (const used of namesIn(definitions[name])) {
      if (Object.hasOwn(definitions, used)) waiting.push(used);
    }
  }
  const left = Object.entries(definitions).filter(([name]) => kept.has(name));
  return { ...csn, definitions: Object.fromEntries(left) };
}

function stands({ kind, "@cds.persistence.skip": skip }: CsnDefinition): boolean {
  return !FOR_OTHERS.has(kind) && skip !== "if-unused";
}

/** All texts in a definition, but those of annotations: some are names of other definitions. */
function* namesIn(part: unknown): Iterable<string> {
  if (typeof part === "string") yield part;
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) if (!name.startsWith("@")) yield* namesIn(value);
}

/**
 * Columns that annotations of entities name: unique constraints, indexes.
 *
 * @module
 */

import type { LinkedEntity } from "../model/linked.ts";
import { validityElements } from "../model/valid_slice.ts";

/** Columns that an annotation names. */
export interface AnnotatedColumns {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * `@assert.unique.<name>: [elements]` (csn-cqn 14); slices that have a key of their own differ in their beginning, too.
 *
 * @param entity any entity
 */
export function uniqueConstraints(entity: LinkedEntity): readonly AnnotatedColumns[] {
  const declared = annotatedColumns(entity, "@assert.unique.");
  const { from } = validityElements(entity);
  if (from === undefined || entity.$rowKeys.includes(from)) return declared;
  return [...declared, { name: "slices", columns: [...entity.$flatKeys, from].map(({ name }) => name) }];
}

/**
 * The columns of the annotations `<prefix><name>: [elements]`.
 *
 * @param entity any entity
 * @param prefix begins the names of the annotations
 */
export function annotatedColumns(entity: LinkedEntity, prefix: string): readonly AnnotatedColumns[] {
  return Object.entries(entity).filter(([key, value]) => key.startsWith(prefix) && Array.isArray(value)).map(
    ([key, value]) => ({
      name: key.slice(prefix.length),
      columns: (value as readonly unknown[]).flatMap((path) => columnsOfPath(entity, pathText(path))),
    }),
  );
}

function pathText(path: unknown): string {
  if (typeof path === "object" && path !== null && "=" in path) return String(path["="]);
  if (typeof path === "object" && path !== null && "ref" in path) return (path.ref as string[]).join(".");
  return String(path);
}

function columnsOfPath(entity: LinkedEntity, path: string): string[] {
  const name = path.replaceAll(".", "_");
  if (entity.$flat.has(name)) return [name];
  return [...entity.$flat.values()].filter((flat) => flat.foreignKey4 === name || flat.path[0] === path)
    .map((flat) => flat.name);
}

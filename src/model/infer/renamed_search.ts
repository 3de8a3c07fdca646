/**
 * What `@cds.search` of a source names has other names in its views.
 *
 * @module
 */

import { annotationsOf } from "../annotations_of.ts";
import type { DraftDefinition } from "./draft.ts";
import type { ViewColumn } from "./view_columns.ts";

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

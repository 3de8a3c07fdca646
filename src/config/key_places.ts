/**
 * Where keys of the configuration stand, for mistakes that are found when all sources are one.
 *
 * @module
 */

import { ConfigurationError, type ErrorPlace } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { jsonKeyLine } from "../util/json_text.ts";

/** What a source says in our words. */
export interface ConfigurationLayer {
  readonly source: { readonly name: string; readonly text?: string; readonly isCode?: boolean };
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The place that counts for a key: in the last source that has it, else in the one that has most of its path.
 *
 * @param path the key below `fw`
 * @param layers in ascending precedence
 * @returns undefined where no source has any of it, and for sources that are no place, as code
 */
export function keyPlace(
  path: readonly string[],
  layers: readonly ConfigurationLayer[],
): ErrorPlace | undefined {
  let best: ConfigurationLayer | undefined;
  let most = 1;
  for (const layer of layers) {
    const depth = depthOf(path, layer.value);
    if (depth >= most) [best, most] = [layer, depth];
  }
  if (best === undefined || best.source.isCode) return undefined;
  const { name, text } = best.source;
  return { file: name, line: text === undefined ? undefined : jsonKeyLine(text, path.slice(0, most)) };
}

/** How many steps of a path there are. */
function depthOf(path: readonly string[], value: unknown): number {
  let at = value;
  for (const [index, step] of path.entries()) {
    if (!isPlainObject(at) || !Object.hasOwn(at, step)) return index;
    at = at[step];
  }
  return path.length;
}

/**
 * A mistake in the configuration with its place: that of the key in front of its message, unless it has one.
 *
 * @param error what was thrown
 * @param placeOf finds the place
 */
export function withKeyPlace(
  error: unknown,
  placeOf: ((path: readonly string[]) => ErrorPlace | undefined) | undefined,
): unknown {
  if (!(error instanceof ConfigurationError) || error.file !== undefined) return error;
  const [, key] = /^"fw\.([^"]+)"/.exec(error.text) ?? [];
  const place = key === undefined ? undefined : placeOf?.(key.split("."));
  return place ? new ConfigurationError(error.text, place, { cause: error, others: error.others }) : error;
}

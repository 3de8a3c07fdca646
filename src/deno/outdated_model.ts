/**
 * Compiled models that somebody forgot to compile again.
 *
 * @module
 */

import { findModelSources } from "./find_model_files.ts";
import type { Project } from "./load_project.ts";

/**
 * What to tell about a compiled model that is older than a source beside it.
 *
 * @param project the project
 * @returns a warning; undefined where there is none
 */
export function outdatedModel({ folder, modelFiles, runtime }: Project): string | undefined {
  const [compiled = "", ...others] = modelFiles;
  if (others.length > 0 || !compiled.endsWith("csn.json")) return undefined;
  const time = modifiedAt(compiled);
  const newer = findModelSources(folder, runtime.env).find((source) => modifiedAt(source) > time);
  if (newer === undefined) return undefined;
  const [model, source] = [compiled, newer].map((path) => path.slice(folder.length + 1));
  return `${model}, from which production starts, is older than ${source}: "fw build" writes it anew`;
}

function modifiedAt(path: string): number {
  return Deno.statSync(path).mtime?.getTime() ?? 0;
}

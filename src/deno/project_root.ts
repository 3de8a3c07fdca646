/**
 * The root of a project.
 *
 * @module
 */

import { normalizePath } from "../util/normalize_path.ts";

/**
 * The absolute path of a project's root, without dots and trailing slash: so each of its files has one path only.
 *
 * @param folder a folder, relative to the working directory or absolute
 */
export function projectRoot(folder: string): string {
  return normalizePath(folder.startsWith("/") ? folder : `${Deno.cwd()}/${folder}`);
}

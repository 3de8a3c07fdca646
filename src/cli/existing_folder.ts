/**
 * Folders that commands are given.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * The absolute path of a folder that must be there.
 *
 * @param folder as it was given
 * @throws ConfigurationError where there is none of that name
 */
export async function existingFolder(folder: string): Promise<string> {
  const root = projectRoot(folder);
  const found = await Deno.stat(root).catch(() => undefined);
  if (found?.isDirectory) return root;
  throw new ConfigurationError(found ? "Expected a folder" : "There is no such folder", { file: folder });
}

import { normalizePath } from "../util/normalize_path.ts";

/**
 * The absolute path of a project's root, without dots and trailing slash: so each of its files has one path only.
 *
 * @param folder a folder, relative to the working directory or absolute
 */
export function projectRoot(folder: string): string {
  return normalizePath(folder.startsWith("/") ? folder : `${Deno.cwd()}/${folder}`);
}

/**
 * The absolute path of a file of a model: compiled models name theirs from the root of the project.
 *
 * @param folder root of the project
 * @param file as the model names it
 */
export function modelFile(folder: string, file: string): string {
  return file.startsWith("/") ? file : normalizePath(`${folder}/${file}`);
}

/**
 * The folder of a package: in `node_modules` of a folder, or of one around it.
 *
 * @param folder absolute path
 * @param name of the package
 * @returns its path; undefined where it is not installed
 */
export function packageFolder(folder: string, name: string): string | undefined {
  for (let at = folder; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = `${at}/node_modules/${name}`;
    if (isFolder(found)) return found;
  }
  return undefined;
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

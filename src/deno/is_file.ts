/**
 * Whether a path is that of a file.
 *
 * @param path absolute or relative path, or a `file:` URL
 */
export function isFile(path: string | URL): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/**
 * Reading files that may be missing.
 *
 * @module
 */

/** The text of a file, or undefined if there is none. */
export function readTextIfExists(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    if (error instanceof Deno.errors.IsADirectory) return undefined;
    throw error;
  }
}

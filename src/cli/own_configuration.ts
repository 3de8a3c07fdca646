/**
 * The configuration of this package for processes that it starts.
 *
 * @module
 */

/**
 * Options for `deno`, which takes the configuration of the working directory: modules of a clone need that of the clone.
 */
export function ownConfiguration(): readonly string[] {
  const { protocol, pathname } = new URL("../../deno.json", import.meta.url);
  return protocol === "file:" ? [`--config=${decodeURIComponent(pathname)}`] : [];
}

/**
 * Modules bundled by `deno task bundle`.
 *
 * @module
 */

/**
 * Bundles modules by one command.
 *
 * @param entries their paths
 * @param options more of the command
 * @returns paths of the bundles
 */
export async function bundleModules(
  entries: readonly string[],
  options: readonly string[] = [],
): Promise<readonly string[]> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "bundle", ...entries, ...options],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return entries.map((entry) => entry.replace(/^.*\/(.*)\.ts$/, "dist/$1.js"));
}

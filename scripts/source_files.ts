/**
 * The source files of the project.
 *
 * @module
 */

/** Lists all `.ts` files, and those for browsers, below folders of the project root, sorted. */
export function sourceFiles(...folders: readonly string[]): string[] {
  const files: string[] = [];
  const visit = (folder: string) => {
    for (const entry of Deno.readDirSync(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) visit(path);
      else if (/\.[tj]s$/.test(entry.name)) files.push(path);
    }
  };
  for (const folder of folders) visit(folder);
  return files.sort();
}

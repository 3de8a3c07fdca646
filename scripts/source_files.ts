/**
 * The TypeScript files of the project.
 *
 * @module
 */

/** Lists all `.ts` files below folders of the project root, sorted. */
export function sourceFiles(...folders: readonly string[]): string[] {
  const files: string[] = [];
  const visit = (folder: string) => {
    for (const entry of Deno.readDirSync(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) visit(path);
      else if (entry.name.endsWith(".ts")) files.push(path);
    }
  };
  for (const folder of folders) visit(folder);
  return files.sort();
}

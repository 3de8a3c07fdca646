/**
 * Fails when files of `src/` import each other in a circle (style 1).
 *
 * @module
 */

import { sourceFiles } from "./source_files.ts";

const IMPORT = /^\s*(?:import|export)\b[^;"']*?from\s+["'](\.[^"']+)["']|^\s*import\s+["'](\.[^"']+)["']/gm;

/** Runtime and type imports of a file, as paths from the project root. */
function importsOf(file: string): string[] {
  const text = Deno.readTextFileSync(file);
  return [...text.matchAll(IMPORT)].map((match) =>
    new URL(match[1] ?? match[2], `file:///${file}`).pathname.slice(1)
  );
}

/** Finds one cycle, as list of files, or undefined. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

if (import.meta.main) {
  const files = ["mod.ts", ...sourceFiles("src")];
  const cycle = findCycle(new Map(files.map((file) => [file, importsOf(file)])));
  if (cycle) {
    console.error(`Import cycle:\n  ${cycle.join("\n  -> ")}`);
    Deno.exit(1);
  }
  console.log(`No import cycles in ${files.length} files`);
}

/**
 * The pages of the manual, the README first, and the snippets in them.
 *
 * @module
 */

import { REPOSITORY } from "../deno/project.ts";

/** A page. */
export interface Page {
  /** Path below the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block. */
export interface Snippet {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** All pages. */
export function manualPages(): readonly Page[] {
  return ["README.md", ...pagesIn("docs")].map((path) => ({
    path,
    text: Deno.readTextFileSync(REPOSITORY + path),
  }));
}

/** All snippets of a language. */
export function snippets(language: string): readonly Snippet[] {
  return manualPages().flatMap(({ path, text }) =>
    [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter(([, info]) => info!.split(" ")[0] === language)
      .map(([, info, text]) => ({ page: path, language: info!, text: text! }))
  );
}

function pagesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(REPOSITORY + folder)].sort((a, b) => a.name < b.name ? -1 : 1).flatMap((
    { name, isDirectory },
  ) => isDirectory ? pagesIn(`${folder}/${name}`) : name.endsWith(".md") ? [`${folder}/${name}`] : []);
}

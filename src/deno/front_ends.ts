/**
 * The front ends of a project: the files in its folder for user interfaces.
 *
 * @module
 */

import type { FrontEnds } from "../http/front_ends.ts";
import { listFiles, listFolders } from "./text_files.ts";
import { fileAnswer, findFile } from "./static_files.ts";

/** How deep pages are looked for, and how many are listed. */
const DEPTH = 4;
const PAGES = 100;

/** Folders whose pages are for developers. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "test", "tests", "dist"]);

/** Files that describe a project, and may hold secrets. */
const HIDDEN =
  /\.cds$|^(?:package|package-lock|default-env|xs-app|xs-security|tsconfig)\.json$|^ui5[\w.-]*\.yaml$/i;

/** What pages may load unless a policy is configured: their own files and services, and styles in their elements. */
const POLICY = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; " +
  "object-src 'none'; base-uri 'self'; frame-ancestors 'none'";

/** Policies by the folders they are for; `"/"` is for all. */
export type FolderPolicies = Readonly<Record<string, string>>;

/** The policy of the innermost folder that a path lies in. */
function policyOf(path: string, policies: FolderPolicies): string {
  const [found] = Object.keys(policies).map((folder) => ({ folder, at: `/${folder}/`.replace(/\/+/g, "/") }))
    .filter(({ at }) => path.startsWith(at))
    .sort((one, other) => other.at.length - one.at.length);
  return found === undefined ? POLICY : policies[found.folder]!;
}

/**
 * Serves the files of a folder.
 *
 * @param folder absolute path
 * @param policies content security policies by folders of pages
 * @returns undefined where there is no such folder
 */
export function frontEndsIn(folder: string, policies: FolderPolicies = {}): FrontEnds | undefined {
  const top = realPath(folder);
  if (top === undefined) return undefined;
  return {
    has: async (path) => await find(top, path) !== undefined,
    answer: async (request, path) => {
      const file = await find(top, path);
      if (file === undefined) return undefined;
      // links in a page count from its folder
      const name = path.slice(path.lastIndexOf("/") + 1);
      const isFolder = name !== "" && file.endsWith("/index.html") && !/^index\.html$/i.test(name);
      if (isFolder) return new Response(null, { status: 301, headers: { location: `./${name}/` } });
      const answer = await fileAnswer(file, request.headers.get("if-none-match") ?? undefined);
      answer?.headers.set("content-security-policy", policyOf(file.slice(top.length), policies));
      return answer;
    },
    pages: () => pagesIn(top, "", DEPTH).slice(0, PAGES),
  };
}

/** A path has one form: middleware that guards it must not be passed by another. */
async function find(top: string, path: string): Promise<string | undefined> {
  if (path.includes("//")) return undefined;
  const file = await findFile(top, path);
  return file === undefined || HIDDEN.test(file.slice(file.lastIndexOf("/") + 1)) ? undefined : file;
}

function pagesIn(top: string, path: string, depth: number): readonly string[] {
  const folder = path === "" ? top : `${top}/${path}`;
  const own = listFiles(folder, ".html").map((file) => file.slice(top.length + 1));
  if (depth === 0) return own;
  const inner = listFolders(folder).filter((name) => !name.startsWith(".") && !PASSED_OVER.has(name));
  return [
    ...own,
    ...inner.flatMap((name) => pagesIn(top, path === "" ? name : `${path}/${name}`, depth - 1)),
  ];
}

function realPath(folder: string): string | undefined {
  try {
    const path = Deno.realPathSync(folder);
    return Deno.statSync(path).isDirectory ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Static files of a project or package.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import type { RouteHandler } from "../fw/app_router.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import { contentTag } from "../util/content_tag.ts";
import { packageFolder } from "./project_root.ts";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  pdf: "application/pdf",
  png: "image/png",
  properties: "text/plain; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xml: "application/xml",
};

/** Which files are served where. */
export interface StaticFolder {
  /** Root of the project. */
  readonly root: string;
  /** Path of the requests. */
  readonly path: string;
  /** Folder, below the project or the package. */
  readonly folder: string;
  /** Name of a package. */
  readonly source?: string;
}

/**
 * Answers requests by the files of a folder; of a folder by its `index.html`. Nothing outside of it, and nothing whose name
 * or whose folder's name starts with a dot, is ever served, whatever links lead to it.
 *
 * @param given where they are
 * @throws ConfigurationError when there is no such folder
 */
export function staticFiles({ root, path, folder, source }: StaticFolder): RouteHandler {
  const base = source === undefined ? root : folderOfPackage(root, source);
  const top = realFolder(`${base}/${folder}`);
  return async ({ req }) => {
    const file = await findFile(top, req.path.slice(path.length));
    const answer = file === undefined ? undefined : await fileAnswer(file, req.header("if-none-match"));
    if (answer === undefined) throw new ServiceError({ status: 404 });
    return answer;
  };
}

/**
 * Answers the bytes of a file.
 *
 * @param file its path
 * @param known tag of what the client has, from `If-None-Match`
 * @returns undefined when the file is no longer where it was found
 */
export async function fileAnswer(file: string, known: string | undefined): Promise<Response | undefined> {
  const bytes = await readFound(file);
  if (bytes === undefined) return undefined;
  const etag = `"${contentTag(new TextDecoder("latin1").decode(bytes))}"`;
  const headers = {
    "content-type": TYPES[file.slice(file.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    etag,
  };
  if (known === etag) return new Response(null, { status: 304, headers });
  return new Response(bytes, { headers });
}

/**
 * Answers the file that code names.
 *
 * @param path its path, maybe by links
 * @param known tag of what the client has, from `If-None-Match`
 * @returns undefined where there is no such file
 */
export async function answerFile(path: string, known: string | undefined): Promise<Response | undefined> {
  const file = await orUndefined(() => Deno.realPath(path));
  return file === undefined ? undefined : await fileAnswer(file, known);
}

/**
 * Finds the file that a path means; of a folder its `index.html`.
 *
 * @param top real path of the folder that nothing outside of is found
 * @param path of a request, percent-encoded
 */
export async function findFile(top: string, path: string): Promise<string | undefined> {
  let names: string[];
  try {
    names = path.split("/").filter((name) => name !== "").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  if (names.some((name) => name.startsWith(".") || /[/\\\0]/.test(name))) return undefined;
  return await orUndefined(async () => {
    const found = await Deno.realPath([top, ...names].join("/"));
    if (!isServed(found, top)) return undefined;
    const { isDirectory, isFile } = await Deno.lstat(found);
    // a pipe keeps whoever opens it waiting
    if (!isDirectory) return isFile ? found : undefined;
    const index = await Deno.realPath(`${found}/index.html`);
    return isServed(index, top) ? index : undefined;
  });
}

/** Links may lead out of the folder, or to a hidden file or folder in it. */
function isServed(found: string, top: string): boolean {
  return found === top || (found.startsWith(`${top}/`) && !found.slice(top.length).includes("/."));
}

/** The bytes of a file that is still where it was found: a link may have taken its place, or that of a folder above it. */
async function readFound(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return await orUndefined(async () => {
    using file = await Deno.open(path);
    const [opened, now, real] = await Promise.all([file.stat(), Deno.lstat(path), Deno.realPath(path)]);
    const isSame = now.isFile && real === path && now.ino === opened.ino && now.dev === opened.dev;
    return isSame ? new Uint8Array(await new Response(file.readable).arrayBuffer()) : undefined;
  });
}

/** What a step gives, undefined where there is no such file. */
async function orUndefined<T>(step: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    const { NotFound, NotADirectory, FilesystemLoop, IsADirectory } = Deno.errors;
    const isMissing = [NotFound, NotADirectory, FilesystemLoop, IsADirectory].some((kind) =>
      error instanceof kind
    );
    if (isMissing) return undefined;
    throw error;
  }
}

function realFolder(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch (cause) {
    throw new ConfigurationError(
      `Expected the folder ${folder} of static files, but there is none`,
      {},
      { cause },
    );
  }
}

function folderOfPackage(root: string, source: string): string {
  try {
    return fileURLToPath(import.meta.resolve(`${source}/package.json`)).replace(/\/package\.json$/, "");
  } catch {
    return packageFolder(root, source) ?? `${root}/node_modules/${source}`;
  }
}

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
 * Answers requests by the files of a folder; of a folder by its `index.html`. Nothing outside of it, and no file whose
 * name starts with a dot, is ever served.
 *
 * @param given where they are
 * @throws ConfigurationError when there is no such folder
 */
export function staticFiles({ root, path, folder, source }: StaticFolder): RouteHandler {
  const base = source === undefined ? root : packageFolder(root, source);
  const top = realFolder(`${base}/${folder}`);
  return async ({ req }) => {
    const file = await findFile(top, req.path.slice(path.length));
    if (file === undefined) throw new ServiceError({ status: 404 });
    const bytes = await Deno.readFile(file);
    const etag = `"${contentTag(new TextDecoder("latin1").decode(bytes))}"`;
    const headers = {
      "content-type": TYPES[file.slice(file.lastIndexOf(".") + 1).toLowerCase()] ??
        "application/octet-stream",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      etag,
    };
    if (req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
    return new Response(bytes, { headers });
  };
}

async function findFile(top: string, path: string): Promise<string | undefined> {
  let names: string[];
  try {
    names = path.split("/").filter((name) => name !== "").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  if (names.some((name) => name.startsWith(".") || /[/\\\0]/.test(name))) return undefined;
  try {
    const found = await Deno.realPath([top, ...names].join("/"));
    // a link may lead out of the folder
    if (found !== top && !found.startsWith(`${top}/`)) return undefined;
    const { isDirectory, isFile } = await Deno.stat(found);
    if (isDirectory) return await findFile(found, "index.html");
    return isFile ? found : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
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

function packageFolder(root: string, source: string): string {
  try {
    return fileURLToPath(import.meta.resolve(`${source}/package.json`)).replace(/\/package\.json$/, "");
  } catch {
    return `${root}/node_modules/${source}`;
  }
}

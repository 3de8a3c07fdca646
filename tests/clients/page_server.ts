/**
 * Serves a page, the libraries of OpenUI5 and, as a proxy would, a service with the user added.
 *
 * @module
 */

import { ALICE } from "./generated_client.ts";

const PAGES = new URL("./programs", import.meta.url).pathname;
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html;charset=utf-8",
  js: "text/javascript;charset=utf-8",
  json: "application/json",
  css: "text/css",
};

/** What is served. */
export interface PageOptions {
  /** Folder of `programs/` with the module `page.js`. */
  readonly page: string;
  /** Where `node_modules` lies. */
  readonly packages: string;
  /** The service: its paths begin with `/odata/`. */
  readonly service: string;
  /** Who uses the page. */
  readonly user?: Readonly<Record<string, string>>;
}

/** A server of a page. */
export interface PageServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server on a free port. */
export function servePage({ page, packages, service, user = ALICE }: PageOptions): PageServer {
  const libraries = [...Deno.readDirSync(`${packages}/node_modules/@openui5`)]
    .map(({ name }) => `${packages}/node_modules/@openui5/${name}/src`);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith("/odata/")) return await pass(request, `${service}${pathname}${search}`, user);
    const resource = /^\/resources\/(.+)$/.exec(pathname)?.[1];
    if (resource !== undefined) return await file(libraries.map((folder) => `${folder}/${resource}`));
    return await file([PAGES + (pathname === "/" ? "/openui5.html" : `/${page}${pathname}`)]);
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

async function pass(
  request: Request,
  url: string,
  user: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(user)) headers.set(name, value);
  const { method } = request;
  const body = request.body === null ? null : await request.arrayBuffer();
  return await fetch(url, { method, headers, body, redirect: "manual" });
}

/** The first of the files that is there. */
async function file(paths: readonly string[]): Promise<Response> {
  for (const path of paths) {
    try {
      const type = TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      return new Response(await Deno.readFile(path), { headers: { "content-type": type } });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return new Response(null, { status: 404 });
}

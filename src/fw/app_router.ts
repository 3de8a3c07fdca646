/**
 * Own routes of an application: routing by Hono; errors are left to the pipeline.
 *
 * @module
 */

import { Hono } from "hono";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** What a route sees of a request and answers with: the part of Hono's context that applications need. */
export interface RouteContext {
  /** The request: the web `Request` as `raw`, and shorthands. */
  readonly req: {
    readonly raw: Request;
    readonly method: string;
    readonly path: string;
    param(name: string): string | undefined;
    query(name: string): string | undefined;
    header(name: string): string | undefined;
    json(): Promise<unknown>;
    text(): Promise<string>;
  };
  /** Sets a header of the answer. */
  header(name: string, value: string): void;
  /** Answers text. */
  text(text: string): Response;
  /** Answers HTML. */
  html(html: string): Response | Promise<Response>;
  /** Answers another location. */
  redirect(location: string): Response;
}

/** Answers a request, or, as middleware, calls `next`. */
export type RouteHandler = (
  context: RouteContext,
  next: () => Promise<void>,
) => Response | void | Promise<Response | void>;

/** Answers requests below a path by the files of a folder; of a package where one is named. */
export type StaticFiles = (path: string, folder: string, source?: string) => RouteHandler;

type Method = "get" | "post" | "put" | "patch" | "delete" | "all" | "use";

/** The host application: `use`, `get`, `post`, … with the paths of Hono: `/items/:id`, `/files/*` (api 1). */
export class AppRouter {
  readonly #hono: Hono = new Hono();

  readonly #staticFiles: StaticFiles | undefined;

  /**
   * Creates an application without routes.
   *
   * @param staticFiles answers by the files of a folder, where there is a file system
   */
  constructor(staticFiles?: StaticFiles) {
    this.#staticFiles = staticFiles;
    this.#hono.onError((error) => {
      throw error;
    });
    this.#hono.notFound(() => {
      throw new ServiceError({ status: 404 });
    });
  }

  /** Adds middleware for paths that match. */
  use(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("use", path, handlers);
  }

  /** Answers GET, and HEAD like it. */
  get(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("get", path, handlers);
  }

  /** Answers POST. */
  post(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("post", path, handlers);
  }

  /** Answers PUT. */
  put(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("put", path, handlers);
  }

  /** Answers PATCH. */
  patch(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("patch", path, handlers);
  }

  /** Answers DELETE. */
  delete(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("delete", path, handlers);
  }

  /** Answers every method. */
  all(path: string, ...handlers: readonly RouteHandler[]): this {
    return this.#add("all", path, handlers);
  }

  /**
   * Serves static files: `app.serve("/ui").from("app/ui")`, `app.serve("/ui").from("@acme/ui", "dist")`.
   *
   * @param path where they are served
   * @returns `from`, which takes a folder of the project, or a package and a folder in it
   * @throws ConfigurationError where there is no file system
   */
  serve(path: string): { from(source: string, folder?: string): AppRouter } {
    return {
      from: (source, folder) => {
        if (!this.#staticFiles) {
          throw new ConfigurationError("Static files need a file system: load the project by ./deno");
        }
        const root = path.replace(/\/+$/, "");
        const handler = folder === undefined
          ? this.#staticFiles(root, source)
          : this.#staticFiles(root, folder, source);
        return (root === "" ? this : this.get(root, handler)).get(`${root}/*`, handler);
      },
    };
  }

  /** Methods that have a route or middleware at a path; HEAD goes with GET. */
  methods(pathname: string): readonly string[] {
    const methods = METHODS.filter((method) => this.#hono.router.match(method, pathname)[0].length > 0);
    return methods[0] === "GET" ? ["GET", "HEAD", ...methods.slice(1)] : methods;
  }

  /** Answers a request. */
  fetch(request: Request): Response | Promise<Response> {
    return this.#hono.fetch(request);
  }

  #add(method: Method, path: string, handlers: readonly RouteHandler[]): this {
    // Hono's own context has all that `RouteContext` names; its type depends on the path.
    const add = this.#hono[method] as (path: string, ...handlers: readonly RouteHandler[]) => unknown;
    add.call(this.#hono, path, ...handlers);
    return this;
  }
}

/**
 * Own routes of an application: routing by Hono; errors are left to the pipeline.
 *
 * @module
 */

import { Hono } from "hono";
import { type AnswerFile, withSendFile } from "./send_file.ts";
import type { HttpContext } from "../context/event_context.ts";
import { type ClassicMiddleware, createHttpContext, runMiddleware } from "../context/http_context.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Middlewares } from "../http/middlewares.ts";
import { ServiceError } from "../errors/service_error.ts";
import { boundedRequest } from "../http/request_limits.ts";
import type { FrontEnds } from "../http/front_ends.ts";
import { isNodeRouter, type NodeRouter, type RunNodeRouter } from "./node_router.ts";

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

/** Answers a request by a `Response`; without one the next handler has its turn. */
export type RouteHandler = (context: RouteContext) => Response | void | Promise<Response | void>;

/** Handles what a handler in front of it threw or gave to `next`. */
export type ClassicErrorHandler = (
  error: unknown,
  ...others: Parameters<ClassicMiddleware>
) => unknown;

/**
 * Adds handlers for a path. The number of parameters that a handler declares says which form it has: those of the web,
 * `(context) => Response`, declare one or none, those in the classic form `(req, res)` or `(req, res, next)`, and
 * classic ones for errors `(error, req, res, next)`.
 */
export interface AddRoute {
  /** Adds handlers that answer by what they return. */
  (path: RoutePath, ...handlers: readonly RouteHandler[]): AppRouter;
  /** Adds handlers in the classic form. */
  (path: RoutePath, ...handlers: readonly ClassicMiddleware[]): AppRouter;
  /** Adds handlers in the classic form for errors. */
  (path: RoutePath, ...handlers: readonly ClassicErrorHandler[]): AppRouter;
}

/** One path or several. */
export type RoutePath = string | readonly string[];

/** Stands in front of what `next` leads to, in the form of Hono: it declares two parameters. */
export type RouteMiddleware = (
  context: RouteContext,
  next: () => Promise<void>,
) => Response | void | Promise<Response | void>;

/**
 * Adds middleware; without a path it runs before every request. Below a path, a handler with two parameters is middleware of
 * Hono, `(context, next)`.
 */
export interface AddMiddleware extends AddRoute {
  /** Adds middleware in the form of Hono. */
  (path: RoutePath, ...middleware: readonly RouteMiddleware[]): AppRouter;
  /** Adds middleware in the classic form, which runs in front of authentication, and for services as well. */
  (...middleware: readonly ClassicMiddleware[]): AppRouter;
  /** Adds handlers in the classic form for errors of own routes. */
  (...handlers: readonly ClassicErrorHandler[]): AppRouter;
}

/** Answers requests below a path by the files of a folder; of a package where one is named. */
export type StaticFiles = (path: string, folder: string, source?: string) => RouteHandler;

type Method = "get" | "post" | "put" | "patch" | "delete" | "all" | "use";

/** What an application is made from. */
export interface AppRouterOptions {
  /** Answers by the files of a folder, where there is a file system. */
  readonly staticFiles?: StaticFiles;
  /** Answers by single files, where there is a file system. */
  readonly answerFile?: AnswerFile;
  /** Files for paths that have middleware only. */
  readonly frontEnds?: FrontEnds;
  /** Takes middleware without path. */
  readonly middlewares: Pick<Middlewares, "add">;
  /** Runs routers of Express, where there are streams of Node.js. */
  readonly nodeRouter?: RunNodeRouter;
  /** Bytes of a body at most. */
  readonly streamBytes: number;
}

/** The host application: `use`, `get`, `post`, … with the paths of Hono: `/items/:id`, `/files/*` (api 1). */
export class AppRouter {
  readonly #hono: Hono = new Hono();

  readonly #staticFiles: StaticFiles | undefined;

  readonly #answerFile: AnswerFile | undefined;

  readonly #errorHandlers: { readonly path: string; readonly handler: ClassicErrorHandler }[] = [];

  readonly #middlewares: Pick<Middlewares, "add">;

  readonly #runNodeRouter: RunNodeRouter;

  readonly #streamBytes: number;

  /** Creates an application without routes. */
  constructor(options: AppRouterOptions) {
    const { staticFiles, answerFile, frontEnds, middlewares, nodeRouter, streamBytes } = options;
    this.#staticFiles = staticFiles;
    this.#answerFile = answerFile;
    this.#middlewares = middlewares;
    this.#runNodeRouter = nodeRouter ?? withoutNode;
    this.#streamBytes = streamBytes;
    this.#hono.onError((error, context) => this.#failed(error, context as unknown as Routed));
    this.#hono.notFound(async ({ req }) => {
      const isRead = req.method === "GET" || req.method === "HEAD";
      const file = isRead ? await frontEnds?.answer(req.raw, req.path) : undefined;
      if (file) return file;
      throw new ServiceError({ status: 404 });
    });
  }

  /** Adds middleware for paths that match. */
  readonly use: AddMiddleware = (path: RoutePath | AnyHandler, ...handlers: readonly AnyHandler[]) => {
    if (typeof path !== "function") return this.#add("use", [path].flat().map(belowPath), handlers);
    for (const one of [path, ...handlers]) {
      if (isNodeRouter(one)) this.#middlewares.add(this.#middlewareOf(one), { before: "context" });
      else if (isErrorHandler(one)) this.#errorHandlers.push({ path: "/", handler: one });
      else if (!isClassic(one)) {
        throw new TypeError(
          "Expected a path in front of the handler, or middleware that declares (req, res, next)",
        );
      } else this.#middlewares.add(one, { before: "context" });
    }
    return this;
  };

  /** Answers GET, and HEAD like it. */
  readonly get: AddRoute = this.#adding("get");
  /** Answers POST. */
  readonly post: AddRoute = this.#adding("post");
  /** Answers PUT. */
  readonly put: AddRoute = this.#adding("put");
  /** Answers PATCH. */
  readonly patch: AddRoute = this.#adding("patch");
  /** Answers DELETE. */
  readonly delete: AddRoute = this.#adding("delete");
  /** Answers every method. */
  readonly all: AddRoute = this.#adding("all");

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

  /**
   * Takes what code calls that begins to listen itself: whoever serves the project listens for it.
   *
   * @param args the last may be a function, which is called
   */
  listen(...args: readonly unknown[]): this {
    const ready = args.at(-1);
    if (typeof ready === "function") queueMicrotask(() => ready());
    return this;
  }

  /** Methods that have a route or middleware at a path; HEAD goes with GET. */
  methods(pathname: string): readonly string[] {
    const methods = METHODS.filter((method) => this.#hono.router.match(method, pathname)[0].length > 0);
    return methods[0] === "GET" ? ["GET", "HEAD", ...methods.slice(1)] : methods;
  }

  /**
   * Answers a request.
   *
   * @param request the request
   * @param http takes what handlers in the classic form set for answers of those behind them
   */
  fetch(request: Request, http: HttpContext = createHttpContext(request)): Response | Promise<Response> {
    return this.#hono.fetch(request, { http });
  }

  #adding(method: Method): AddRoute {
    return (path: RoutePath, ...handlers: readonly AnyHandler[]) => this.#add(method, path, handlers);
  }

  #add(method: Method, path: RoutePath, handlers: readonly AnyHandler[]): this {
    for (const one of [path].flat()) {
      if (typeof one !== "string") throw new TypeError(`Expected the path of a route as text, found ${one}`);
      this.#addAt(method, one, handlers);
    }
    return this;
  }

  #addAt(method: Method, path: string, handlers: readonly AnyHandler[]): void {
    // Hono's own context has all that `RouteContext` names; its type depends on the path.
    const add = this.#hono[method] as (path: string, handler: HonoHandler) => unknown;
    for (const handler of handlers) {
      if (isNodeRouter(handler)) add.call(this.#hono, path, this.#routeOf(handler, method, path));
      else if (isErrorHandler(handler)) {
        this.#errorHandlers.push({ path: path.replace(/\/?\*?$/, "/"), handler });
      } else if (method === "use" && isRouteMiddleware(handler)) add.call(this.#hono, path, handler);
      else add.call(this.#hono, path, toRouteHandler(handler, this.#answerFile));
    }
  }

  /** What is mounted sees the path below, as far as that is a fixed one. */
  #routeOf(router: NodeRouter, method: Method, path: string): HonoHandler {
    const base = method === "use" && !/[:*{]/.test(path.slice(0, -1)) ? path.replace(/\/\*$/, "") : "";
    return async (context, next) => {
      const answer = await this.#runNodeRouter(router, { request: context.req.raw, base });
      if ("response" in answer) return answer.response;
      answer.headers.forEach((value, name) => context.env.http.res.append(name, value));
      return await next();
    };
  }

  /** Whoever comes behind it reads the body, too. */
  #middlewareOf(router: NodeRouter): ClassicMiddleware {
    return async (req, res, next) => {
      const request = req.body === null
        ? req
        : boundedRequest(req.clone(), this.#streamBytes, new URL(req.url));
      const answer = await this.#runNodeRouter(router, { request, base: "" });
      const { headers } = "response" in answer ? answer.response : answer;
      headers.forEach((value, name) => res.append(name, value));
      if (!("response" in answer)) return next();
      res.status(answer.response.status).end(answer.response.body);
    };
  }

  /** Answers by handlers for errors; the last of them throws on. */
  async #failed(error: unknown, context: Routed): Promise<Response> {
    let failure = error;
    for (const { path: top, handler } of this.#errorHandlers) {
      if (!`${context.req.path}/`.startsWith(top)) continue;
      try {
        const http = httpOf(context);
        const answered = await runMiddleware((req, res, next) => handler(failure, req, res, next), http);
        if (answered) return answered;
      } catch (next) {
        failure = next;
      }
    }
    throw failure;
  }
}

function withoutNode(): never {
  throw new ConfigurationError("Routers of Express need streams of Node.js: load the project by ./deno");
}

/** Classic middleware holds for a path and all below it; `*` and names of parameters say where that is already. */
function belowPath(path: string): string {
  return path.includes("*") ? path : `${path.replace(/\/+$/, "")}/*`;
}

type AnyHandler = RouteHandler | RouteMiddleware | ClassicMiddleware | ClassicErrorHandler;

function isErrorHandler(handler: AnyHandler): handler is ClassicErrorHandler {
  return handler.length === 4;
}

function isRouteMiddleware(handler: AnyHandler): handler is RouteMiddleware & HonoHandler {
  return handler.length === 2;
}

function isClassic(handler: AnyHandler): handler is ClassicMiddleware {
  return handler.length === 2 || handler.length === 3;
}

/** The context of Hono, with what handlers in the classic form share. */
type Routed = RouteContext & { readonly env: { readonly http: HttpContext } };

function httpOf({ req, env }: Routed): HttpContext {
  return { req: createHttpContext(req.raw).req, res: env.http.res };
}

type HonoHandler = (context: Routed, next: () => Promise<void>) => Promise<Response | void>;

/** A handler whose answer is a `Response`; one in the classic form gets `req` with `params` and `body`, and `res`. */
function toRouteHandler(
  handler: Exclude<AnyHandler, ClassicErrorHandler>,
  answerFile: AnswerFile | undefined,
): HonoHandler {
  if (!isClassic(handler)) {
    return async (context, next) => await (handler as RouteHandler)(context) ?? await next();
  }
  return async (context, next) => {
    const { raw } = context.req;
    const body = await bodyOf(raw.clone());
    const http = httpOf(context);
    const { param } = context.req as unknown as { param(): Record<string, string> }; // all of them, of Hono
    Object.defineProperties(http.req, {
      params: { value: param.call(context.req), configurable: true },
      // a web request has a stream there, which handlers of this form do not read
      body: { value: body, configurable: true },
    });
    const answered = await runMiddleware(withSendFile(handler, answerFile), http);
    return answered ?? await next();
  };
}

/** JSON and forms as objects, other text as it is. */
async function bodyOf(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (request.body === null) return undefined;
  const text = await request.text();
  if (/^application\/x-www-form-urlencoded/.test(type)) return Object.fromEntries(new URLSearchParams(text));
  if (!/\bjson\b/.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "Malformed JSON", cause });
  }
}

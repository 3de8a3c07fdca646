/**
 * Routers and applications of Express as handlers of an application.
 *
 * @module
 */

/** A router or an application of Express, or what serves static files there: it takes streams of Node.js. */
export type NodeRouter = (req: unknown, res: unknown, next: (error?: unknown) => void) => unknown;

/** What a router made of a request: an answer, or headers for the answer of whoever comes next. */
export type NodeAnswer = { readonly response: Response } | { readonly headers: Headers };

/**
 * Runs a router.
 *
 * @param router the router
 * @param place the request, whose body it may read, and the path that the router is mounted at
 */
export type RunNodeRouter = (
  router: NodeRouter,
  place: { readonly request: Request; readonly base: string },
) => Promise<NodeAnswer>;

/**
 * Whether a handler is a router or an application of Express, or its `express.static(…)`.
 *
 * @param handler any handler
 */
export function isNodeRouter(handler: unknown): handler is NodeRouter {
  return typeof handler === "function" &&
    (handler.name === "serveStatic" ||
      typeof (handler as { readonly handle?: unknown }).handle === "function");
}

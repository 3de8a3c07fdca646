/**
 * Own routes of an application: a Hono app that knows whether it has a route.
 *
 * @module
 */

import { Hono } from "hono";

/** The host application: `use`, `get`, `post`, … of Hono (api 1). */
export class AppRouter extends Hono {
  /** Whether a route or middleware matches a request. */
  has(request: Request): boolean {
    const method = request.method === "HEAD" ? "GET" : request.method;
    return this.router.match(method, new URL(request.url).pathname)[0].length > 0;
  }
}

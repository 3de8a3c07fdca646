/**
 * Middleware in the classic form: `(req, res, next)`.
 *
 * @module
 */

import type { HttpContext, HttpRequest, HttpResponse } from "./event_context.ts";

/** Answers by `res`, or calls `next`, maybe with an error. */
export type ClassicMiddleware = (
  req: HttpRequest,
  res: HttpResponse,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Runs middleware on the HTTP objects of a context.
 *
 * @param middleware the function
 * @param http request and response draft
 * @returns the answer, if the middleware ended the response by `send`, `json` or `end`
 * @throws what the middleware threw or gave to `next`
 */
export function runMiddleware(
  middleware: ClassicMiddleware,
  { req, res }: HttpContext,
): Promise<Response | undefined> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown) => error === undefined ? resolve(undefined) : reject(error);
    const observed = observeEnd(res, () => resolve(toResponse(res)));
    Promise.resolve().then(() => middleware(req, observed, next)).catch(reject);
  });
}

function observeEnd(res: HttpResponse, onEnd: () => void): HttpResponse {
  const end = res.end.bind(res);
  res.end = (body) => {
    const result = end(body);
    onEnd();
    return result;
  };
  return res;
}

function toResponse(res: HttpResponse): Response {
  return new Response(res.body as BodyInit | null | undefined, {
    status: res.statusCode ?? 200,
    headers: res.headers,
  });
}

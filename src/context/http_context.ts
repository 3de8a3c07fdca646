import type { HttpContext, HttpRequest, HttpResponse } from "./event_context.ts";
import { ResponseDraft } from "./response_draft.ts";

export { ResponseDraft };

/**
 * The objects behind `req.http` for a request, made when somebody looks at them.
 *
 * @param request the web request, or what makes it; it gets a method `get(name)`
 */
export function createHttpContext(request: Request | (() => Request)): HttpContext {
  return new LazyHttpContext(request);
}

/**
 * The draft of the response, if somebody has looked at it.
 *
 * @param http the objects behind `req.http`
 */
export function draftOf(http: HttpContext): HttpResponse | undefined {
  return http instanceof LazyHttpContext ? http.draft : http.res;
}

class LazyHttpContext implements HttpContext {
  readonly #request: Request | (() => Request);
  #req: HttpRequest | undefined;
  #res: ResponseDraft | undefined;

  constructor(request: Request | (() => Request)) {
    this.#request = request;
  }

  get req(): HttpRequest {
    return this.#req ??= toHttpRequest(typeof this.#request === "function" ? this.#request() : this.#request);
  }

  get draft(): ResponseDraft | undefined {
    return this.#res;
  }

  get res(): ResponseDraft {
    return this.#res ??= new ResponseDraft();
  }
}

/**
 * Adds to a web request what handlers of existing servers look at.
 *
 * @param request the request, which is changed
 * @returns the same object
 */
function toHttpRequest(request: Request): HttpRequest {
  if ("get" in request) return request as HttpRequest;
  const get = (name: string) => request.headers.get(name) ?? undefined;
  const url = new URL(request.url);
  const { headers } = request;
  for (const [name, value] of headers) {
    if (!(name in headers)) Object.defineProperty(headers, name, { value, configurable: true });
  }
  Object.defineProperties(request, {
    get: { value: get },
    header: { value: get },
    query: { get: () => Object.fromEntries(url.searchParams) },
    hostname: { value: url.hostname },
    protocol: { value: url.protocol.slice(0, -1) },
    secure: { value: url.protocol === "https:" },
    is: {
      value: (...types: readonly string[]) =>
        mediaTypeAmong(request.headers.get("content-type"), types.flat()),
    },
    accepts: {
      value: (...types: readonly string[]) => acceptedAmong(request.headers.get("accept"), types.flat()),
    },
    // parsers of bodies leave the stream to whoever the request is for
    _body: { value: true },
    finished: { value: true },
  });
  // middleware rewrites these
  const changed = { path: url.pathname, originalUrl: url.pathname + url.search };
  for (const [name, value] of Object.entries(changed)) {
    Object.defineProperty(request, name, { value, writable: true, configurable: true });
  }
  return request as HttpRequest; // with the members just defined
}

/** The first of some types, short names included, that a media type is; false if it is none of them. */
function mediaTypeAmong(given: string | null, types: readonly string[]): string | false {
  const type = given?.split(";")[0].trim().toLowerCase() ?? "";
  return types.find((one) => type !== "" && matches(one, type)) ?? false;
}

/** The first of some types that a client accepts. */
function acceptedAmong(accept: string | null, types: readonly string[]): string | false {
  const ranges = (accept ?? "*/*").split(",").map((range) => range.split(";")[0].trim().toLowerCase());
  return types.find((one) => ranges.some((range) => range === "*/*" || matches(one, range))) ?? false;
}

/** `json` stands for all types that end so; parts may be `*`. */
function matches(pattern: string, type: string): boolean {
  if (!pattern.includes("/")) {
    return type.split(/[/+]/).slice(1).includes(pattern === "text" ? "plain" : pattern);
  }
  const parts = type.split("/");
  return pattern.split("/").every((part, at) => part === "*" || parts[at] === "*" || part === parts[at]);
}

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

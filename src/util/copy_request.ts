/**
 * A copy of an incoming request that differs in its URL or headers.
 *
 * @module
 */

/** What differs. */
export interface RequestChanges {
  readonly url?: URL;
  readonly headers?: Headers;
  readonly body?: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Copies a request; the body is taken over. The copy has no signal of its own: `new Request(request)` asks for that of
 * the request, whereupon `Deno.serve` writes a notice to the console and aborts it when the answer has been sent.
 *
 * @param request the request, not read yet
 * @param changes what differs
 */
export function copyRequest(request: Request, changes: RequestChanges): Request {
  // Node wants `duplex` for a body that is a stream; the type of Deno does not know it
  const init: RequestInit & { readonly duplex: "half" } = {
    method: request.method,
    headers: changes.headers ?? request.headers,
    body: changes.body ?? request.body,
    redirect: "manual",
    duplex: "half",
  };
  return new Request(changes.url ?? request.url, init);
}

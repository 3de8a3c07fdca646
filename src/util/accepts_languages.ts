/**
 * Languages of `Accept-Language`; the only importer of this module of the standard library.
 *
 * @module
 */

import { acceptsLanguages as std } from "@std/http/negotiation";

/**
 * The languages a client accepts, best quality value first (RFC 9110, 12.5.4); `["*"]` without the header.
 *
 * @param request whatever has the headers of the request
 */
export function acceptsLanguages(request: { readonly headers: Pick<Headers, "get"> }): string[] {
  return std(request as Pick<Request, "headers">); // it reads one header
}

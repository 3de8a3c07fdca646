/**
 * The bodies that own routes of an application read by themselves.
 *
 * @module
 */

import { copyRequest } from "../util/copy_request.ts";
import { tooLarge } from "../service/wire/read_body.ts";

/**
 * A request whose body can be read up to a limit: what comes after it makes reading fail.
 *
 * @param request the request
 * @param limitBytes the largest body allowed
 * @param url what the request is to show as its URL
 * @returns the same request, if it needs no change
 * @throws ServiceError 413 when a larger body is announced; reading throws it when one arrives
 */
export function boundedRequest(request: Request, limitBytes: number, url: URL): Request {
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) throw tooLarge(limitBytes);
  // middleware of the application may have read it
  if (request.bodyUsed) return new Request(url, { method: request.method, headers: request.headers });
  if (request.body === null) return url.href === request.url ? request : copyRequest(request, { url });
  let length = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > limitBytes) controller.error(tooLarge(limitBytes));
      else controller.enqueue(chunk);
    },
  });
  return copyRequest(request, { url, body: request.body.pipeThrough(counter) });
}

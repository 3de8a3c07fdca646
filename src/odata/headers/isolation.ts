/**
 * The header `Isolation` (OData Protocol 8.2.6).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/**
 * Refuses requests that want all their answers, the pages that follow among them, from one point in time: pages are
 * read when they are asked for.
 *
 * @param headers headers of the request
 * @throws ServiceError 412 when there is such a header, with or without the prefix `OData-`
 */
export function assertIsolation(headers: Pick<Headers, "get">): void {
  if ((headers.get("isolation") ?? headers.get("odata-isolation")) === null) return;
  throw new ServiceError({ status: 412, message: "Snapshot isolation is not supported" });
}

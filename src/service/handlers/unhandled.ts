/**
 * Requests that nobody handles.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/**
 * The error for a request without handler: 501.
 *
 * @param service the service
 * @param req the request
 * @param reason why there is no generic one, for the log
 */
export function unhandled(
  service: { readonly name: string },
  req: { readonly event: string },
  reason = "",
): ServiceError {
  return new ServiceError({
    status: 501,
    message: `Service "${service.name}" has no handler for "${req.event}"${reason}`,
  });
}

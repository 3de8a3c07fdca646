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
 */
export function unhandled(service: { readonly name: string }, req: { readonly event: string }): ServiceError {
  return new ServiceError({
    status: 501,
    message: `Service "${service.name}" has no handler for "${req.event}"`,
  });
}

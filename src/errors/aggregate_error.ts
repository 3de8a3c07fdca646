/**
 * Several recorded errors as one (spec 7.2.6).
 *
 * @module
 */

import { errorStatus } from "./error_status.ts";
import { type ErrorProperties, ServiceError } from "./service_error.ts";

/**
 * The error that rejects a request with recorded errors: code `MULTIPLE_ERRORS`, the errors as details in order.
 * A single one lends its status, message and target; otherwise the status is the common one, 500 if there is a 5xx,
 * else 400.
 *
 * @param errors at least one recorded error
 */
export function aggregateErrors(errors: readonly ErrorProperties[]): ServiceError {
  const statuses = new Set(errors.map((error) => errorStatus(error)));
  const [first] = statuses;
  const common = statuses.size === 1 ? first : [...statuses].some((status) => status >= 500) ? 500 : 400;
  if (errors.length > 1) {
    return new ServiceError({ status: common, code: "MULTIPLE_ERRORS", details: errors });
  }
  const [{ target, $sanitize }] = errors;
  return new ServiceError({
    status: common,
    code: "MULTIPLE_ERRORS",
    details: errors,
    ...(target === undefined ? {} : { target }),
    ...($sanitize === undefined ? {} : { $sanitize }),
  });
}

/**
 * Answers that are larger than `fw.limits.answerBytes`.
 *
 * @module
 */

import { ServiceError } from "./service_error.ts";

/**
 * The error for them.
 *
 * @param most the limit
 */
export function answerTooLarge(most: number): ServiceError {
  return new ServiceError({ status: 413, code: "ANSWER_TOO_LARGE", args: [most] });
}

/**
 * `fw.error`: errors by call, by `new`, and as tagged template (api 1).
 *
 * @module
 */

import { type ErrorArguments, errorFromArguments } from "../errors/error_arguments.ts";
import { ServiceError } from "../errors/service_error.ts";

/** Builds errors with `new`; called as function or tag it throws them. */
export interface ErrorFactory {
  /** Builds an error from the arguments of `req.reject`; further members may follow in an object. */
  new (...given: readonly unknown[]): ServiceError;
  /** Throws an error with the text of the template. */
  (strings: TemplateStringsArray, ...values: readonly unknown[]): never;
  /** Throws an error from the arguments of `req.reject`; further members may follow in an object. */
  (...given: readonly unknown[]): never;
}

/** `fw.error`. */
export const error: ErrorFactory = raise as unknown as ErrorFactory; // a function with both signatures

function raise(...given: readonly unknown[]): Error {
  const made = errorFrom(given);
  if (new.target) return made;
  throw made;
}

function errorFrom(given: readonly unknown[]): Error {
  const [first] = given;
  if (Array.isArray(first) && "raw" in first) {
    return new ServiceError({ message: String.raw({ raw: first }, ...given.slice(1)) });
  }
  return errorFromArguments(given as ErrorArguments);
}

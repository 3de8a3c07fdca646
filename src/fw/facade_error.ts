/**
 * `fw.error`: errors by call, by `new`, and as tagged template (api 1).
 *
 * @module
 */

import { type ErrorArguments, errorFromArguments, shown, templateText } from "../errors/error_arguments.ts";
import { ServiceError } from "../errors/service_error.ts";

/** Builds errors with `new`; called as function or tag it throws them. */
export interface ErrorFactory {
  /** Builds an error from the arguments of `req.reject`; further members may follow in an object. */
  new (...given: readonly unknown[]): ServiceError;
  /** Throws an error with the text of the template. */
  (strings: TemplateStringsArray, ...values: readonly unknown[]): never;
  /** Throws an error from the arguments of `req.reject`; further members may follow in an object. */
  (...given: readonly unknown[]): never;
  /** Throws that a value is another one than expected: `` fw.error.expected `${{ stock }} to be a number` ``. */
  expected(strings: TemplateStringsArray, ...values: readonly unknown[]): never;
}

/** `fw.error`. */
export const error: ErrorFactory = Object.assign(raise, {
  expected: (strings: TemplateStringsArray, ...values: readonly unknown[]): never => {
    const [named] = values;
    const [name, value] = Object.entries(named ?? {})[0] ?? ["value", named];
    const wanted = templateText(strings, ["", ...values.slice(1)]).trim();
    throw new ServiceError({ message: `Expected "${name}" ${wanted}, but found ${shown(value)}` });
  },
}) as unknown as ErrorFactory; // a function with both signatures

function raise(...given: readonly unknown[]): Error {
  const made = errorFrom(given);
  if (new.target) return made;
  throw made;
}

function errorFrom(given: readonly unknown[]): Error {
  return errorFromArguments(given as ErrorArguments);
}

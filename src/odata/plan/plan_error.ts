/**
 * Errors of planning.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";

/** A name that was not found, and where. */
export interface UnknownName {
  readonly name: string;
  readonly offset: number;
  /** What it should be: `property`, `resource`. */
  readonly what: string;
  /** Where it was looked up: the name of an entity or service. */
  readonly owner: string;
  readonly known: Iterable<string>;
  /** 404 in paths, 400 elsewhere. */
  readonly status?: number;
}

/**
 * The error for a name that the model does not have.
 *
 * @param problem the name and its place
 * @returns a 400 or 404 with the nearest known name
 */
export function unknownName(problem: UnknownName): ServiceError {
  const { name, offset, what, owner, status = 400 } = problem;
  const known = [...problem.known];
  const dot = name.indexOf(".");
  // paths of CQL have dots
  const isPath = dot > 0 && known.includes(name.slice(0, dot));
  const nearest = isPath ? pathOf(name, what) : nearestName(name, known);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  return new ServiceError({
    status,
    code: `${status}`,
    message: `"${owner}" has no ${what} "${name}" (offset ${offset})${hint}`,
  });
}

function pathOf(name: string, what: string): string {
  const [first, ...rest] = name.split(".");
  return what === "navigation property" ? `${first}($select=${rest.join("/")})` : [first, ...rest].join("/");
}

/**
 * The error for a URL that follows the grammar but makes no sense for the model.
 *
 * @param message what is wrong
 * @param offset where, in the raw URL
 * @returns a 400
 */
export function badRequest(message: string, offset?: number): ServiceError {
  const place = offset === undefined ? "" : ` (offset ${offset})`;
  return new ServiceError({ status: 400, code: "400", message: `${message}${place}` });
}

/**
 * The error for a resource that cannot exist.
 *
 * @param message what is wrong
 * @returns a 404
 */
export function notFound(message: string): ServiceError {
  return new ServiceError({ status: 404, code: "404", message });
}

/**
 * The error for what the grammar knows and we do not run.
 *
 * @param feature its name, as a subject
 * @param offset where, in the raw URL
 * @returns a 501 naming the feature; its message is kept
 */
export function notImplemented(feature: string, offset?: number): ServiceError {
  const place = offset === undefined ? "" : ` (offset ${offset})`;
  return new ServiceError({
    status: 501,
    code: "501",
    message: `${feature} is not implemented${place}`,
    $sanitize: false,
  });
}

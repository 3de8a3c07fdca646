/**
 * `fw.queued` and `fw.unqueued` (api 1).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * The service through the transactional outbox.
 *
 * @param service the service
 * @throws ConfigurationError always: this version has no outbox. Events of messaging services leave after the commit,
 *   without one
 */
export function queued<S extends { readonly name: string }>(service: S): S {
  throw new ConfigurationError(
    `"${service.name}" cannot be queued: this version has no outbox; its events leave after the commit`,
  );
}

/**
 * The service without outbox.
 *
 * @param service the service
 * @returns the service itself
 */
export function unqueued<S extends object>(service: S): S {
  return service;
}

/**
 * Errors whose answers carry headers of their own.
 *
 * @module
 */

import { type ErrorProperties, ServiceError } from "../errors/service_error.ts";

/** An error whose answer says more in its headers: allowed methods, length of a stream. */
export class ErrorWithHeaders extends ServiceError {
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param properties of the error
   * @param headers of the answer
   */
  constructor(properties: ErrorProperties, headers: Readonly<Record<string, string>>) {
    super(properties);
    this.#headers = headers;
  }

  /** Adds the headers to those of the answer. */
  addTo(headers: Headers): void {
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value);
  }
}

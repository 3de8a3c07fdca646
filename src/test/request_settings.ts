/**
 * Requests and answers of in-process tests.
 *
 * @module
 */

/** How a request is sent. */
export interface RequestSettings {
  /** Name and password for HTTP basic authentication. */
  readonly auth?: { readonly username: string; readonly password?: string };
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Answer {
  /** HTTP status; errors do not throw. */
  readonly status: number;
  /** Value of a JSON body, else its text; undefined without body. */
  readonly data: unknown;
  /** Headers of the answer. */
  readonly headers: Headers;
}

/**
 * Requests and answers of in-process tests.
 *
 * @module
 */

import type { Certificate } from "./identity/certificate.ts";
import type { TokenOptions } from "./identity/token_claims.ts";

/** How a request is sent. */
export interface RequestSettings {
  /** Name and password for HTTP basic authentication. */
  readonly auth?: { readonly username: string; readonly password?: string };
  /** A token, or what the identity service of the client puts into one: `{ user: "alice", roles: ["admin"] }`. */
  readonly token?: string | TokenOptions;
  /** The client certificate, as a proxy forwards it. A token made for the request is bound to it. */
  readonly certificate?: Certificate;
  /** Query options that are added to the path: `{ $filter: "stock gt 1", $top: 5 }`. */
  readonly params?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Address the request seems to come from; proxies are trusted by their address. */
  readonly peer?: string;
}

/**
 * What came back.
 *
 * @typeParam T what the test expects as data, which nothing checks
 */
export interface Answer<T = unknown> {
  /** HTTP status; errors do not throw. */
  readonly status: number;
  /** Value of a JSON body, else its text, of media types that are none its bytes; undefined without body. */
  readonly data: T;
  /** Headers of the answer. */
  readonly headers: Headers;
}

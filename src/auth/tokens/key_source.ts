/**
 * Where documents of an identity service are read from.
 *
 * @module
 */

import type { ClientKeyPair } from "../token_client/client_key_pair.ts";

/** A document of an identity service: configuration, or a set of keys. */
export interface DocumentSource {
  /** Where it is. */
  readonly url: string;
  /** Headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Certificate and key that the request shows. */
  readonly keyPair?: ClientKeyPair;
  /** Identifies the document: URL and everything else its content depends on. */
  readonly cacheKey: string;
}

/** A set of keys (RFC 7517). */
export interface KeySource extends DocumentSource {
  /** Public key as PEM, used for RS256 while the set cannot be fetched and none is left that may be used. */
  readonly fallback?: string;
}

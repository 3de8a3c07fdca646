/**
 * The cache of verified tokens (auth 6).
 *
 * @module
 */

import { BoundedCache } from "../../util/bounded_cache.ts";
import type { KeySource, TokenKind } from "./token_kind.ts";
import type { ParsedToken } from "./token.ts";

/** A token whose signature was found good. */
export interface VerifiedToken {
  /** The token, with `exp` and `kid`, which count at every use. */
  readonly token: ParsedToken;
  /** Its identity service. */
  readonly kind: TokenKind;
  /** Where its key is from. */
  readonly source: KeySource;
  /** Version of the set of keys that holds the key. */
  readonly version: number;
}

/**
 * Keeps verified tokens by their text, the longest unused is dropped first.
 *
 * The key is the text and not a digest of it: a digest costs more than a request may (8.5 µs), and would hide nothing,
 * since the entry holds the token anyway, for services it is sent on to. What a digest would protect from does not
 * arise: only tokens with a good signature are kept, so nobody fills the map with texts made to collide; the hash of
 * a text has a seed that is unknown outside of the process and covers all of it, so the time of a miss tells nothing
 * about a token that is kept; and texts are compared as a whole, so a changed token is never taken for a known one.
 * The length of a text is bounded by `limits.tokenLength`.
 */
export class VerifiedTokens {
  readonly #tokens: BoundedCache<string, VerifiedToken>;

  /**
   * Creates an empty cache.
   *
   * @param limit entries at most
   */
  constructor(limit: number) {
    this.#tokens = new BoundedCache(limit);
  }

  /** Finds a token; whether it is still valid is for the caller to check. */
  get(text: string): VerifiedToken | undefined {
    return this.#tokens.get(text);
  }

  /** Keeps a token. */
  add(verified: VerifiedToken): void {
    this.#tokens.set(verified.token.text, verified);
  }

  /** Drops a token. */
  drop(text: string): void {
    this.#tokens.delete(text);
  }
}

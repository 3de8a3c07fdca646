/**
 * Fetched tokens (auth 6).
 *
 * @module
 */

import { TokenRequestError, type TokenResponse } from "./token_response.ts";

/** A token is fetched anew when less than this is left of its lifetime. */
const RENEWAL_MS = 5 * 60_000;

interface Entry {
  readonly response: TokenResponse;
  readonly expiresAt: number;
}

/**
 * A bounded cache of fetched tokens: one request at a time for each of them, failures are not kept, the one not used
 * for longest makes room. While the identity service is out of order, a token serves until its end.
 */
export class TokenCache {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #pending: Map<string, Promise<TokenResponse>> = new Map();
  readonly #capacity: number;
  readonly #clock: () => number;

  /**
   * Creates a cache.
   *
   * @param capacity tokens at most
   * @param clock milliseconds since 1970
   */
  constructor(capacity: number, clock: () => number = Date.now) {
    this.#capacity = capacity;
    this.#clock = clock;
  }

  /** Number of tokens kept. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * A token with at least five minutes left, or one just fetched, or in an outage any that has not expired;
   * `expires_in` is what is left of it.
   *
   * @param key tells which token it is; holds no secret
   * @param fetch gets a new one
   */
  async get(key: string, fetch: () => Promise<TokenResponse>): Promise<TokenResponse> {
    const entry = this.#entries.get(key);
    if (entry && this.#leftMs(entry) >= RENEWAL_MS) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      return this.#shortened(entry);
    }
    const pending = this.#pending.get(key);
    if (pending) return await pending;
    const fetching = this.#fetch(key, fetch).finally(() => this.#pending.delete(key));
    this.#pending.set(key, fetching);
    return await fetching;
  }

  async #fetch(key: string, fetch: () => Promise<TokenResponse>): Promise<TokenResponse> {
    // Counted from the question, so that time on the way never lengthens the life of a token.
    const asked = this.#clock();
    const former = this.#entries.get(key);
    try {
      const response = await fetch();
      this.#entries.delete(key);
      this.#entries.set(key, { response, expiresAt: asked + response.expires_in * 1000 });
      const oldest = this.#entries.size > this.#capacity ? this.#entries.keys().next().value : undefined;
      if (oldest !== undefined) this.#entries.delete(oldest);
      return response;
    } catch (error) {
      const isOutage = error instanceof TokenRequestError && error.isOutage;
      if (former && isOutage && this.#leftMs(former) > 0) return this.#shortened(former);
      this.#entries.delete(key);
      throw error;
    }
  }

  #leftMs({ expiresAt }: Entry): number {
    return expiresAt - this.#clock();
  }

  #shortened(entry: Entry): TokenResponse {
    return { ...entry.response, expires_in: Math.floor(this.#leftMs(entry) / 1000) };
  }
}

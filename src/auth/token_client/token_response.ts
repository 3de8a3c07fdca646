/**
 * The answer of a token endpoint (spec 2.8).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";

/** A token with its lifetime. */
export interface TokenResponse {
  /** The token. */
  readonly access_token: string;
  /** `Bearer`, in any case of letters. */
  readonly token_type: string;
  /** Lifetime in seconds, counted from the answer. */
  readonly expires_in: number;
}

/**
 * Checks the answer of a token endpoint by type; members beyond the three are dropped.
 *
 * @param value the parsed body
 * @returns the token, or the text of what is wrong with it
 */
export function readTokenResponse(value: unknown): TokenResponse | string {
  if (!isPlainObject(value)) return "is no JSON object";
  const { access_token, token_type, expires_in } = value;
  // It becomes the value of a header (RFC 6750, 2.1).
  if (typeof access_token !== "string" || !/^[\w.~+/-]+=*$/.test(access_token)) {
    return `has no "access_token" that can be sent`;
  }
  if (typeof token_type !== "string" || !/^bearer$/i.test(token_type)) {
    return `has no "token_type" Bearer`;
  }
  if (typeof expires_in !== "number" || !Number.isSafeInteger(expires_in) || expires_in < 0) {
    return `has no "expires_in" in whole seconds`;
  }
  return { access_token, token_type, expires_in };
}

/** What went wrong. */
interface TokenFailure {
  /** HTTP status of the answer; undefined when there was none. */
  readonly status?: number;
  /** The error code of the answer (RFC 6749, 5.2). */
  readonly code?: string;
  /** What happened, when there was no answer. */
  readonly cause?: unknown;
}

/** No token came. The message names endpoint, status and error code, never what was sent or answered. */
export class TokenRequestError extends Error {
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** The error code of the answer, such as `invalid_client`. */
  readonly code: string | undefined;

  /**
   * Creates an error.
   *
   * @param message where the token was asked for, and what happened
   * @param failure status, code, cause
   */
  constructor(message: string, { status, code, cause }: TokenFailure = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TokenRequestError";
    this.status = status;
    this.code = code;
  }

  /** Whether the identity service is to blame, and not what was sent: a later try may succeed. */
  get isOutage(): boolean {
    return this.status === undefined || this.status < 400 || this.status === 429 || this.status >= 500;
  }
}

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
  readonly #endOf: (token: string) => number;

  /**
   * Creates a cache.
   *
   * @param capacity tokens at most
   * @param clock milliseconds since 1970
   * @param endOf when a token ends by what it says itself, where its reader looks at that: the same clock
   */
  constructor(
    capacity: number,
    clock: () => number = Date.now,
    endOf: (token: string) => number = () => Infinity,
  ) {
    this.#capacity = capacity;
    this.#clock = clock;
    this.#endOf = endOf;
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
      const expiresAt = Math.min(asked + response.expires_in * 1000, this.#endOf(response.access_token));
      this.#entries.set(key, { response, expiresAt });
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

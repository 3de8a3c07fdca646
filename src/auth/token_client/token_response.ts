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

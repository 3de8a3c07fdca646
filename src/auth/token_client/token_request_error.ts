/**
 * A token that could not be fetched.
 *
 * @module
 */

/** What went wrong. */
export interface TokenFailure {
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

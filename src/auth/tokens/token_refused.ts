/**
 * The verdict about a bad token.
 *
 * @module
 */

/** A token that is not accepted: answered with 401. The message is the reason, for the log only. */
export class TokenRefused extends Error {
  /**
   * Creates the verdict.
   *
   * @param reason what is wrong, without any value of the token
   * @param options the cause
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "TokenRefused";
  }
}

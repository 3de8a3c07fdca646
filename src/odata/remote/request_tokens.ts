/**
 * Tokens that remote services want with changes, so that no page of another site can cause them (`X-CSRF-Token`).
 *
 * @module
 */

import { BoundedCache } from "../../util/bounded_cache.ts";

/** Users whose tokens are kept. */
const USERS = 100;

/** The tokens of one service, one for each login. */
export class RequestTokens {
  readonly #kept: BoundedCache<string, Readonly<Record<string, string>>> = new BoundedCache(USERS);

  /**
   * The headers of a change: token and session.
   *
   * @param user how the call is authenticated
   */
  headers(user: string): Readonly<Record<string, string>> {
    return this.#kept.get(user) ?? {};
  }

  /** Whether a change was refused for want of a token. */
  isWanted({ status, headers }: Response): boolean {
    return status === 403 && headers.get("x-csrf-token")?.toLowerCase() === "required";
  }

  /**
   * Keeps the token of an answer, and the session it belongs to.
   *
   * @param user how the call is authenticated
   * @param response the answer to a request for a token
   */
  keep(user: string, { headers }: Response): void {
    const token = headers.get("x-csrf-token");
    if (token === null) return;
    const cookie = headers.getSetCookie().map((one) => one.split(";", 1)[0]!).join("; ");
    this.#kept.set(user, { "x-csrf-token": token, ...(cookie === "" ? {} : { cookie }) });
  }
}

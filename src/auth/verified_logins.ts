/**
 * The cache of logins by name and password.
 *
 * @module
 */

import type { MockUser } from "./mock_users.ts";

/**
 * Keeps users by the header that they logged in with, the longest unused is dropped first. Only logins with the right
 * password are kept, so that whoever hits the cache knows it already; why a header may be a key as it is says
 * `VerifiedTokens`. Users do not change while the process runs.
 */
export class VerifiedLogins {
  readonly #limit: number;
  readonly #users: Map<string, MockUser> = new Map();

  /**
   * Creates an empty cache.
   *
   * @param limit entries at most
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Finds the user that a header logs in. */
  get(header: string): MockUser | undefined {
    const user = this.#users.get(header);
    if (!user) return undefined;
    this.#users.delete(header);
    this.#users.set(header, user);
    return user;
  }

  /** Keeps a login. */
  add(header: string, user: MockUser): void {
    if (this.#limit === 0) return;
    if (this.#users.size >= this.#limit) this.#users.delete(this.#users.keys().next().value!);
    this.#users.set(header, user);
  }
}

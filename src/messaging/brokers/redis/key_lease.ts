/**
 * Which instance of a group handles the messages with a key.
 *
 * @module
 */

import type { Redis } from "ioredis";

/** Renews the lease of its holder. */
const RENEW =
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
/** Ends the lease of its holder. */
const RELEASE =
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** A lease that one instance holds at a time; it ends by itself when its holder does not renew it. */
export class KeyLease {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #token: string;
  readonly #leaseMs: number;
  #heldUntil = 0;

  /**
   * Creates a lease; it is not held yet.
   *
   * @param redis the connection
   * @param lease key, name of this instance, and time
   */
  constructor(
    redis: Redis,
    lease: { readonly key: string; readonly token: string; readonly leaseMs: number },
  ) {
    this.#redis = redis;
    this.#key = lease.key;
    this.#token = lease.token;
    this.#leaseMs = lease.leaseMs;
  }

  /** Whether this instance holds it, as far as its own clock tells. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /**
   * Takes the lease or renews it.
   *
   * @returns whether it is held now, and whether it was not before
   */
  async keep(): Promise<"kept" | "taken" | "none"> {
    // Counted from before the call: it never ends later here than in Redis.
    const until = performance.now() + this.#leaseMs;
    const wasHeld = this.isHeld;
    if (wasHeld && await this.#redis.eval(RENEW, 1, this.#key, this.#token, this.#leaseMs) === 1) {
      this.#heldUntil = until;
      return "kept";
    }
    this.#heldUntil = 0;
    if (wasHeld) return "none";
    if (await this.#redis.set(this.#key, this.#token, "PX", this.#leaseMs, "NX") !== "OK") return "none";
    this.#heldUntil = until;
    return "taken";
  }

  /** Gives it to the next one. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.#heldUntil = 0;
    await this.#redis.eval(RELEASE, 1, this.#key, this.#token);
  }
}

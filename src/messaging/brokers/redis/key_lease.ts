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
  #term = 0;

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

  /** Number of the time for which it is held without a break; a number that was never given while it is not held. */
  get term(): number {
    return this.isHeld ? this.#term : -1;
  }

  /** Renews the lease, or takes it if nobody holds it. */
  async keep(): Promise<void> {
    // Counted from before the call: it never ends later here than in Redis.
    const until = performance.now() + this.#leaseMs;
    if (this.isHeld) {
      const isRenewed = await this.#redis.eval(RENEW, 1, this.#key, this.#token, this.#leaseMs) === 1;
      // A confirmation that comes after the time was over begins a new term: what came meanwhile was not handled.
      if (isRenewed && !this.isHeld) this.#term++;
      this.#heldUntil = isRenewed ? until : 0;
    } else if (await this.#redis.set(this.#key, this.#token, "PX", this.#leaseMs, "NX") === "OK") {
      this.#term++;
      this.#heldUntil = until;
    }
  }

  /** Gives it to the next one. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.#heldUntil = 0;
    await this.#redis.eval(RELEASE, 1, this.#key, this.#token);
  }
}

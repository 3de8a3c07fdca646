import { BoundedCache } from "../../util/bounded_cache.ts";
import { TokenRequestError, type TokenResponse } from "./token_response.ts";

/** After a failure the same is not asked again for so long. */
export const FAILURE_PAUSE_MS = 1000;

/** What is asked, and for what. */
export interface TokenQuestion {
  /** The token endpoint. */
  readonly url: string;
  /** Tells which token it is; holds no secret. */
  readonly key: string;
}

/** What failures are kept with. */
export interface TokenFailuresOptions {
  /** Endpoints, and tokens, that are remembered at most. */
  readonly capacity: number;
  /** Milliseconds that a request takes at most. */
  readonly timeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

interface Failure {
  readonly error: TokenRequestError;
  /** No request before. */
  readonly until: number;
}

/**
 * Remembers what failed a moment ago, so that an outage costs a request per second and not one for each that comes in.
 *
 * A failure of an endpoint counts for every token, and after its pause one request tries, whose outcome the others do
 * not wait for. A failure that may be about one token alone counts for that one, so that its user locks out nobody.
 */
export class TokenFailures {
  readonly #endpoints: BoundedCache<string, Failure>;
  readonly #tokens: BoundedCache<string, Failure>;
  readonly #longestMs: number;
  readonly #clock: () => number;

  /** @param options bounds and clock */
  constructor({ capacity, timeoutMs, clock }: TokenFailuresOptions) {
    this.#endpoints = new BoundedCache(capacity);
    this.#tokens = new BoundedCache(capacity);
    this.#longestMs = timeoutMs + FAILURE_PAUSE_MS;
    this.#clock = clock;
  }

  /**
   * Asks, unless that failed a moment ago.
   *
   * @param question the endpoint and the token
   * @param ask sends the request
   * @throws TokenRequestError the one of the request, or of the last one
   */
  async run({ url, key }: TokenQuestion, ask: () => Promise<TokenResponse>): Promise<TokenResponse> {
    const failing = this.#endpoints.get(url);
    const recent = [failing, this.#tokens.get(key)].find((failure) => this.#isRecent(failure));
    if (recent) throw recent.error;
    // longer than the request takes: where work ends with the request that began it, the outcome may never come
    if (failing) this.#endpoints.set(url, this.#failure(failing.error, this.#longestMs));
    try {
      const token = await ask();
      this.#endpoints.delete(url);
      return token;
    } catch (error) {
      this.#endpoints.delete(url);
      if (error instanceof TokenRequestError) {
        const failure = this.#failure(error, FAILURE_PAUSE_MS);
        if (isOfEndpoint(error)) this.#endpoints.set(url, failure);
        else this.#tokens.set(key, failure);
      }
      throw error;
    }
  }

  #failure(error: TokenRequestError, pauseMs: number): Failure {
    return { error, until: this.#clock() + pauseMs };
  }

  #isRecent(failure: Failure | undefined): boolean {
    const wait = failure ? failure.until - this.#clock() : 0;
    // a longer wait means that the clock was set back
    return wait > 0 && wait <= this.#longestMs;
  }
}

/** An answer 500, or one that cannot be used, may come from what the one token holds. */
function isOfEndpoint({ isOutage, status }: TokenRequestError): boolean {
  return isOutage && status !== 500 && status !== 200;
}

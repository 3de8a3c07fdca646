/**
 * The client of token endpoints (spec 4.2, 5.3).
 *
 * @module
 */

import { contentTag } from "../../util/content_tag.ts";
import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { readBoundedText } from "../../util/bytes.ts";
import { sendByFetch, type SendRequest, type TokenCredentials, tokenEndpoint } from "./token_credentials.ts";
import { TokenFailures } from "./token_failures.ts";
import { readTokenResponse, TokenCache, TokenRequestError, type TokenResponse } from "./token_response.ts";
import type { BoundKind } from "../strategy.ts";
import { jsonOr } from "../../util/json_text.ts";

/** What a client is made from. */
export interface TokenClientOptions {
  /** Who asks, and where. */
  readonly credentials: TokenCredentials;
  /** Sends the requests; default: `fetch`, which cannot show a certificate. */
  readonly fetch?: SendRequest;
  /** Bounds; default: those without configuration. */
  readonly limits?: Pick<Limits, "tokenAnswerBytes" | "tokenCache" | "tokenRequestMs">;
  /** Keeps tokens; clients may share one. Default: an own one. */
  readonly cache?: TokenCache;
  /** Milliseconds since the epoch; default: the clock of the platform. */
  readonly clock?: () => number;
}

/**
 * Fetches tokens from one identity service.
 *
 * @example A token for a technical user
 * ```ts
 * import assert from "node:assert/strict";
 * import { TokenClient } from "./token_client.ts";
 * import { readTokenCredentials } from "./token_credentials.ts";
 *
 * const credentials = readTokenCredentials({ clientid: "c", clientsecret: "s", url: "https://auth.test" });
 * const answer = { access_token: "abc", token_type: "bearer", expires_in: 3600 };
 * const client = new TokenClient({ credentials, fetch: () => Promise.resolve(Response.json(answer)) });
 * assert.equal((await client.token({ type: "client_credentials" })).access_token, "abc");
 * ```
 */
export class TokenClient {
  readonly #credentials: TokenCredentials;
  readonly #fetch: SendRequest;
  readonly #limits: Pick<Limits, "tokenAnswerBytes" | "tokenRequestMs">;
  readonly #cache: TokenCache;
  readonly #failures: TokenFailures;
  readonly #certificate: string;

  /** @param options credentials, and what sends requests */
  constructor(options: TokenClientOptions) {
    const { credentials, fetch = sendByFetch, limits = DEFAULT_LIMITS, cache, clock = Date.now } = options;
    this.#credentials = credentials;
    this.#fetch = fetch;
    this.#limits = limits;
    const { tokenCache: capacity, tokenRequestMs: timeoutMs } = limits;
    this.#failures = new TokenFailures({ capacity, timeoutMs, clock });
    this.#certificate = contentTag(credentials.keyPair?.certificate ?? "");
    this.#cache = cache ?? new TokenCache(limits.tokenCache);
  }

  /**
   * A token, from the cache while at least five minutes of its lifetime are left. What failed is not asked again for a
   * second.
   *
   * @param grant what it is asked for with
   * @throws TokenRequestError when none comes
   */
  token(grant: TokenGrant): Promise<TokenResponse> {
    const key = this.#cacheKey(grant);
    return this.#cache.get(
      key,
      () => this.#failures.run({ url: this.#urlFor(grant), key }, () => this.fetch(grant)),
    );
  }

  /**
   * A new token.
   *
   * @param grant what it is asked for with
   * @throws TokenRequestError when none comes: refused, late, too large, redirected, or not as spec 2.8 wants it
   */
  async fetch(grant: TokenGrant): Promise<TokenResponse> {
    const url = this.#urlFor(grant);
    const request = new Request(url, {
      method: "POST",
      headers: this.#headers(grant),
      body: this.#form(grant).toString(),
      redirect: "manual",
      signal: AbortSignal.timeout(this.#limits.tokenRequestMs),
    });
    try {
      return await this.#read(await this.#fetch(request, this.#credentials.keyPair), url);
    } catch (cause) {
      if (cause instanceof TokenRequestError) throw cause;
      const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
      const what = isLate
        ? `did not answer within ${this.#limits.tokenRequestMs} ms`
        : "could not be reached";
      throw new TokenRequestError(`The token endpoint ${url} ${what}`, { cause });
    }
  }

  async #read(response: Response, url: string): Promise<TokenResponse> {
    const { status } = response;
    const text = await readBoundedText(response, this.#limits.tokenAnswerBytes);
    const fail = (what: string, code?: string) =>
      new TokenRequestError(`The token endpoint ${url} ${what}`, { status, code });
    if (text === undefined) throw fail(`answered more than ${this.#limits.tokenAnswerBytes} bytes`);
    const body = jsonOr(text, undefined);
    if (status !== 200) {
      const code = errorCode(body);
      throw fail(`answered ${status}${code ? ` (${code})` : ""}`, code);
    }
    const token = readTokenResponse(body);
    if (typeof token === "string") {
      throw new TokenRequestError(`The answer of the token endpoint ${url} ${token}`, { status });
    }
    return token;
  }

  #urlFor({ authUrl }: TokenGrant): string {
    const { kind, tokenUrl } = this.#credentials;
    return authUrl === undefined ? tokenUrl : tokenEndpoint(authUrl, kind);
  }

  #headers({ tenant }: TokenGrant): Headers {
    const headers = new Headers({
      "accept": "application/json",
      "content-type": "application/x-www-form-urlencoded",
    });
    if (tenant && this.#credentials.kind === "oauth2") headers.set("x-zid", tenant);
    return headers;
  }

  #form(grant: TokenGrant): URLSearchParams {
    const { kind, clientId, clientSecret } = this.#credentials;
    const form = new URLSearchParams({ ...grantMembers(grant, kind), client_id: clientId });
    if (clientSecret !== undefined) form.set("client_secret", clientSecret);
    return form;
  }

  /** A digest, so that the cache holds neither passwords nor assertions beside the tokens. */
  #cacheKey(grant: TokenGrant): string {
    const parts = [this.#urlFor(grant), this.#certificate, grant.tenant ?? "", [...this.#form(grant)]];
    return contentTag(JSON.stringify(parts));
  }
}

/** The code of an error answer, if it is a plain word: it goes into messages. */
function errorCode(body: unknown): string | undefined {
  const code = isPlainObject(body) ? body.error : undefined;
  return typeof code === "string" && /^[\w.-]{1,64}$/.test(code) ? code : undefined;
}

/** What every request of a token may add. */
interface GrantOptions {
  /** Further members of the form, such as `scope` or `token_format`; they never replace those of the grant. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The tenant the token is for; default: the one of the credentials. */
  readonly tenant?: string;
  /** URL of the identity service of a subscriber; default: the one of the credentials. The caller has checked it. */
  readonly authUrl?: string;
}

/** A token for a technical user. */
interface ClientCredentialsGrant extends GrantOptions {
  /** The grant. */
  readonly type: "client_credentials";
}

/** A token for a named user, by name and password. */
interface PasswordGrant extends GrantOptions {
  /** The grant. */
  readonly type: "password";
  /** Name of the user. */
  readonly username: string;
  /** Password of the user. */
  readonly password: string;
}

/** A token for the user of another token. */
export interface JwtBearerGrant extends GrantOptions {
  /** The grant. */
  readonly type: "jwt-bearer";
  /** The other token. */
  readonly assertion: string;
}

/** What a token is asked for with. */
export type TokenGrant = ClientCredentialsGrant | PasswordGrant | JwtBearerGrant;

/** The name of the JWT bearer grant (RFC 7523, 2.1). */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The members of a form that a grant gives, without those of the client. */
function grantMembers(grant: TokenGrant, kind: BoundKind): Readonly<Record<string, string>> {
  const common = {
    ...grant.parameters,
    ...(grant.tenant && kind === "oidc" ? { app_tid: grant.tenant } : {}),
  };
  switch (grant.type) {
    case "client_credentials":
      return { ...common, grant_type: grant.type };
    case "password":
      return { ...common, grant_type: grant.type, username: grant.username, password: grant.password };
    case "jwt-bearer":
      return { ...common, grant_type: JWT_BEARER, assertion: grant.assertion };
  }
}

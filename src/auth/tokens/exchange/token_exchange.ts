/**
 * Exchange of tokens of the OIDC service for those of the OAuth 2.0 service, and its configuration: cross-consumption
 * (spec 5.1; auth 5).
 *
 * @module
 */

import { User } from "../../../context/user.ts";
import { ServiceError } from "../../../errors/service_error.ts";
import { type JwtBearerGrant, TokenClient } from "../../token_client/token_client.ts";
import { FAILURE_PAUSE_MS } from "../../token_client/token_failures.ts";
import { TokenCache, TokenRequestError } from "../../token_client/token_response.ts";
import { clientIdOf, textsOf } from "../claim_checks.ts";
import { readOidcCredentials, trustedIssuer } from "../oidc/oidc_credentials.ts";
import { type Claims, type ParsedToken, parseToken, TokenRefused } from "../token.ts";
import type { KindSettings, TokenUser } from "../token_kind.ts";
import { createTokenVerifier, type VerifiedToken } from "../token_strategy.ts";
import type { Limits } from "../../../config/limits.ts";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { readTokenCredentials, type SendRequest } from "../../token_client/token_credentials.ts";
import type { KeySets } from "../key_sets.ts";
import { createOAuth2Kind, readOAuth2Credentials } from "../oauth2_kind.ts";

/** What an exchange is made from. */
export interface TokenExchangeOptions {
  /** `provide`: the user stays that of the OIDC service; `force`: it becomes that of the OAuth 2.0 service. */
  readonly mode: "provide" | "force";
  /** Fetches tokens of the OIDC service. */
  readonly oidc: TokenClient;
  /** Fetches tokens of the OAuth 2.0 service. */
  readonly oauth2: TokenClient;
  /** Hosts of trusted issuers. */
  readonly domains: readonly string[];
  /** All checks of the OAuth 2.0 service. */
  readonly verify: (text: string) => VerifiedToken | Promise<VerifiedToken>;
}

/** What handlers find as `req.user.authInfo.exchanged`. */
export interface ExchangedToken {
  /** Claims of the token of the OAuth 2.0 service. */
  readonly claims: Claims;
  /** The user it gives. */
  readonly user: User;
  /** The token, for requests to services that want it; not enumerable, so that no log shows it. */
  readonly token: string;
}

const RETRY_AFTER_SECONDS = Math.ceil(FAILURE_PAUSE_MS / 1000);

/**
 * Creates the exchange: the user of a verified token, after the exchange if the token is that of a named user of the
 * OIDC service.
 *
 * @param options mode, clients, checks
 * @returns a function that throws TokenRefused for a technical user when the exchange is forced, and when the result
 *   is refused or names another user or tenant; ServiceError 503 when a token endpoint fails
 */
export function createTokenExchange(
  options: TokenExchangeOptions,
): (own: VerifiedToken) => Promise<TokenUser> {
  return async ({ token, kind }) => {
    const own = kind.user(token);
    if (kind.kind !== "oidc") return own;
    if (clientIdOf(token.claims) === token.claims.sub) {
      if (options.mode === "provide") return own;
      throw new TokenRefused("technical users are not exchanged");
    }
    const found = await options.verify(await fetchToken(token, options));
    assertSame(token.claims, found.token.claims);
    const theirs = found.kind.user(found.token);
    const { user, tenant } = options.mode === "force" ? theirs : own;
    return { user: withExchanged(user, toExchanged(found.token, theirs.user)), tenant };
  };
}

/** An access token becomes an ID token first. */
async function fetchToken({ text, claims }: ParsedToken, options: TokenExchangeOptions): Promise<string> {
  const assertion = isAccessToken(claims)
    ? await ask(options.oidc, {
      type: "jwt-bearer",
      assertion: text,
      authUrl: trustedIssuer(claims, options.domains),
      parameters: { token_format: "jwt", refresh_expiry: "0" },
    })
    : text;
  return await ask(options.oauth2, { type: "jwt-bearer", assertion, tenant: tenantOf(claims) });
}

/** Its only audience is another one than the client it was issued to. */
function isAccessToken(claims: Claims): boolean {
  const audiences = textsOf(claims.aud);
  return audiences.length === 1 && audiences[0] !== clientIdOf(claims);
}

async function ask(client: TokenClient, grant: JwtBearerGrant): Promise<string> {
  try {
    return (await client.token(grant)).access_token;
  } catch (cause) {
    if (!(cause instanceof TokenRequestError)) throw cause;
    if (!cause.isOutage) {
      throw new TokenRefused("the identity service does not exchange the token", { cause });
    }
    const message = "The identity service cannot be reached";
    throw new ServiceError({ status: 503, retryAfter: RETRY_AFTER_SECONDS, message, cause });
  }
}

function tenantOf({ app_tid, zone_uuid }: Claims): string | undefined {
  // the kind has checked the type
  return (app_tid ?? zone_uuid) as string | undefined;
}

function assertSame(own: Claims, theirs: Claims): void {
  if (tenantOf(own) !== theirs.zid) throw new TokenRefused("the exchanged token names another tenant");
  if (!isSameUser(own, theirs)) throw new TokenRefused("the exchanged token names another user");
}

/** The id of the user where both have it, else the name. */
function isSameUser(own: Claims, theirs: Claims): boolean {
  if (own.user_uuid !== undefined && theirs.user_uuid !== undefined) {
    return own.user_uuid === theirs.user_uuid;
  }
  const { user_name: name } = theirs;
  return typeof name === "string" && [own.sub, own.user_name, own.email].includes(name);
}

function toExchanged({ text, claims }: ParsedToken, user: User): ExchangedToken {
  const exchanged = Object.defineProperty({ claims, user }, "token", { value: text });
  return exchanged as ExchangedToken; // the property was just defined
}

/** The same user with a further member of `authInfo`. */
function withExchanged(user: User, exchanged: ExchangedToken): User {
  const { id, roles, attr, tenant, features, authInfo } = user;
  const info = Object.freeze(Object.assign(Object.create(null), authInfo, { exchanged }));
  return new User({ id, roles, attr, tenant, features: [...features], authInfo: info });
}

/** What the exchange depends on. */
interface ConfiguredExchange {
  /** `fw.security.authentication.tokenExchange`. */
  readonly mode: "provide" | "force";
  /** `fw.requires.auth.credentials`: those of both services below the names of their kinds. */
  readonly credentials: unknown;
  /** Configuration of the application. */
  readonly settings: KindSettings;
  /** Sends requests. */
  readonly fetch: SendRequest;
  /** Finds keys. */
  readonly keys: KeySets;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Bounds in effect. */
  readonly limits: Limits;
}

/**
 * Creates the exchange.
 *
 * @param options configuration
 * @throws ConfigurationError when the credentials of one of the services are missing or wrong
 */
export async function createConfiguredExchange(
  { mode, credentials, settings, fetch, ...common }: ConfiguredExchange,
): Promise<(own: VerifiedToken) => Promise<TokenUser>> {
  const [oidc, oauth2] = [credentialsOf(credentials, "oidc"), credentialsOf(credentials, "oauth2")];
  const { limits, clock } = common;
  const access = { fetch, limits, clock, cache: new TokenCache(limits.tokenCache, clock, endOf) };
  const kind = createOAuth2Kind(await readOAuth2Credentials(oauth2), settings);
  return createTokenExchange({
    mode,
    domains: readOidcCredentials(oidc).domains,
    oidc: new TokenClient({ credentials: readTokenCredentials(oidc, "oidc"), ...access }),
    oauth2: new TokenClient({ credentials: readTokenCredentials(oauth2, "oauth2"), ...access }),
    // with an own cache: a token that was fetched is not one that a client may send
    verify: createTokenVerifier({ ...common, kindOf: () => kind }),
  });
}

/** A token that has ended is refused, however long its service said that it lives. */
function endOf(text: string): number {
  try {
    const { exp } = parseToken(text).claims;
    return typeof exp === "number" ? exp * 1000 : Infinity;
  } catch {
    return Infinity;
  }
}

function credentialsOf(credentials: unknown, kind: "oidc" | "oauth2"): unknown {
  const own = isPlainObject(credentials) ? credentials[kind] : undefined;
  if (isPlainObject(own)) return own;
  throw new ConfigurationError(
    `"fw.security.authentication.tokenExchange" needs both identity services, but "fw.requires.auth.credentials.${kind}" is missing`,
  );
}

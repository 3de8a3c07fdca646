/**
 * The configured exchange of tokens.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import type { SendRequest } from "../../token_client/client_key_pair.ts";
import { TokenCache } from "../../token_client/token_cache.ts";
import { TokenClient } from "../../token_client/token_client.ts";
import { readTokenCredentials } from "../../token_client/token_credentials.ts";
import { readOidcCredentials } from "../oidc/oidc_credentials.ts";
import type { KeySets } from "../key_sets.ts";
import { createOAuth2Kind, readOAuth2Credentials } from "../oauth2_kind.ts";
import type { KindSettings, TokenUser } from "../token_kind.ts";
import { createTokenVerifier } from "../token_strategy.ts";
import type { VerifiedToken } from "../verified_tokens.ts";
import { createTokenExchange } from "./token_exchange.ts";

/** What the exchange depends on. */
export interface ConfiguredExchange {
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
  const cache = new TokenCache(limits.tokenCache, clock);
  const kind = createOAuth2Kind(await readOAuth2Credentials(oauth2), settings);
  return createTokenExchange({
    mode,
    domains: readOidcCredentials(oidc).domains,
    oidc: new TokenClient({ credentials: readTokenCredentials(oidc, "oidc"), fetch, limits, cache }),
    oauth2: new TokenClient({ credentials: readTokenCredentials(oauth2, "oauth2"), fetch, limits, cache }),
    // with an own cache: a token that was fetched is not one that a client may send
    verify: createTokenVerifier({ ...common, kindOf: () => kind }),
  });
}

function credentialsOf(credentials: unknown, kind: "oidc" | "oauth2"): unknown {
  const own = isPlainObject(credentials) ? credentials[kind] : undefined;
  if (isPlainObject(own)) return own;
  throw new ConfigurationError(
    `"fw.security.authentication.tokenExchange" needs both identity services, but "fw.requires.auth.credentials.${kind}" is missing`,
  );
}

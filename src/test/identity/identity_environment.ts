/**
 * What makes a runtime accept the tokens of identity services of a test.
 *
 * @module
 */

import { sendByFetch, type SendRequest } from "../../auth/token_client/token_credentials.ts";
import type { Identity } from "./identity.ts";

/** The address that requests of a test client come from. */
export const TEST_PEER = "127.0.0.1";

/**
 * Configuration below `fw` for these services; with several of them all kinds are in effect.
 *
 * @param identities the services, at most one per kind, but several OpenID providers
 * @throws TypeError for two of one kind
 */
export function identityEnvironment(identities: readonly Identity[]): Readonly<Record<string, unknown>> {
  if (identities.length === 0) return {};
  const providers = identities.filter(({ kind }) => kind === "openid");
  const bound = identities.filter(({ kind }) => kind !== "openid");
  const kinds = [...new Set(identities.map(({ kind }) => kind))];
  if (new Set(bound.map(({ kind }) => kind)).size < bound.length) {
    throw new TypeError(`Expected at most one identity service of kind ${bound[0]!.kind}`);
  }
  const roles = bound.find(({ kind }) => kind === "oidc")?.claims.roles;
  const members = bound.length === 1 && providers.length === 0
    ? bound[0]!.credentials
    : Object.fromEntries(bound.map((one) => [one.kind, one.credentials]));
  const auth = {
    ...(kinds.length === 1 ? { kind: kinds[0] } : { kind: kinds }),
    ...(bound.length === 0 ? {} : { credentials: members }),
    ...(providers.length === 1 ? providers[0]!.credentials : {}),
    ...(providers.length > 1 ? { issuers: providers.map(({ credentials }) => credentials) } : {}),
    ...(roles === undefined || providers.length > 0 ? {} : { claims: { roles } }),
  };
  return { requires: { auth }, server: { trusted_proxies: [TEST_PEER] } };
}

/**
 * Sends each request to the service its host belongs to, all others to the network.
 *
 * @param identities the services
 */
export function identityFetch(identities: readonly Identity[]): SendRequest {
  return async (request, keyPair) => {
    const identity = identities.find((one) => one.serves(request.url));
    return await (identity ? identity.fetch(request, keyPair) : sendByFetch(request, keyPair));
  };
}

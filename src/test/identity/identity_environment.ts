/**
 * What makes a runtime accept the tokens of identity services of a test.
 *
 * @module
 */

import { sendByFetch, type SendRequest } from "../../auth/token_client/client_key_pair.ts";
import type { Identity } from "./identity.ts";

/** The address that requests of a test client come from. */
export const TEST_PEER = "127.0.0.1";

/**
 * Configuration below `fw` for these services; with two of them both kinds are in effect.
 *
 * @param identities the services, at most one per kind
 * @throws TypeError for two of one kind
 */
export function identityEnvironment(identities: readonly Identity[]): Readonly<Record<string, unknown>> {
  if (identities.length === 0) return {};
  const [first, ...others] = identities;
  if (new Set(identities.map((one) => one.kind)).size < identities.length) {
    throw new TypeError(`Expected at most one identity service of kind ${first.kind}`);
  }
  const auth = others.length === 0 ? { kind: first.kind, credentials: first.credentials } : {
    kind: identities.map((one) => one.kind),
    credentials: Object.fromEntries(identities.map((one) => [one.kind, one.credentials])),
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

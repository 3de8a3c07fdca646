/**
 * The identity services that an application is bound to (spec 5.1).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { type BoundKind, IDENTITY_KINDS } from "../identity_kinds.ts";
import { readTokenCredentials, type TokenCredentials } from "./token_credentials.ts";

/** `fw.requires.auth`, as far as it tells about bindings. */
export interface BoundAuthentication {
  /** One kind, or both. */
  readonly kind?: string | readonly string[];
  /** Those of the service; with two kinds those of each under its name. */
  readonly credentials?: Readonly<Record<string, unknown>>;
}

/**
 * The credentials with which an application asks its own identity service for tokens.
 *
 * @param auth `fw.requires.auth`
 * @param kind which service, where there are two
 * @throws ConfigurationError when there is none, or two and no choice
 */
export function boundIdentity(auth: BoundAuthentication = {}, kind?: BoundKind): TokenCredentials {
  const { credentials } = auth;
  const found = [auth.kind ?? []].flat().flatMap((name): BoundKind[] => {
    const known = Object.hasOwn(IDENTITY_KINDS, name) ? IDENTITY_KINDS[name] : undefined;
    return known === undefined || known === "openid" ? [] : [known];
  });
  if (credentials === undefined || found.length === 0) {
    throw new ConfigurationError(
      'The application is bound to no identity service: "fw.requires.auth" has no credentials of one (fw add oidc)',
    );
  }
  if (kind === undefined && found.length > 1) {
    throw new ConfigurationError("The application is bound to two identity services: choose oidc or oauth2");
  }
  const chosen = kind ?? found[0];
  if (!found.includes(chosen)) {
    throw new ConfigurationError(`The application is bound to no identity service of kind ${chosen}`);
  }
  return readTokenCredentials(found.length > 1 ? credentials[chosen] : credentials, chosen);
}

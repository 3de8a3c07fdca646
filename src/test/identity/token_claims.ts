/**
 * The claims of valid tokens, as the two identity services write them (auth 5).
 *
 * @module
 */

import type { Certificate } from "./certificate.ts";
import type { TokenAlgorithm } from "./signing_keys.ts";

/** A token: without further words a valid one of a technical user. */
export interface TokenOptions {
  /** Name of the user; without it the token is that of a technical user. */
  readonly user?: string;
  /** Roles: scopes of the OAuth 2.0 service; of the OIDC service those of a technical user. */
  readonly roles?: readonly string[];
  /** Attributes of the user. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
  /** The tenant; default: that of the identity service. */
  readonly tenant?: string;
  /** The certificate the token is bound to. */
  readonly certificate?: Pick<Certificate, "thumbprint">;
  /** How it is signed; default: `RS256`. */
  readonly algorithm?: TokenAlgorithm;
  /** Seconds until it expires; negative for one that has expired. Default: an hour. */
  readonly expiresInSeconds?: number;
  /** Claims that differ; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Members of the header that differ; `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Another private key to sign with. */
  readonly key?: CryptoKey;
  /** Stands where the signature would: any text, `""` for none. */
  readonly signature?: string;
}

/** What claims depend on beside the token's own options. */
export interface Issuer {
  readonly kind: "oidc" | "oauth2";
  readonly url: string;
  readonly clientId: string;
  readonly appName: string;
  readonly tenant: string;
}

/**
 * The claims of a token.
 *
 * @param issuer the identity service
 * @param options user, roles, lifetime, claims that differ
 * @throws TypeError for roles of a named user at the OIDC service: its tokens hold none
 */
export function tokenClaims(issuer: Issuer, options: TokenOptions): Readonly<Record<string, unknown>> {
  const { user, attributes, certificate, expiresInSeconds = 3600 } = options;
  const now = Math.floor(Date.now() / 1000);
  return {
    jti: crypto.randomUUID(),
    iat: now + Math.min(0, expiresInSeconds - 1),
    exp: now + expiresInSeconds,
    azp: issuer.clientId,
    ...(user === undefined ? {} : { given_name: user, family_name: "Test", email: `${user}@example.com` }),
    ...(certificate ? { cnf: { "x5t#S256": certificate.thumbprint } } : {}),
    ...(issuer.kind === "oidc" ? oidcClaims(issuer, options) : oauth2Claims(issuer, options)),
    ...(issuer.kind === "oidc" ? attributes : {}),
    ...options.claims,
  };
}

function oidcClaims(issuer: Issuer, { user, roles, tenant }: TokenOptions): Record<string, unknown> {
  if (user !== undefined && roles !== undefined) {
    throw new TypeError("Tokens of the OIDC service carry no roles of named users");
  }
  return {
    iss: issuer.url,
    sub: user ?? issuer.clientId,
    aud: issuer.clientId,
    app_tid: tenant ?? issuer.tenant,
    ...(user === undefined ? {} : { user_uuid: user, scim_id: user }),
    ...(roles ? { ias_apis: roles } : {}),
  };
}

function oauth2Claims(issuer: Issuer, options: TokenOptions): Record<string, unknown> {
  const { user, roles = [], attributes = {}, tenant } = options;
  const lists = Object.entries(attributes).map(([name, value]) => [name, [value].flat()]);
  return {
    iss: `${issuer.url}/oauth/token`,
    sub: user ?? issuer.clientId,
    aud: [issuer.clientId, issuer.appName],
    zid: tenant ?? issuer.tenant,
    client_id: issuer.clientId,
    cid: issuer.clientId,
    ext_attr: { enhancer: "XSUAA", zdn: new URL(issuer.url).hostname.split(".")[0] },
    scope: [
      ...(user === undefined ? ["uaa.resource"] : ["openid"]),
      ...roles.map((role) => `${issuer.appName}.${role}`),
    ],
    ...(user === undefined
      ? { grant_type: "client_credentials" }
      : { grant_type: "password", user_id: user, user_name: user, origin: "test" }),
    ...(user === undefined
      ? {}
      : { "xs.user.attributes": Object.fromEntries(lists), "xs.system.attributes": {} }),
  };
}

/**
 * The claims of valid tokens, as the identity services and OpenID providers write them (auth 5).
 *
 * @module
 */

import type { IdentityKind } from "../../auth/strategy.ts";
import { type ClaimPath, claimPath, claimPaths, MEMBERS } from "../../auth/tokens/claim_checks.ts";
import type { ClaimSettings } from "../../auth/tokens/openid/openid_settings.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Certificate } from "./certificate.ts";
import type { TokenAlgorithm } from "./signing_keys.ts";

/** A token: without further words a valid one of a technical user. */
export interface TokenOptions {
  /** Name of the user; without it the token is that of a technical user. */
  readonly user?: string;
  /**
   * Roles: scopes of the OAuth 2.0 service; of the OIDC service those of a technical user, of named ones where
   * `claims.roles` of the service says; of an OpenID provider always there.
   */
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
  readonly kind: IdentityKind;
  readonly url: string;
  readonly clientId: string;
  /** Who tokens of an OpenID provider are for. */
  readonly audience: string;
  readonly appName: string;
  readonly tenant: string;
  /** Where the user stands in the claims. */
  readonly claims: ClaimSettings;
}

/**
 * The claims of a token.
 *
 * @param issuer the identity service
 * @param options user, roles, lifetime, claims that differ
 * @throws TypeError for roles that have no place: `claims.roles` of the service is missing
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
    ...CLAIMS[issuer.kind](issuer, options),
    ...(issuer.kind === "oidc" ? attributes : {}),
    ...options.claims,
  };
}

const CLAIMS: Readonly<
  Record<IdentityKind, (issuer: Issuer, options: TokenOptions) => Record<string, unknown>>
> = { oidc: oidcClaims, oauth2: oauth2Claims, openid: openidClaims };

function oidcClaims(issuer: Issuer, { user, roles, tenant }: TokenOptions): Record<string, unknown> {
  const claims: Record<string, unknown> = {
    iss: issuer.url,
    sub: user ?? issuer.clientId,
    aud: issuer.clientId,
    app_tid: tenant ?? issuer.tenant,
    ...(user === undefined ? {} : { user_uuid: user, scim_id: user }),
    ...(roles && user === undefined ? { ias_apis: roles } : {}),
  };
  if (user !== undefined && roles) setRoles(claims, roles, issuer);
  return claims;
}

function openidClaims(
  { url, clientId, audience, claims: settings, ...issuer }: Issuer,
  { user, roles, attributes = {}, tenant = issuer.tenant }: TokenOptions,
): Record<string, unknown> {
  const claims: Record<string, unknown> = { iss: url, sub: user ?? clientId, aud: audience };
  if (user !== undefined && settings.user !== undefined) setAt(claims, claimPath(settings.user), user);
  if (roles) setRoles(claims, roles, { claims: settings });
  if (settings.tenant !== undefined) setAt(claims, claimPath(settings.tenant), tenant);
  for (const [name, value] of Object.entries(attributes)) {
    setAt(claims, attributePath(name, settings.attributes), value);
  }
  return claims;
}

function attributePath(name: string, configured: ClaimSettings["attributes"]): ClaimPath {
  const own = { text: name, names: [name] };
  if (configured === undefined) return own;
  if (typeof configured === "string") {
    const { text, names } = claimPath(configured);
    return { text, names: [...names, name] };
  }
  if (Array.isArray(configured)) {
    return claimPaths(configured).find(({ names }) => names.at(-1) === name) ?? own;
  }
  const path = (configured as Readonly<Record<string, string>>)[name];
  return path === undefined ? own : claimPath(path);
}

/** The first of several paths is taken. */
function setRoles(
  claims: Record<string, unknown>,
  roles: readonly string[],
  { claims: { roles: configured } }: Pick<Issuer, "claims">,
): void {
  const [path] = claimPaths(configured);
  if (!path) {
    throw new TypeError(`Roles need a place in the tokens: createIdentity({ claims: { roles: "…" } })`);
  }
  const { text, names } = path;
  if (names.at(-1) !== MEMBERS) setAt(claims, path, roles);
  else {setAt(
      claims,
      { text, names: names.slice(0, -1) },
      Object.fromEntries(roles.map((role) => [role, true])),
    );}
}

function setAt(claims: Record<string, unknown>, { names }: ClaimPath, value: unknown): void {
  const last = names.at(-1)!;
  let place = claims;
  for (const name of names.slice(0, -1)) {
    const inner = place[name];
    const next: Record<string, unknown> = isPlainObject(inner) ? inner : {};
    place[name] = next;
    place = next;
  }
  place[last] = value;
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

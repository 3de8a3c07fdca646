/**
 * Tokens of any provider of OpenID Connect: access tokens (RFC 9068) and ID tokens (OpenID Connect Core 1.0, 2).
 *
 * @module
 */

import { type BindingOptions, boundCertificate } from "../../certificate/certificate_binding.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import {
  claimAt,
  type ClaimPath,
  claimPath,
  claimPaths,
  rolesAt,
  rolesOf,
  textsOf,
  type UserBasis,
  usersOfTokens,
} from "../claim_checks.ts";
import type { Discovery } from "../documents.ts";
import { type Claims, TokenRefused } from "../token.ts";
import type { KindSettings, TokenKind, TokenRequest } from "../token_kind.ts";
import type { ClaimSettings, IssuerSettings } from "./openid_settings.ts";
import { isTenantId } from "../../../util/is_tenant_id.ts";

/** Claims of the protocol, which are no attributes of the user (RFC 7519, RFC 9068, OpenID Connect Core 1.0). */
const NO_ATTRIBUTES = new Set(
  ("iss sub aud exp nbf iat jti azp cnf typ scope nonce at_hash c_hash s_hash auth_time acr amr sid").split(
    " ",
  ),
);
const MAX_ID = 256;

/**
 * Creates the reader of users.
 *
 * @param issuer where the user stands in the claims
 * @param settings configuration of the application
 * @returns a function of the claims of a verified token; it throws TokenRefused where a claim that is configured has a
 *   wrong type, or no user is named
 */
function openidUser(
  { claims: { user = "sub", roles, tenant, attributes }, idPrefix, tenant: fixedTenant }: IssuerSettings,
  { multitenancy, features }: KindSettings,
): (claims: Claims) => UserBasis {
  const userPath = claimPath(user);
  const rolePaths = claimPaths(roles);
  const tenantPath = tenant === undefined ? undefined : claimPath(tenant);
  const attributesOf = attributeReader(attributes);
  return (claims) => {
    const technical = isTechnical(claims);
    const own = multitenancy ? fixedTenant ?? (tenantPath && tenantAt(claims, tenantPath)) : undefined;
    const properties = {
      id: technical ? "system" : idPrefix + idAt(claims, userPath),
      // a provider knows no client that is this application, so there is no internal user
      roles: rolesOf({ named: rolesAt(claims, rolePaths), technical, own: false }),
      attr: attributesOf(claims),
      tenant: own,
      features: features(own),
      authInfo: claims,
    };
    return { properties, tenant: own };
  };
}

/**
 * Whether a token was issued to a client for itself: its subject is the client (RFC 9068, 2.2), or the provider says so
 * (`idtyp` of Entra ID, `gty` of Auth0).
 */
function isTechnical(claims: Claims): boolean {
  const { sub, aud, idtyp, gty } = claims;
  const audiences = textsOf(aud);
  const client = clientOf(claims) ?? (audiences.length === 1 ? audiences[0] : undefined);
  return client === sub || idtyp === "app" || gty === "client-credentials";
}

/** The client that a token was issued to, if the token says so. */
function clientOf({ azp, client_id, cid }: Claims): unknown {
  return azp ?? client_id ?? cid;
}

/** Tokens of some providers name no audience: they are for the client that they were issued to. */
function isForUs(claims: Claims, { audiences, clients }: IssuerSettings): boolean {
  if (claims.aud !== undefined) return textsOf(claims.aud).some((audience) => audiences.has(audience));
  const client = clientOf(claims);
  return typeof client === "string" && clients.has(client);
}

function idAt(claims: Claims, path: ClaimPath): string {
  const id = claimAt(claims, path);
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(id)) {
    return id;
  }
  throw new TokenRefused(`the user at ${path.text} must be a text of at most ${MAX_ID} characters`);
}

function tenantAt(claims: Claims, path: ClaimPath): string | undefined {
  const tenant = claimAt(claims, path);
  if (tenant === undefined || (typeof tenant === "string" && isTenantId(tenant))) return tenant;
  throw new TokenRefused(`the tenant at ${path.text} is no id of a tenant`);
}

type Attributes = Record<string, unknown>;

function attributeReader(configured: ClaimSettings["attributes"]): (claims: Claims) => Attributes {
  if (configured === undefined) {
    return (claims) =>
      entriesToAttributes(Object.entries(claims).filter(([name]) => !NO_ATTRIBUTES.has(name)));
  }
  if (typeof configured === "string") {
    const path = claimPath(configured);
    return (claims) => {
      const value = claimAt(claims, path) ?? {};
      if (!isPlainObject(value)) throw new TokenRefused(`the attributes at ${path.text} must be an object`);
      return entriesToAttributes(Object.entries(value));
    };
  }
  const named: readonly (readonly [string, ClaimPath])[] = Array.isArray(configured)
    ? configured.map(claimPath).map((path) => [path.names.at(-1)!, path])
    : Object.entries(configured).map(([name, path]) => [name, claimPath(path)]);
  return (claims) => entriesToAttributes(named.map(([name, path]) => [name, claimAt(claims, path)]));
}

function entriesToAttributes(entries: readonly (readonly [string, unknown])[]): Attributes {
  const attributes: Attributes = Object.create(null);
  for (const [name, value] of entries) if (value !== undefined && value !== null) attributes[name] = value;
  return attributes;
}

/** What the kind is made from. */
export interface OpenidKindOptions {
  /** One issuer. */
  readonly issuer: IssuerSettings;
  /** Configuration of the application. */
  readonly settings: KindSettings;
  /** How bindings to certificates are checked. */
  readonly binding: BindingOptions;
  /** Finds the keys of issuers. */
  readonly discovery: Discovery;
}

/** Values of the claim `typ` of tokens that Keycloak signs like those that say who is calling. */
const OTHER_TYPES = new Set(["refresh", "offline", "logout"]);

/**
 * Creates the kind for one issuer. All addresses come from the configuration and from documents of the issuer, none from
 * a token.
 *
 * @param options issuer and configuration
 */
export function createOpenidKind(
  { issuer: own, settings, binding, discovery }: OpenidKindOptions,
): TokenKind {
  const { issuer, jwksUri, algorithms } = own;
  const read = openidUser(own, settings);
  return {
    kind: "openid",
    issuer,
    algorithms,
    keySource: async ({ claims }, request) => {
      assertTokenType(claims);
      assertBinding(claims, request, binding);
      const url = jwksUri ?? await discovery.keysUrl(issuer);
      return { url, headers: {}, cacheKey: url };
    },
    check: ({ claims }, request) => {
      if (!isForUs(claims, own)) throw new TokenRefused("the token is for another audience");
      assertBinding(claims, request, binding);
      discovery.trust(issuer);
    },
    user: usersOfTokens(({ claims }) => read(claims)),
  };
}

/** Event tokens (RFC 8417, also of logout) and refresh tokens say nothing about who is calling. */
function assertTokenType({ events, typ }: Claims): void {
  if (events !== undefined || (typeof typ === "string" && OTHER_TYPES.has(typ.toLowerCase()))) {
    throw new TokenRefused("a token of another kind");
  }
}

/**
 * A token that is bound counts for its owner only (RFC 7800, 3.1): to a certificate it is checked (RFC 8705), of any other
 * binding nothing is known.
 */
function assertBinding({ cnf }: Claims, request: TokenRequest, binding: BindingOptions): void {
  if (cnf === undefined) return;
  const names = isPlainObject(cnf) ? Object.keys(cnf) : [];
  if (names.length !== 1 || names[0] !== "x5t#S256") {
    throw new TokenRefused("the token is bound in a way that is not known");
  }
  boundCertificate({ cnf }, request, binding);
}

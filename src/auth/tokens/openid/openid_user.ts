/**
 * The user that a token of an OpenID provider gives.
 *
 * @module
 */

import { isPlainObject } from "../../../util/is_plain_object.ts";
import { isTenantId } from "../../../util/is_tenant_id.ts";
import { textsOf } from "../claim_checks.ts";
import { claimAt, type ClaimPath, claimPath, claimPaths, rolesAt } from "../claimed_values.ts";
import { rolesOf } from "../pseudo_roles.ts";
import type { Claims } from "../token.ts";
import type { KindSettings } from "../token_kind.ts";
import { TokenRefused } from "../token_refused.ts";
import type { UserBasis } from "../users_of_tokens.ts";
import type { ClaimSettings, IssuerSettings } from "./openid_settings.ts";

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
export function openidUser(
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
function isTechnical({ sub, azp, client_id, cid, aud, idtyp, gty }: Claims): boolean {
  const audiences = textsOf(aud);
  const client = azp ?? client_id ?? cid ?? (audiences.length === 1 ? audiences[0] : undefined);
  return client === sub || idtyp === "app" || gty === "client-credentials";
}

function idAt(claims: Claims, path: ClaimPath): string {
  const id = claimAt(claims, path);
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID && !/[\p{Cc}\u2028\u2029]/u.test(id)) {
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

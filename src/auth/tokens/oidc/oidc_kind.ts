/**
 * Tokens of the OIDC identity service (spec 5.1; auth 4, 5).
 *
 * @module
 */

import { type BindingOptions, boundCertificate } from "../../certificate/certificate_binding.ts";
import {
  type ClaimPath,
  clientIdOf,
  isAudience,
  rolesAt,
  rolesOf,
  textsOf,
  type UserBasis,
  usersOfTokens,
} from "../claim_checks.ts";
import { Discovery, type SourceAccess } from "../documents.ts";
import type { KeySource, KindSettings, TokenKind, TokenRequest } from "../token_kind.ts";
import { type Claims, DEFAULT_ALGORITHMS, type ParsedToken, TokenRefused } from "../token.ts";
import { type OidcCredentials, trustedIssuer } from "./oidc_credentials.ts";

/** What the kind is made from. */
export interface OidcKindOptions {
  /** Credentials of the service. */
  readonly credentials: OidcCredentials;
  /** Configuration of the application. */
  readonly settings: KindSettings;
  /** Binding to certificates. */
  readonly binding: BindingOptions;
  /** What configurations of issuers are read with. */
  readonly access: SourceAccess;
  /** Where roles of named users stand in the claims. */
  readonly roles: readonly ClaimPath[];
}

/** Tenant ids: UUIDs, and names of test tenants. */
const TENANT = /^[A-Za-z0-9][\w-]{0,63}$/;
/** What may be the value of a header. */
const CLIENT = /^[\x21-\x7e]{1,256}$/;
/** Claims that are no attributes of the user. */
const NO_ATTRIBUTES = new Set(
  ("iss sub aud exp nbf iat jti ias_iss scim_id user_uuid zone_uuid azp cnf x5t#S256 app_tid").split(" "),
);
/** Names under which the other identity service gives the same attributes. */
const ALIASES = [["user_name", "logonName"], ["given_name", "givenName"], [
  "family_name",
  "familyName",
]] as const;

/**
 * Creates the kind.
 *
 * @param options credentials and configuration
 */
export function createOidcKind(options: OidcKindOptions): TokenKind {
  const { credentials, binding, access } = options;
  const discovery = new Discovery(access);
  return {
    kind: "oidc",
    algorithms: DEFAULT_ALGORITHMS,
    keySource: async ({ claims }, request) => {
      const issuer = trustedIssuer(claims, credentials.domains);
      const tenant = tenantOf(claims);
      if (tenant === undefined && issuer !== credentials.issuer) {
        throw new TokenRefused("the token of another issuer names no tenant");
      }
      // before any request is sent: a token that its client may not use is no reason for one
      const proof = proofOf(claims, request, binding);
      const parts = { url: await discovery.keysUrl(issuer), tenant, proof };
      return keySource(claims, parts, credentials);
    },
    check: ({ claims }, request) => {
      if (!isAudience(textsOf(claims.aud), [credentials.clientId])) {
        throw new TokenRefused("the token is for another audience");
      }
      boundCertificate(claims, request, binding);
      discovery.trust(trustedIssuer(claims, credentials.domains));
    },
    user: usersOfTokens((token) => userOf(token, options)),
  };
}

/** What of a certificate goes to the service: as proof that its client may use the token. */
interface Proof {
  readonly subject: string;
  readonly pem: string;
}

function proofOf(claims: Claims, request: TokenRequest, binding: BindingOptions): Proof | undefined {
  const certificate = boundCertificate(claims, request, binding);
  return claims.ias_apis === undefined ? certificate : undefined;
}

interface SourceParts {
  readonly url: string;
  readonly tenant: string | undefined;
  readonly proof: Proof | undefined;
}

function keySource(
  { azp }: Claims,
  { url, tenant, proof }: SourceParts,
  { clientId, keyPair }: OidcCredentials,
): KeySource {
  if (azp !== undefined && !CLIENT.test(azp as string)) throw new TokenRefused(`"azp" is no id of a client`);
  const headers: Record<string, string> = { "x-client_id": clientId };
  if (tenant !== undefined) headers["x-app_tid"] = tenant;
  if (azp !== undefined) headers["x-azp"] = azp as string;
  const cacheKey = JSON.stringify([url, tenant ?? null, clientId, azp ?? null, proof?.subject ?? null]);
  if (!proof) return { url, headers, cacheKey };
  // one line, in the notation of bindings (spec 5.3.3)
  headers["x-client_cert"] = proof.pem.trim().replaceAll("\n", "\\n");
  return { url, headers, cacheKey, keyPair };
}

function tenantOf({ app_tid, zone_uuid }: Claims): string | undefined {
  const tenant = app_tid ?? zone_uuid;
  if (tenant === undefined) return undefined;
  if (typeof tenant !== "string" || !TENANT.test(tenant)) {
    throw new TokenRefused(`"app_tid" is no id of a tenant`);
  }
  return tenant;
}

function userOf({ claims }: ParsedToken, { credentials, settings, roles }: OidcKindOptions): UserBasis {
  const client = clientIdOf(claims);
  const technical = client === claims.sub;
  const apis = Array.isArray(claims.ias_apis) ? claims.ias_apis.filter(isText) : [];
  const named = technical ? apis : rolesAt(claims, roles);
  const claimed = tenantOf(claims);
  const tenant = settings.multitenancy ? claimed : undefined;
  const properties = {
    id: technical ? "system" : claims.sub as string,
    roles: rolesOf({ named, technical, own: client === credentials.clientId }),
    attr: technical ? {} : attributesOf(claims),
    tenant,
    features: settings.features(claimed),
    authInfo: claims,
  };
  return { properties, tenant };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function attributesOf(claims: Claims): Record<string, unknown> {
  const attributes: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(claims)) {
    if (!NO_ATTRIBUTES.has(name)) attributes[name] = value;
  }
  for (const [name, alias] of ALIASES) {
    if (attributes[name] !== undefined) attributes[alias] = attributes[name];
  }
  return attributes;
}

/**
 * Tokens of the OAuth 2.0 authorization service (spec 5.1, 5.4; auth 5).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { clientIdOf, isAudience, rolesOf, textsOf, type UserBasis, usersOfTokens } from "./claim_checks.ts";
import type { KeySource, KindSettings, TokenKind } from "./token_kind.ts";
import { type Claims, DEFAULT_ALGORITHMS, type ParsedToken, TokenRefused } from "./token.ts";
import { importSPKI } from "jose";
import { ConfigurationError } from "../../errors/configuration_error.ts";

/** What a binding of the OAuth 2.0 service tells. */
interface OAuth2Credentials {
  /** Client id of the application. */
  readonly clientId: string;
  /** Name of the application there: prefix of its scopes. */
  readonly appName: string;
  /** Host that publishes the keys. */
  readonly domain: string;
  /** PEM of a key, for the time in which the keys cannot be fetched. */
  readonly verificationKey: string | undefined;
}

/** A host name, with a port if need be. */
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/**
 * Reads the credentials.
 *
 * @param value `fw.requires.auth.credentials`
 * @throws ConfigurationError for a member that is missing or wrong; values are not part of the message
 */
export async function readOAuth2Credentials(value: unknown): Promise<OAuth2Credentials> {
  if (!isPlainObject(value)) throw missing("clientid");
  const domain = text(value, "uaadomain");
  if (!HOST.test(domain)) throw new ConfigurationError(`${MEMBER}uaadomain" must be the name of a host`);
  const verificationKey = value.verificationkey === undefined ? undefined : text(value, "verificationkey");
  return {
    clientId: text(value, "clientid"),
    appName: text(value, "xsappname"),
    domain,
    verificationKey: verificationKey && await checkedPem(verificationKey),
  };
}

const MEMBER = '"fw.requires.auth.credentials.';

function missing(name: string): ConfigurationError {
  return new ConfigurationError(
    `${MEMBER}${name}" is missing: kind "oauth2" needs a binding of the service, or its credentials`,
  );
}

function text(value: Readonly<Record<string, unknown>>, name: string): string {
  const member = value[name];
  if (typeof member === "string" && member !== "") return member;
  throw member === undefined ? missing(name) : new ConfigurationError(`${MEMBER}${name}" must be a text`);
}

/** Bindings hold keys in one line, with `\n` for the line breaks or without any. */
async function checkedPem(value: string): Promise<string> {
  const pem = value.replaceAll("\\n", "\n");
  try {
    await importSPKI(pem, "RS256");
    return pem;
  } catch {
    throw new ConfigurationError(`${MEMBER}verificationkey" must be a public RSA key as PEM`);
  }
}

/** Grants of technical users; compared exactly. */
const TECHNICAL_GRANTS = new Set<unknown>(["client_credentials", "client_x509"]);
/** Tenant ids: UUIDs, and names of test tenants. */
const TENANT = /^[A-Za-z0-9][\w-]{0,63}$/;

/**
 * Creates the kind.
 *
 * @param credentials credentials of the service
 * @param settings configuration of the application
 */
export function createOAuth2Kind(credentials: OAuth2Credentials, settings: KindSettings): TokenKind {
  return {
    kind: "oauth2",
    algorithms: DEFAULT_ALGORITHMS,
    keySource: ({ claims }) => keySource(claims, credentials),
    check: ({ claims }) => check(claims, credentials),
    user: usersOfTokens((token) => userOf(token, credentials, settings)),
  };
}

function keySource({ zid, user_name }: Claims, { domain, verificationKey }: OAuth2Credentials): KeySource {
  if (zid !== undefined && !(typeof zid === "string" && TENANT.test(zid))) {
    throw new TokenRefused(`"zid" is no id of a tenant`);
  }
  if (user_name !== undefined && (typeof user_name !== "string" || user_name === "")) {
    throw new TokenRefused(`"user_name" must be a text that is not empty`);
  }
  const query = zid === undefined ? "" : `?zid=${encodeURIComponent(zid)}`;
  const url = `https://${domain}/token_keys${query}`;
  const headers: Record<string, string> = zid === undefined ? {} : { "x-zid": zid };
  return { url, headers, cacheKey: url, fallback: verificationKey };
}

/** The client counts as audience when `azp` names it; without `aud`, the prefixes of the scopes count. */
function check(claims: Claims, { clientId, appName }: OAuth2Credentials): void {
  const client = clientIdOf(claims);
  const listed = textsOf(claims.aud);
  const prefixes = () =>
    scopesOf(claims).filter((scope) => scope.includes(".")).map((scope) =>
      scope.slice(0, scope.indexOf("."))
    );
  const audiences = listed.length > 0 ? listed : prefixes();
  const all = claims.azp === undefined ? audiences : [...audiences, client];
  if (!isAudience(all, [clientId, appName])) throw new TokenRefused("the token is for another audience");
}

function userOf(
  { claims }: ParsedToken,
  { clientId, appName }: OAuth2Credentials,
  settings: KindSettings,
): UserBasis {
  const technical = TECHNICAL_GRANTS.has(claims.grant_type);
  const tenant = settings.multitenancy ? claims.zid as string | undefined : undefined;
  const prefix = `${appName}.`;
  const named = scopesOf(claims).map((scope) =>
    scope.startsWith(prefix) ? scope.slice(prefix.length) : scope
  );
  const properties = {
    id: technical ? "system" : (claims.user_name ?? claims.sub) as string,
    roles: rolesOf({ named, technical, own: clientIdOf(claims) === clientId }),
    attr: attributesOf(claims),
    tenant,
    features: settings.features(claims.zid as string | undefined),
    authInfo: claims,
  };
  return { properties, tenant };
}

function scopesOf(claims: Claims): readonly string[] {
  return textsOf(claims.scope, " ");
}

/** Attributes are lists of texts; they stand in the token itself or inside `ext_cxt`. */
function attributesOf(claims: Claims): Record<string, readonly string[]> {
  const name = "xs.user.attributes";
  const given = claims[name] ?? (isPlainObject(claims.ext_cxt) ? claims.ext_cxt[name] : undefined);
  const attributes: Record<string, readonly string[]> = Object.create(null);
  if (!isPlainObject(given)) return attributes;
  for (const [attribute, values] of Object.entries(given)) {
    const list = Array.isArray(values) ? values : [values];
    attributes[attribute] = list.filter((value) => typeof value === "string");
  }
  return attributes;
}

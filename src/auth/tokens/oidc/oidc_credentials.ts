/**
 * Credentials of the OIDC service, as far as checking tokens needs them (spec 2.6).
 *
 * @module
 */

import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { type ClientKeyPair, toPem } from "../../token_client/token_credentials.ts";
import { type Claims, TokenRefused } from "../token.ts";

/** What a binding of the OIDC service tells. */
export interface OidcCredentials {
  /** Client id of the application. */
  readonly clientId: string;
  /** URL of the identity service of the own tenant, without path. */
  readonly issuer: string;
  /** Hosts whose tokens count, in lower case. */
  readonly domains: readonly string[];
  /** The certificate of the application and its key. */
  readonly keyPair: ClientKeyPair | undefined;
}

const MEMBER = '"fw.requires.auth.credentials.';
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;

/**
 * Reads the credentials.
 *
 * @param value `fw.requires.auth.credentials`
 * @throws ConfigurationError for a member that is missing or wrong; values are not part of the message
 */
export function readOidcCredentials(value: unknown): OidcCredentials {
  const members = isPlainObject(value) ? value : {};
  return {
    clientId: text(members, "clientid"),
    issuer: originOf(text(members, "url")),
    domains: domainsOf(members.domains),
    keyPair: members.certificate === undefined ? undefined : {
      certificate: toPem(text(members, "certificate"), "certificate"),
      key: toPem(text(members, "key"), "key"),
    },
  };
}

function text(members: Readonly<Record<string, unknown>>, name: string): string {
  const member = members[name];
  if (typeof member === "string" && member !== "") return member;
  throw new ConfigurationError(
    member === undefined
      ? `${MEMBER}${name}" is missing: kind "oidc" needs a binding of the service, or its credentials`
      : `${MEMBER}${name}" must be a text`,
  );
}

function originOf(url: string): string {
  if (URL.canParse(url) && new URL(url).protocol === "https:") return new URL(url).origin;
  throw new ConfigurationError(`${MEMBER}url" must be an https URL`);
}

function domainsOf(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((domain) => typeof domain === "string" && DOMAIN.test(domain))) {
    return value.map((domain) => domain.toLowerCase());
  }
  throw new ConfigurationError(`${MEMBER}domains" must be a list of host names`);
}

/**
 * A host and nothing else: no port, path, user, query, fragment, `%` or control character. Issuers are compared as they
 * are (RFC 8414, 3.3), so a host in upper case is another one.
 */
const ISSUER = /^(?:https:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)$/;
const LABEL = /^[a-z0-9-]{1,63}\.$/;
const LONGEST = 255;

/**
 * The issuer of a token: `ias_iss` if present, else `iss`. Nothing is asked of an issuer before this has accepted it.
 *
 * @param claims claims of a token that nothing is known of
 * @param domains hosts that are trusted, and those with one more label, in lower case
 * @returns its URL without path
 * @throws TokenRefused for any other host, or anything beside a host
 */
export function trustedIssuer({ ias_iss, iss }: Claims, domains: readonly string[]): string {
  const text = ias_iss === undefined ? iss : ias_iss;
  const host = typeof text === "string" && text.length <= LONGEST ? ISSUER.exec(text)?.[1] : undefined;
  if (host === undefined || !domains.some((domain) => isWithin(host, domain))) {
    throw new TokenRefused("the issuer is not trusted");
  }
  return `https://${host}`;
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && LABEL.test(host.slice(0, -domain.length)));
}

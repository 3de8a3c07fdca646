/**
 * Whose tokens of the OIDC service count (auth 5 "issuer").
 *
 * @module
 */

import type { Claims } from "../token.ts";
import { TokenRefused } from "../token_refused.ts";

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

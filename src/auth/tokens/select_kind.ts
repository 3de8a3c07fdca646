/**
 * Which of the identity services a token is from (auth 5 "kind").
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Claims, ParsedToken } from "./token.ts";
import type { TokenKind } from "./token_kind.ts";
import { TokenRefused } from "./token_refused.ts";

/**
 * Creates the selection. It only decides who checks: the kind that is selected runs all its own checks, so that claims
 * made up to select the other one lead nowhere.
 *
 * @param kinds the configured ones: those of OpenID providers by their issuers, one or both of the services
 * @returns a function that throws TokenRefused for an issuer that is none of them
 */
export function selectKind(kinds: readonly TokenKind[]): (token: ParsedToken) => TokenKind {
  const byIssuer = new Map<unknown, TokenKind>(
    kinds.flatMap((kind) => kind.issuer === undefined ? [] : [[kind.issuer, kind]]),
  );
  const other = selectService(kinds.filter(({ issuer }) => issuer === undefined));
  if (byIssuer.size === 0) return other;
  return (token) => byIssuer.get(token.claims.iss) ?? other(token);
}

function selectService(kinds: readonly TokenKind[]): (token: ParsedToken) => TokenKind {
  const [first] = kinds;
  const oauth2 = kinds.find(({ kind }) => kind === "oauth2");
  const oidc = kinds.find(({ kind }) => kind === "oidc");
  if (oauth2 && oidc) return ({ claims }) => isFromOAuth2(claims) ? oauth2 : oidc;
  return () => {
    if (first) return first;
    throw new TokenRefused("the issuer is not trusted");
  };
}

function isFromOAuth2({ ext_attr: extra, zid }: Claims): boolean {
  return zid === "uaa" || (isPlainObject(extra) && extra.enhancer === "XSUAA");
}

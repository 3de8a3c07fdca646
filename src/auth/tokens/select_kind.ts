/**
 * Which of two identity services a token is from (auth 5 "kind").
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Claims, ParsedToken } from "./token.ts";
import type { TokenKind } from "./token_kind.ts";

/**
 * Creates the selection. It only decides who checks: the kind that is selected runs all its own checks, so that claims
 * made up to select the other one lead nowhere.
 *
 * @param kinds the configured ones, one or both
 */
export function selectKind(kinds: readonly TokenKind[]): (token: ParsedToken) => TokenKind {
  const [first] = kinds;
  const oauth2 = kinds.find(({ kind }) => kind === "oauth2");
  const oidc = kinds.find(({ kind }) => kind === "oidc");
  if (!oauth2 || !oidc) return () => first!;
  return ({ claims }) => isFromOAuth2(claims) ? oauth2 : oidc;
}

function isFromOAuth2({ ext_attr: extra, zid }: Claims): boolean {
  return zid === "uaa" || (isPlainObject(extra) && extra.enhancer === "XSUAA");
}

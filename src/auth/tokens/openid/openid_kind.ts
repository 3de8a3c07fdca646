/**
 * Tokens of any provider of OpenID Connect: access tokens (RFC 9068) and ID tokens (OpenID Connect Core 1.0, 2).
 *
 * @module
 */

import { type BindingOptions, boundCertificate } from "../../certificate/certificate_binding.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { textsOf } from "../claim_checks.ts";
import type { Discovery } from "../discovery.ts";
import type { Claims } from "../token.ts";
import type { KindSettings, TokenKind, TokenRequest } from "../token_kind.ts";
import { TokenRefused } from "../token_refused.ts";
import { usersOfTokens } from "../users_of_tokens.ts";
import type { IssuerSettings } from "./openid_settings.ts";
import { openidUser } from "./openid_user.ts";

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
  const { issuer, audiences, jwksUri, algorithms } = own;
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
      if (!textsOf(claims.aud).some((audience) => audiences.has(audience))) {
        throw new TokenRefused("the token is for another audience");
      }
      assertBinding(claims, request, binding);
      if (jwksUri === undefined) discovery.trust(issuer);
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

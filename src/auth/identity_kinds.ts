/**
 * The kinds of `fw.requires.auth` that stand for identity services (auth 1).
 *
 * @module
 */

/** Who issues tokens: the two identity services, and any provider of OpenID Connect. */
export type IdentityKind = "oidc" | "oauth2" | "openid";

/** The identity services that an application is bound to. */
export type BoundKind = Exclude<IdentityKind, "openid">;

/** Kinds by the names that the configuration may give them. */
export const IDENTITY_KINDS: Readonly<Record<string, IdentityKind>> = {
  oidc: "oidc",
  ias: "oidc",
  oauth2: "oauth2",
  xsuaa: "oauth2",
  jwt: "oauth2",
  openid: "openid",
};

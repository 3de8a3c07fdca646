/**
 * The kinds of `fw.requires.auth` that stand for identity services (auth 1).
 *
 * @module
 */

/** The identity services that issue tokens. */
export type IdentityKind = "oidc" | "oauth2";

/** Kinds by the names that the configuration may give them. */
export const IDENTITY_KINDS: Readonly<Record<string, IdentityKind>> = {
  oidc: "oidc",
  ias: "oidc",
  oauth2: "oauth2",
  xsuaa: "oauth2",
  jwt: "oauth2",
};

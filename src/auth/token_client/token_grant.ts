/**
 * What a token is asked for with (spec 4.2, RFC 6749, RFC 7523).
 *
 * @module
 */

import type { BoundKind } from "../identity_kinds.ts";

/** What every request of a token may add. */
interface GrantOptions {
  /** Further members of the form, such as `scope` or `token_format`; they never replace those of the grant. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The tenant the token is for; default: the one of the credentials. */
  readonly tenant?: string;
  /** URL of the identity service of a subscriber; default: the one of the credentials. The caller has checked it. */
  readonly authUrl?: string;
}

/** A token for a technical user. */
export interface ClientCredentialsGrant extends GrantOptions {
  /** The grant. */
  readonly type: "client_credentials";
}

/** A token for a named user, by name and password. */
export interface PasswordGrant extends GrantOptions {
  /** The grant. */
  readonly type: "password";
  /** Name of the user. */
  readonly username: string;
  /** Password of the user. */
  readonly password: string;
}

/** A token for the user of another token. */
export interface JwtBearerGrant extends GrantOptions {
  /** The grant. */
  readonly type: "jwt-bearer";
  /** The other token. */
  readonly assertion: string;
}

/** What a token is asked for with. */
export type TokenGrant = ClientCredentialsGrant | PasswordGrant | JwtBearerGrant;

/** The name of the JWT bearer grant (RFC 7523, 2.1). */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The members of a form that a grant gives, without those of the client. */
export function grantMembers(grant: TokenGrant, kind: BoundKind): Readonly<Record<string, string>> {
  const common = {
    ...grant.parameters,
    ...(grant.tenant && kind === "oidc" ? { app_tid: grant.tenant } : {}),
  };
  switch (grant.type) {
    case "client_credentials":
      return { ...common, grant_type: grant.type };
    case "password":
      return { ...common, grant_type: grant.type, username: grant.username, password: grant.password };
    case "jwt-bearer":
      return { ...common, grant_type: JWT_BEARER, assertion: grant.assertion };
  }
}

/**
 * Pseudo-roles of users with tokens (auth 4).
 *
 * @module
 */

/** Roles that follow from what a user is; they never come from a scope or claim. */
const PSEUDO_ROLES: ReadonlySet<string> = new Set([
  "any",
  "authenticated-user",
  "identified-user",
  "system-user",
  "internal-user",
]);

/** What decides about pseudo-roles. */
export interface RoleBasis {
  /** Names of roles as the token gives them. */
  readonly named: Iterable<string>;
  /** Whether the user is technical. */
  readonly technical: boolean;
  /** Whether the token was issued to our own client id. */
  readonly own: boolean;
}

/** The roles of a user: the named ones without pseudo-roles, and the pseudo-roles of technical users. */
export function rolesOf({ named, technical, own }: RoleBasis): string[] {
  const roles = [...named].filter((role) => role !== "" && !PSEUDO_ROLES.has(role));
  if (technical) roles.push("system-user");
  if (technical && own) roles.push("internal-user");
  return roles;
}

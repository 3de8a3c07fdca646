/**
 * Endpoints for those who run an application: they exist where the configuration names a role for them.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/** Pseudo roles that say nothing about who somebody is. */
const NO_ROLES: ReadonlySet<string> = new Set(["any", "authenticated-user"]);

/** What stands below the key of an endpoint. */
export interface ManagementSettings {
  /** Roles one of which is needed. */
  readonly requires?: string | readonly string[];
  readonly path?: string;
}

/**
 * The roles one of which is needed.
 *
 * @param key of the configuration
 * @param settings what stands there
 * @param right what those with the role may do, for the message
 * @throws ConfigurationError where there is none, or one that everybody has
 */
export function managementRoles(
  key: string,
  { requires }: ManagementSettings,
  right: string,
): readonly string[] {
  const roles = requires === undefined ? [] : [requires].flat();
  const open = roles.find((role) => NO_ROLES.has(role));
  if (roles.length > 0 && open === undefined) return roles;
  throw new ConfigurationError(
    `"${key}.requires" must name the roles of those who may ${right}` +
      (open === undefined ? "" : `, but is "${open}"`),
  );
}

/**
 * The path of the endpoint.
 *
 * @throws ConfigurationError for one that is no path
 */
export function managementPath(key: string, { path }: ManagementSettings, defaultPath: string): string {
  const chosen = path ?? defaultPath;
  if (/^(\/[\w.~-]+)+$/.test(chosen)) return chosen;
  throw new ConfigurationError(
    `"${key}.path" must be a path that begins with a slash, but is ${JSON.stringify(chosen)}`,
  );
}

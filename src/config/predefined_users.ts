/**
 * The mock users in effect: the predefined ones and those of the configuration (spec 2.5).
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";

/** A mock user as configured. */
export type UserConfig = Readonly<Record<string, unknown>>;

/** Mock users by name; `false` removes one, `true` is one without further members. */
export type ConfiguredUsers = Readonly<Record<string, UserConfig | boolean | undefined>>;

/** The configuration that matters here. */
export interface UsersEnvironment {
  readonly requires?: Readonly<Record<string, unknown>>;
  readonly security?: unknown;
  readonly [key: string]: unknown;
}

const PREDEFINED: Readonly<Record<string, UserConfig>> = {
  alice: { tenant: "t1", roles: ["admin"] },
  bob: { tenant: "t1", roles: ["cds.ExtensionDeveloper"] },
  carol: { tenant: "t1", roles: ["admin", "cds.ExtensionDeveloper", "cds.UIFlexDeveloper"] },
  dave: { tenant: "t1", roles: ["admin"], features: [] },
  erin: { tenant: "t2", roles: ["admin", "cds.ExtensionDeveloper", "cds.UIFlexDeveloper"] },
  fred: { tenant: "t2", features: ["isbn"] },
  me: { tenant: "t1", features: ["*"] },
  yves: { roles: ["internal-user"] },
  authenticated: {},
  system: { roles: ["system-user"] },
  privileged: { privileged: true },
};

/** What `security.mock` holds. */
export interface MockConfiguration {
  readonly users?: ConfiguredUsers;
  readonly defaultUsers?: boolean;
}

/** `security.mock` of a configuration. */
export function mockOf({ security }: UsersEnvironment): MockConfiguration {
  return ((security ?? {}) as { readonly mock?: MockConfiguration }).mock ?? {};
}

/** `requires.auth.users` of a configuration. */
export function ownUsers(env: UsersEnvironment): ConfiguredUsers {
  return ((env.requires?.auth ?? {}) as { readonly users?: ConfiguredUsers }).users ?? {};
}

/**
 * Predefined mock users, those of `security.mock.users` and of `requires.auth.users`: later ones win member by member,
 * and `false` removes a user.
 *
 * @param env the configuration
 * @returns what stands for each name; `false` for those that were removed
 */
export function configuredUsers(env: UsersEnvironment): Record<string, UserConfig | false> {
  const { users = {}, defaultUsers } = mockOf(env);
  return mergeUsers([defaultUsers === false ? {} : PREDEFINED, users, ownUsers(env)]);
}

/**
 * Merges users by name.
 *
 * @param layers later ones win member by member
 */
export function mergeUsers(layers: readonly ConfiguredUsers[]): Record<string, UserConfig | false> {
  const merged = new Map<string, UserConfig | false>();
  for (const [name, given] of layers.flatMap((layer) => Object.entries(layer))) {
    if (given === false) merged.set(name, false);
    else if (given === true) merged.set(name, merged.get(name) || {});
    else if (isPlainObject(given)) merged.set(name, { ...(merged.get(name) || {}), ...given });
  }
  return Object.fromEntries(merged);
}

/**
 * Mock users: the predefined ones merged with configured ones (spec 2.5, auth 3).
 *
 * @module
 */

import {
  configuredUsers,
  mergeUsers,
  mockOf,
  ownUsers,
  type UserConfig,
  type UsersEnvironment,
} from "../config/predefined_users.ts";
import { User, type UserProperties } from "../context/user.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/** A mock user as configured. */
export interface MockUser {
  readonly name: string;
  readonly roles: readonly string[];
  readonly attr: Readonly<Record<string, unknown>>;
  readonly tenant?: string;
  /** Undefined: any password passes. */
  readonly password?: string;
  /** Undefined: those of the tenant. */
  readonly features?: UserProperties["features"];
  /** True for the user that passes every check. */
  readonly privileged?: boolean;
}

/** The entry of all names that are not configured: the name of nobody. */
export const OTHERS = "*";

/**
 * The mock users in effect by name.
 *
 * @param env configuration: `requires.auth.users`, `security.mock.users` and `security.mock.defaultUsers`
 */
export function mockUsers(env: UsersEnvironment): ReadonlyMap<string, MockUser> {
  return usersOf(configuredUsers(env));
}

/**
 * The users of kind `basic` by name: those of `requires.auth.users` and no others.
 *
 * @param env the configuration
 */
export function basicUsers(env: UsersEnvironment): ReadonlyMap<string, MockUser> {
  return usersOf(mergeUsers([ownUsers(env)]));
}

/**
 * What all those are who are not configured, if they are admitted; their names are their own.
 *
 * @param env the configuration
 */
export function otherUsers(env: UsersEnvironment): MockUser | undefined {
  if (!admitsOthers(env)) return undefined;
  const layers = [mockOf(env).users ?? {}, ownUsers(env)];
  const others = mergeUsers(layers.map((layer) => ({ [OTHERS]: layer[OTHERS] })))[OTHERS];
  return toMockUser(OTHERS, others || {});
}

/** Whether names that are not configured are admitted; `users: {"*": false}` closes this. */
export function admitsOthers(env: UsersEnvironment): boolean {
  return ownUsers(env)[OTHERS] !== false && mockOf(env).defaultUsers !== false;
}

function usersOf(configured: Readonly<Record<string, UserConfig | false>>): ReadonlyMap<string, MockUser> {
  const users = Object.entries(configured).filter(([name, config]) => name !== OTHERS && config !== false);
  return new Map(users.map(([name, config]) => [name, toMockUser(name, config as UserConfig)]));
}

/** What people may know of a mock user. */
export interface ShownUser {
  readonly name: string;
  readonly roles: readonly string[];
  /** False: any password passes. */
  readonly hasPassword: boolean;
}

/** Names and roles of the mock users, for people to read. */
export function shownUsers(env: UsersEnvironment): readonly ShownUser[] {
  return [...mockUsers(env).values()].map(({ name, roles, password }) => ({
    name,
    roles,
    hasPassword: password !== undefined,
  }));
}

function toMockUser(name: string, config: UserConfig): MockUser {
  const roles = (config.roles ?? []) as readonly string[] | Record<string, unknown>;
  return {
    name,
    roles: Array.isArray(roles)
      ? roles
      : Object.entries(roles).filter(([, has]) => has).map(([role]) => role),
    attr: { ...config.attributes as UserConfig | undefined, ...config.attr as UserConfig | undefined },
    tenant: typeof config.tenant === "string" ? config.tenant : undefined,
    password: typeof config.password === "string" ? config.password : undefined,
    features: featuresIn(config.features),
    privileged: config.privileged === true,
  };
}

/**
 * The user object of a mock user (spec 2.5, rule 3; 5.2.11).
 *
 * @param mock the mock user
 * @param env configuration: `requires.auth.id_prefix`, `requires.auth.tenants`, `requires.multitenancy`
 */
export function toUser(mock: MockUser, env: UsersEnvironment): User {
  const auth = (env.requires?.auth ?? {}) as { id_prefix?: string; tenants?: unknown };
  const tenant = env.requires?.multitenancy === true ? mock.tenant : undefined;
  const id = `${auth.id_prefix ?? "mock/"}${mock.name}`;
  const attr = tenant === undefined ? mock.attr : { ...mock.attr, tenant };
  const user = { id, roles: mock.roles, attr, tenant };
  if (mock.privileged) return new User.Privileged({ ...user, features: mock.features ?? "*" });
  const features = mock.features ?? tenantFeatures(auth.tenants, mock.tenant);
  return new User({ ...user, features });
}

/**
 * The feature toggles that the configuration gives to a tenant: those of its users who have none of their own.
 *
 * @param tenants `requires.auth.tenants`: a map of name to `{features}`, or a list of `{name, features}`
 * @param tenant the tenant
 */
export function tenantFeatures(tenants: unknown, tenant: string | undefined): UserProperties["features"] {
  if (tenant === undefined) return undefined;
  const entry = Array.isArray(tenants)
    ? tenants.find((one) => isPlainObject(one) && one.name === tenant)
    : isPlainObject(tenants) && Object.hasOwn(tenants, tenant)
    ? tenants[tenant]
    : undefined;
  return isPlainObject(entry) ? featuresIn(entry.features) : undefined;
}

/**
 * Feature toggles as configured.
 *
 * @param value a list of names, one name, or names with `true`; anything else stands for none given
 */
function featuresIn(value: unknown): UserProperties["features"] {
  if (Array.isArray(value) || isPlainObject(value)) return value;
  return typeof value === "string" ? [value] : undefined;
}

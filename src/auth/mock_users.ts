/**
 * Mock users: the predefined ones merged with configured ones (spec 2.5, auth 3).
 *
 * @module
 */

import { User, type UserProperties } from "../context/user.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { featuresIn, tenantFeatures } from "./tenant_features.ts";

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

type UserConfig = Readonly<Record<string, unknown>>;

/** The configuration that matters here. */
export interface MockUserEnvironment {
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

/** The entry of all names that are not configured. */
const OTHERS = "*";

/**
 * The mock users in effect by name.
 *
 * @param env configuration: `requires.auth.users`, `security.mock.users` and `security.mock.defaultUsers`
 */
export function mockUsers(env: MockUserEnvironment): ReadonlyMap<string, MockUser> {
  const users = configuredUsers(env);
  users.delete(OTHERS);
  return users;
}

/**
 * What all those are who are not configured, if they are admitted; their names are their own.
 *
 * @param env the configuration
 */
export function otherUsers(env: MockUserEnvironment): MockUser | undefined {
  return admitsOthers(env) ? configuredUsers(env).get(OTHERS) ?? toMockUser(OTHERS, {}) : undefined;
}

function configuredUsers(env: MockUserEnvironment): Map<string, MockUser> {
  const auth = (env.requires?.auth ?? {}) as { users?: Record<string, UserConfig | boolean> };
  const mock =
    ((env.security ?? {}) as { mock?: { users?: Record<string, UserConfig>; defaultUsers?: boolean } }).mock;
  const layers = [mock?.defaultUsers === false ? {} : PREDEFINED, mock?.users ?? {}, auth.users ?? {}];
  const merged = new Map<string, UserConfig>();
  for (const layer of layers) {
    for (const [name, given] of Object.entries(layer)) {
      if (isPlainObject(given)) merged.set(name, { ...merged.get(name), ...given });
    }
  }
  return new Map([...merged].map(([name, config]) => [name, toMockUser(name, config)]));
}

/** Whether names that are not configured are admitted; `users: {"*": false}` closes this. */
export function admitsOthers(env: MockUserEnvironment): boolean {
  const auth = (env.requires?.auth ?? {}) as { users?: Record<string, unknown> };
  const mock = ((env.security ?? {}) as { mock?: { defaultUsers?: boolean } }).mock;
  return auth.users?.[OTHERS] !== false && mock?.defaultUsers !== false;
}

/** What people may know of a mock user. */
export interface ShownUser {
  readonly name: string;
  readonly roles: readonly string[];
  /** False: any password passes. */
  readonly hasPassword: boolean;
}

/** Names and roles of the mock users, for people to read. */
export function shownUsers(env: MockUserEnvironment): readonly ShownUser[] {
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
export function toUser(mock: MockUser, env: MockUserEnvironment): User {
  const auth = (env.requires?.auth ?? {}) as { id_prefix?: string; tenants?: unknown };
  const tenant = env.requires?.multitenancy === true ? mock.tenant : undefined;
  const id = `${auth.id_prefix ?? "mock/"}${mock.name}`;
  const attr = tenant === undefined ? mock.attr : { ...mock.attr, tenant };
  const user = { id, roles: mock.roles, attr, tenant };
  if (mock.privileged) return new User.Privileged({ ...user, features: mock.features ?? "*" });
  const features = mock.features ?? tenantFeatures(auth.tenants, mock.tenant);
  return new User({ ...user, features });
}

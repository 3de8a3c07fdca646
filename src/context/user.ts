/**
 * The user of a request or event (spec 2.1, `auth` 4).
 *
 * @module
 */

/** What a `User` is made from. A string stands for `{id}`. */
export interface UserProperties {
  /** Unique id of the user, unverified elsewhere: the strategy is responsible. */
  readonly id?: string;
  /** Names of roles, as list or as map of name to `true`. */
  readonly roles?: readonly string[] | Readonly<Record<string, unknown>>;
  /** Attributes: name to value or list of values. */
  readonly attr?: Readonly<Record<string, unknown>>;
  /** Tenant, undefined outside multitenant operation. */
  readonly tenant?: string;
  /** Feature toggles; `"*"` or a list that holds it means all. */
  readonly features?: readonly string[] | "*" | Readonly<Record<string, unknown>>;
  /** What the strategy verified (token claims), for handlers only. */
  readonly authInfo?: unknown;
}

/** A user with id, roles, attributes, tenant and feature toggles (spec 1.2, 2.1). */
export class User {
  /** Id of the user. */
  readonly id: string;
  /** Attributes by name. */
  readonly attr: Record<string, unknown>;
  /** Tenant, undefined outside multitenant operation. */
  readonly tenant: string | undefined;
  /** Feature toggles that are on. */
  readonly features: ReadonlySet<string>;
  /** What the strategy verified (token claims). */
  readonly authInfo: unknown;
  readonly #roles: ReadonlySet<string>;

  /**
   * Creates a user.
   *
   * @param properties the members, or the id as a string
   */
  constructor(properties: UserProperties | string = {}) {
    const given = typeof properties === "string" ? { id: properties } : properties;
    this.id = given.id ?? "anonymous";
    this.attr = Object.assign(Object.create(null), given.attr);
    this.tenant = given.tenant;
    this.features = new Set(namesOf(given.features));
    this.authInfo = given.authInfo;
    this.#roles = new Set(namesOf(given.roles));
  }

  /** The same as `authInfo`. */
  get tokenInfo(): unknown {
    return this.authInfo;
  }

  /** Names of the roles, pseudo-roles that were given included. */
  get roles(): readonly string[] {
    return [...this.#roles];
  }

  /**
   * Whether the user has a role. Pseudo-roles: `any` has everybody; `authenticated-user` everybody but anonymous;
   * `identified-user` every authenticated user that is not technical (`auth` 4).
   */
  is(role: string): boolean {
    if (role === "any") return true;
    if (role === "authenticated-user") return true;
    if (role === "identified-user") {
      return this.#roles.has(role) || !(this.#roles.has("system-user") || this.#roles.has("internal-user"));
    }
    return this.#roles.has(role);
  }

  /** Whether a feature toggle is on for the user. */
  has(feature: string): boolean {
    return this.features.has("*") || this.features.has(feature);
  }

  /** The id. */
  toString(): string {
    return this.id;
  }

  /** Nobody: passes `any` only. */
  static readonly Anonymous: new () => User = class Anonymous extends User {
    constructor() {
      super({ id: "anonymous" });
    }
    override is(role: string): boolean {
      return role === "any";
    }
  };

  /** Passes every check; the user of internal work. */
  static readonly Privileged: new (given?: UserProperties | string) => User = class Privileged extends User {
    constructor(given: UserProperties | string = {}) {
      const properties = typeof given === "string" ? { id: given } : given;
      super({ id: "privileged", features: "*", ...properties });
    }
    override is(): boolean {
      return true;
    }
  };

  /** The shared anonymous user. */
  static readonly anonymous: User = new User.Anonymous();
  /** The shared privileged user. */
  static readonly privileged: User = new User.Privileged();
  static #default: User = User.anonymous;

  /** The user of whoever has not logged in; tests may replace it, by a user or a class of users. */
  static get default(): User {
    return User.#default;
  }
  static set default(user: User | (new () => User)) {
    User.#default = typeof user === "function" ? new user() : user;
  }
}

function namesOf(
  value: readonly string[] | string | Readonly<Record<string, unknown>> | undefined,
): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return [...value];
  return Object.entries(value).filter(([, on]) => on).map(([name]) => name);
}

import { type Claims, type ParsedToken, TokenRefused } from "./token.ts";
import { parseClaimPath } from "../../config/openid_schema.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { User, type UserProperties } from "../../context/user.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { TokenUser } from "./token_kind.ts";

/** Seconds that clocks may differ. */
const TOLERANCE_S = 60;

/**
 * Checks the types of the registered claims.
 *
 * @param claims claims of a token
 * @throws TokenRefused for a missing or empty `sub`, a missing `exp`, or a claim of a wrong type
 */
export function assertClaimTypes({ sub, aud, scope, exp, nbf, iat, azp }: Claims): void {
  if (typeof sub !== "string" || sub === "") throw new TokenRefused(`"sub" must be a text that is not empty`);
  if (!isTextOrTexts(aud)) throw new TokenRefused(`"aud" must be a text or a list of texts`);
  if (!isTextOrTexts(scope)) throw new TokenRefused(`"scope" must be a text or a list of texts`);
  if (azp !== undefined && typeof azp !== "string") throw new TokenRefused(`"azp" must be a text`);
  // 1e999 would be for ever
  if (!Number.isFinite(exp)) throw new TokenRefused(`"exp" must be a number`);
  for (const time of [nbf, iat]) {
    if (time !== undefined && !Number.isFinite(time)) {
      throw new TokenRefused(`"nbf" and "iat" must be numbers`);
    }
  }
}

/**
 * Checks that a token is valid now.
 *
 * @param claims claims whose types are checked
 * @param now milliseconds since the epoch
 * @throws TokenRefused when it has expired (`exp`), or begins in the future (`nbf`, without it `iat`)
 */
export function assertTime({ exp, nbf, iat }: Claims, now: number): void {
  const seconds = now / 1000;
  if ((exp as number) + TOLERANCE_S <= seconds) throw new TokenRefused("expired");
  const start = (nbf ?? iat) as number | undefined;
  if (start !== undefined && start - TOLERANCE_S > seconds) throw new TokenRefused("not valid yet");
}

/**
 * The entries of a claim that is a text or a list of texts.
 *
 * @param claim a checked claim
 * @param separator splits a text, for `scope`
 */
export function textsOf(claim: unknown, separator?: string): readonly string[] {
  if (typeof claim !== "string") return (claim ?? []) as readonly string[];
  return separator === undefined ? [claim] : claim.split(separator).filter((entry) => entry !== "");
}

function isTextOrTexts(claim: unknown): boolean {
  return claim === undefined || typeof claim === "string" ||
    (Array.isArray(claim) && claim.every((entry) => typeof entry === "string"));
}

/**
 * Whether one of the audiences is this application. Audiences with a dot are cut at the first dot; an instance that
 * brokers clones (its id contains `!b`) accepts those of its clones, which end with `|<id>`.
 *
 * @param audiences audiences of a token
 * @param ids client id and, if there is one, `xsappname`
 */
export function isAudience(audiences: readonly string[], ids: readonly string[]): boolean {
  return audiences.some((audience) => {
    const at = audience.indexOf(".");
    const cut = at < 0 ? audience : audience.slice(0, at);
    return ids.some((id) => cut === id || (id.includes("!b") && cut.endsWith(`|${id}`)));
  });
}

/**
 * The client that a token was issued to: `azp`, without it the only entry of `aud`.
 *
 * @param claims claims whose types are checked
 * @throws TokenRefused when the token names none
 */
export function clientIdOf({ azp, aud }: Claims): string {
  if (typeof azp === "string" && azp !== "") return azp;
  const audiences = textsOf(aud);
  if (audiences.length === 1 && audiences[0] !== "") return audiences[0]!;
  throw new TokenRefused("the token does not say which client it was issued to");
}

/** A path to a claim, read. */
export interface ClaimPath {
  /** As it is configured. */
  readonly text: string;
  /** Names of members, from the token downwards. */
  readonly names: readonly string[];
}

/**
 * Reads a path of the configuration, whose schema has checked it.
 *
 * @param text the path
 */
export function claimPath(text: string): ClaimPath {
  return { text, names: parseClaimPath(text) ?? [text] };
}

/**
 * The value at a path.
 *
 * @param claims claims of a token
 * @param path the path
 * @returns undefined where nothing is, or `null`
 */
export function claimAt(claims: Claims, { names }: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of names) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value ?? undefined;
}

/** Last step of a path to roles that are names of members. */
export const MEMBERS = "*";

/**
 * The names of roles at paths: of a text those between its spaces, of a list its entries; at the end of a path `*` stands
 * for the names of members.
 *
 * @param claims claims of a verified token
 * @param paths where roles are
 * @throws TokenRefused for values of other types, which are not taken for no roles
 */
export function rolesAt(claims: Claims, paths: readonly ClaimPath[]): readonly string[] {
  return paths.flatMap((path): readonly string[] => {
    if (path.names.at(-1) === MEMBERS) return rolesAmong(claims, path);
    const value = claimAt(claims, path);
    if (value === undefined) return [];
    if (typeof value === "string") return value.split(/\s+/).filter((role) => role !== "");
    if (Array.isArray(value) && value.every((role) => typeof role === "string")) return value;
    throw new TokenRefused(`the roles at ${path.text} must be a text or a list of texts`);
  });
}

/** Names of members that hold an object or `true`; what holds `false` or `null` is no role of the user. */
function rolesAmong(claims: Claims, { text, names }: ClaimPath): readonly string[] {
  const members = claimAt(claims, { text, names: names.slice(0, -1) }) ?? {};
  if (!isPlainObject(members) || !Object.values(members).every(isRoleMember)) {
    throw new TokenRefused(`the members at ${text} must be objects or booleans`);
  }
  return Object.keys(members).filter((name) => members[name] !== null && members[name] !== false);
}

function isRoleMember(value: unknown): boolean {
  return value === null || typeof value === "boolean" || isPlainObject(value);
}

/**
 * Paths of the configuration.
 *
 * @param value one, several or none
 */
export function claimPaths(value: string | readonly string[] | undefined): readonly ClaimPath[] {
  return [value ?? []].flat().map(claimPath);
}

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

/** What a token says about its user: the same at every request. */
export interface UserBasis {
  /** What the user is made from; it is frozen, only the user itself may be changed by handlers. */
  readonly properties: UserProperties;
  /** Tenant of the request; undefined outside multitenant operation. */
  readonly tenant?: string;
}

/**
 * Reads each token once, as long as it is kept, and makes a new user at every call.
 *
 * @param read reads the claims of a verified token
 */
export function usersOfTokens(read: (token: ParsedToken) => UserBasis): (token: ParsedToken) => TokenUser {
  const known = new WeakMap<ParsedToken, UserBasis>();
  return (token) => {
    let basis = known.get(token);
    if (!basis) {
      basis = deepFreeze(read(token));
      known.set(token, basis);
    }
    return { user: new User(basis.properties), tenant: basis.tenant };
  };
}

/**
 * The effective configuration (`fw.env`): sources merged in order, profiles resolved, validated (design 12).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject, mergeDeep } from "../util/is_plain_object.ts";
import { deepFreeze } from "../util/deep_freeze.ts";
import { jsonKeyLine } from "../util/json_text.ts";
import { defaultsFor, entryOfText, withKindOfUrl } from "./defaults.ts";
import { fromCds } from "./cds_dialect.ts";
import { type ConfigurationLayer, keyPlace } from "./key_places.ts";
import { configuredUsers } from "./predefined_users.ts";
import { Remarks } from "./remarks.ts";
import { SCHEMA } from "./schema.ts";
import { type SchemaProblem, validate } from "./validate.ts";

/** One source of configuration: what stands below `fw` there. */
export interface ConfigurationSource {
  /** File name, or what else a message should name: `environment variable FW_CONFIG`. */
  readonly name: string;
  /** What stands below `fw` there. */
  readonly value: Readonly<Record<string, unknown>>;
  /** `cds` for configuration of an existing project: its own names are understood, unknown keys are remarked only. */
  readonly dialect?: "cds";
  /** Whether others wrote it, so that nobody here needs to hear of its unknown keys. */
  readonly isForeign?: boolean;
  /** The text of the file, to find lines in. */
  readonly text?: string;
  /** Whether names that earlier sources have may be written in other case, as in environment variables. */
  readonly anyCase?: boolean;
  /** Whether code gives it, which has no place. */
  readonly isCode?: boolean;
}

/** An entry of `requires`: a service this application needs. */
export interface RequiredService {
  /** Kind of the definition. */
  readonly kind?: string | readonly string[];
  /** Path of an implementation. */
  readonly impl?: string;
  /** How to reach it. */
  readonly credentials?: Readonly<Record<string, unknown>>;
  /** Options of the kind. */
  readonly [option: string]: unknown;
}

/** Effective configuration. `schema.ts` lists the keys. */
export interface Environment {
  /** Names of the profiles in effect. */
  readonly profiles: readonly string[];
  /** True in the production profile. */
  readonly production: boolean;
  /** The services this application needs, by name. */
  readonly requires: Readonly<Record<string, RequiredService | undefined>>;
  /**
   * The configuration of another component from the same sources: what stands below its name in `package.json` and
   * `deno.json`, with the same profiles.
   *
   * @param name `fw` for this one
   * @param folder in tests: where the project is
   */
  readonly for: (name: string, folder?: string) => Readonly<Record<string, unknown>>;
  /** What is passed over, to be said at the start. */
  readonly remarks: Remarks;
  /** Whether mistakes that mean nothing but a missing part are passed over: in existing projects, outside production. */
  readonly isLenient: boolean;
  /** The place that counts for a key below `fw`. */
  readonly placeOf?: (
    path: readonly string[],
  ) => { readonly file?: string; readonly line?: number } | undefined;
  /** All other keys of the schema. */
  readonly [key: string]: unknown;
}

/**
 * The effective configuration of code that gives one: merged already, or what stands below `fw`.
 *
 * @param given the configuration
 * @param profiles names of the profiles in effect
 * @throws ConfigurationError for an unknown or ill-typed key
 */
export function toEnvironment(
  given: Readonly<Record<string, unknown>> | Environment | undefined,
  profiles?: readonly string[],
): Environment {
  const isMerged = given !== undefined && Array.isArray(given.profiles) && typeof given.for === "function";
  return isMerged
    ? given as Environment
    : createEnvironment(given ? [{ name: "code", value: given, isCode: true }] : [], profiles);
}

/**
 * Merges sources into the effective configuration.
 *
 * @param sources in ascending precedence, after the defaults
 * @param profiles names of the profiles in effect, for example `["development"]`
 * @param others sources of another component by its name
 * @throws ConfigurationError for an unknown or ill-typed key, naming file, line, key and the nearest known name
 */
export function createEnvironment(
  sources: readonly ConfigurationSource[],
  profiles: readonly string[] = ["development"],
  others: (name: string) => readonly ConfigurationSource[] = () => [],
): Environment {
  const layers = [defaultsFor(profiles)];
  const places: ConfigurationLayer[] = [];
  const unknown: UnknownKey[] = [];
  for (const source of sources) {
    const given = source.anyCase ? withKnownNames(source.value, mergeDeep(...layers)) : source.value;
    const value = understood(resolveProfiles(given, profiles), source, unknown);
    layers.push(value);
    places.push({ source, value });
  }
  const production = profiles.includes("production");
  const merged = inheritKinds(mergeDeep(...layers));
  const remarks = new Remarks(merged.strict === true);
  remarkUnknown(unknown, remarks);
  const engine = offeredEngine(withKindsOfUrls(merged), production, remarks);
  const offered = offeredChannels(engine, production, remarks);
  const requires = offeredUsers({ ...merged, requires: offered }, production, remarks);
  const component = (name: string): Readonly<Record<string, unknown>> =>
    name === "fw" || name === "cds"
      ? env
      : deepFreeze(mergeDeep(...others(name).map(({ value }) => resolveProfiles(value, profiles))));
  const env = {
    ...merged,
    requires: withUsers({ ...merged, requires }, production),
    profiles,
    production,
  } as unknown as Environment; // the next four are not for whoever prints the configuration
  Object.defineProperty(env, "for", { value: component });
  Object.defineProperty(env, "remarks", { value: remarks });
  const isExisting = sources.some(({ dialect }) => dialect === "cds");
  Object.defineProperty(env, "isLenient", { value: isExisting && !production });
  const placeOf: Environment["placeOf"] = (path) => keyPlace(path, places);
  Object.defineProperty(env, "placeOf", { value: placeOf });
  return deepFreeze(env);
}

function withKindsOfUrls({ requires }: Record<string, unknown>): Environment["requires"] {
  return Object.fromEntries(
    Object.entries(requires as Environment["requires"])
      .map(([name, entry]) => [name, isPlainObject(entry) ? withKindOfUrl(entry) : entry]),
  );
}

/** A key that nothing here knows. */
interface UnknownKey extends SchemaProblem {
  readonly source: ConfigurationSource;
}

/** What a source says in our words, once it is found right. */
function understood(
  given: Record<string, unknown>,
  source: ConfigurationSource,
  unknown: UnknownKey[],
): Record<string, unknown> {
  const isOurs = source.dialect !== "cds";
  const remark = (path: readonly string[], message: string) => {
    if (!source.isForeign) unknown.push({ path, message, source });
  };
  const value = expandShorthands(isOurs ? given : fromCds(given, remark));
  const problem = validate(value, SCHEMA, {
    onUnknown: isOurs ? undefined : ({ path, message }) => remark(path, message),
  });
  if (problem) throw toConfigurationError(problem, source);
  return value;
}

/** Names that look misspelt are said one by one, all others of a file together: they are for other programs. */
function remarkUnknown(unknown: readonly UnknownKey[], remarks: Remarks): void {
  const others = new Map<string, string[]>();
  for (const { path, message, source } of unknown) {
    const key = keyName(path, source);
    if (message === "is unknown") {
      others.set(source.name, [...others.get(source.name) ?? [], key]);
    } else remarks.add(`${key} ${message}`, { file: source.name, line: lineOf(path, source) });
  }
  for (const [file, keys] of others) {
    const has = keys.length === 1 ? "has" : "have";
    remarks.add(`${keys.join(", ")} ${has} no effect here; "cds.env" gives the values`, { file });
  }
}

/** Engines that do not exist here are stood in for where no data is at stake: outside production. */
function offeredEngine(
  requires: Environment["requires"],
  production: boolean,
  remarks: Remarks,
): Environment["requires"] {
  if (production || !requires.db) return requires;
  const { kind, credentials, ...db } = requires.db;
  if (kind === "sql") return { ...requires, db: { ...db, ...(credentials ? { credentials } : {}) } };
  const reason = whyAbsent(requires);
  if (reason === undefined) return requires;
  remarks.add(
    `"requires.db.kind" is "${kind}", ${reason}: the default database of development stands in for it`,
  );
  return { ...requires, db };
}

/** Why there is no engine of a kind: it is closed, has an implementation for others, or nothing is bound of it. */
function whyAbsent(requires: Environment["requires"]): string | undefined {
  const { kind, credentials, tenants } = requires.db!;
  const isMadeForOthers = typeof kind === "string" && Object.hasOwn(requires, kind) &&
    requires[kind]?.impl !== undefined;
  if (isMadeForOthers || /^hana(-|$)/.test(String(kind))) return "which is not available";
  const isUnbound = kind === "postgres" && credentials === undefined && tenants === undefined;
  return isUnbound ? "but nothing is bound of it" : undefined;
}

/** Channels that only bindings describe are stood in for by one inside of the process, outside production. */
function offeredChannels(
  requires: Environment["requires"],
  production: boolean,
  remarks: Remarks,
): Environment["requires"] {
  if (production) return requires;
  const isUnbound = (entry: unknown) =>
    isPlainObject(entry) && entry.kind === "enterprise-messaging" && entry.credentials === undefined;
  const entries = Object.entries(requires).map(([name, entry]) => {
    if (!isUnbound(entry)) return [name, entry] as const;
    remarks.add(
      `"requires.${name}.kind" is "${
        entry!.kind
      }", but nothing is bound of it: messages stay in this process`,
    );
    return [name, { ...entry, kind: "local-messaging" }] as const;
  });
  return Object.fromEntries(entries);
}

/** Kinds of existing projects whose credentials a platform binds. */
const BOUND_KINDS: readonly unknown[] = ["xsuaa", "ias", "jwt"];

/** Hosts that only this machine reaches. */
const LOCAL: readonly unknown[] = ["127.0.0.1", "::1", "localhost"];

/**
 * Mock users stand in for those of an identity service that nothing is bound of: outside production, where nobody but
 * this machine reaches the server.
 */
function offeredUsers(
  { requires, server }: { readonly requires: Environment["requires"]; readonly [key: string]: unknown },
  production: boolean,
  remarks: Remarks,
): Environment["requires"] {
  const { auth } = requires;
  const { host } = (server ?? {}) as { readonly host?: unknown };
  if (production || !auth || !BOUND_KINDS.includes(auth.kind) || auth.credentials !== undefined) {
    return requires;
  }
  if (auth.impl !== undefined || !LOCAL.includes(host)) return requires;
  remarks.add(
    `"requires.auth.kind" is "${auth.kind}", but no service of that kind is bound: the mock users of development stand ` +
      "in for it, for requests of this machine only",
  );
  return { ...requires, auth: { ...auth, kind: "mocked" } };
}

/**
 * Mock users stand where those of the configuration do. What they hold is changed by programs, which is why they are not
 * frozen.
 */
function withUsers(
  env: { readonly requires: Environment["requires"]; readonly [key: string]: unknown },
  production: boolean,
): Environment["requires"] {
  const { requires } = env;
  if (requires.auth?.kind !== "mocked" || production) return requires;
  const auth = deepFreeze({ ...requires.auth, users: undefined });
  return { ...requires, auth: Object.freeze({ ...auth, users: configuredUsers(env) }) };
}

/** A source whose names are those of earlier ones where they differ in case only: `stockservice` for `StockService`. */
function withKnownNames(
  value: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = Object.keys(known);
  const entries = Object.entries(value).map(([name, member]) => {
    const same = names.includes(name)
      ? name
      : names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
    const before = known[same];
    return [same, isPlainObject(member) && isPlainObject(before) ? withKnownNames(member, before) : member];
  });
  return Object.fromEntries(entries);
}

/** Applies the members of `[profile]` at any depth, in the order of the profiles. */
function resolveProfiles(
  value: Readonly<Record<string, unknown>>,
  profiles: readonly string[],
): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (/^\[.*\]$/.test(key)) continue;
    plain[key] = isPlainObject(member) ? resolveProfiles(member, profiles) : member;
  }
  const overlays = profiles
    .map((profile) => value[`[${profile}]`])
    .filter(isPlainObject)
    .map((overlay) => resolveProfiles(overlay, profiles));
  return mergeDeep(plain, ...overlays);
}

/** `requires.db: "sqlite"` means `{kind: "sqlite"}`, a URL of PostgreSQL its credentials; `true` means the default kind; `false` switches off. */
function expandShorthands(value: Record<string, unknown>): Record<string, unknown> {
  if (!isPlainObject(value.requires)) return value;
  const requires: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value.requires)) {
    if (name === "multitenancy") requires[name] = isPlainObject(entry) ? true : entry;
    else if (typeof entry === "string") requires[name] = entryOfText(entry);
    else if (entry === true) requires[name] = {};
    else requires[name] = entry;
  }
  return { ...value, requires };
}

/**
 * An entry whose kind is described in `requires.kinds` inherits from that description, which may have its name in front
 * (`attachments-db` of `attachments: {kind: "db"}`), then from what is described for its name.
 */
function inheritKinds(merged: Record<string, unknown>): Record<string, unknown> {
  const { kinds, ...entries } = (merged.requires ?? {}) as Record<string, Record<string, unknown>>;
  if (!kinds) return merged;
  const requires: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(entries)) {
    requires[name] = isPlainObject(entry) ? inheritKind(name, entry, kinds) : entry;
  }
  return { ...merged, requires };
}

function inheritKind(
  name: string,
  entry: Record<string, unknown>,
  kinds: Record<string, unknown>,
): Record<string, unknown> {
  let result = entry;
  const seen = new Set<string>();
  for (let kind = result.kind; typeof kind === "string" && !seen.has(kind); kind = result.kind) {
    const described = [kind, `${name}-${kind}`].find((one) => isPlainObject(kinds[one]));
    if (described === undefined) break;
    const base = kinds[described] as Record<string, unknown>; // found as an object
    seen.add(kind).add(described);
    result = { ...mergeDeep(base, result), kind: base.kind ?? kind };
  }
  const own = kinds[name];
  return isPlainObject(own) && !seen.has(name) ? mergeDeep(own, result) : result;
}

function toConfigurationError(
  { path, message }: SchemaProblem,
  source: ConfigurationSource,
): ConfigurationError {
  const hint = message === "is unknown" ? misplaced(path) : "";
  return new ConfigurationError(`${keyName(path, source)} ${message}${hint}`, {
    file: source.name,
    line: lineOf(path, source),
  });
}

/** Members of credentials. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  ...["url", "uri", "host", "port", "user", "username", "password", "database"],
]);

/** Where a key belongs that stands in the wrong place. */
function misplaced(path: readonly string[]): string {
  const [first = "", , last = ""] = path;
  if (path.length === 1 && (first === "fw" || first === "cds")) {
    return ": all of the file stands below it already, so leave it out";
  }
  if (path.length === 1 && /^(?:production|development|test)$/.test(first)) {
    return `; names of profiles stand in brackets: "[${first}]"`;
  }
  return first === "requires" && path.length === 3 && CREDENTIALS.has(last)
    ? `; it belongs into "credentials"`
    : "";
}

/** A key as the file names it. */
function keyName(path: readonly string[], source: ConfigurationSource): string {
  return `"${[source.dialect ?? "fw", ...path].join(".")}"`;
}

function lineOf(path: readonly string[], { text }: ConfigurationSource): number | undefined {
  return text === undefined ? undefined : jsonKeyLine(text, path);
}

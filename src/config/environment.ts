/**
 * The effective configuration (`fw.env`): sources merged in order, profiles resolved, validated (design 12).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { deepFreeze } from "../util/deep_freeze.ts";
import { jsonKeyLine } from "../util/json_key_line.ts";
import { mergeDeep } from "../util/merge_deep.ts";
import { entryOfText, withKindOfUrl } from "./database_kind.ts";
import { defaultsFor } from "./defaults.ts";
import { SCHEMA } from "./schema.ts";
import { type SchemaProblem, validate } from "./validate.ts";

/** One source of configuration: what stands below `fw` there. */
export interface ConfigurationSource {
  /** File name, or what else a message should name: `environment variable FW_CONFIG`. */
  readonly name: string;
  /** What stands below `fw` there. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The text of the file, to find lines in. */
  readonly text?: string;
  /** Whether names that earlier sources have may be written in other case, as in environment variables. */
  readonly anyCase?: boolean;
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
   */
  readonly for: (name: string) => Readonly<Record<string, unknown>>;
  /** All other keys of the schema. */
  readonly [key: string]: unknown;
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
  for (const source of sources) {
    const given = source.anyCase ? withKnownNames(source.value, mergeDeep(...layers)) : source.value;
    const value = expandShorthands(resolveProfiles(given, profiles));
    const problem = validate(value, SCHEMA);
    if (problem) throw toConfigurationError(problem, source);
    layers.push(value);
  }
  const merged = inheritKinds(mergeDeep(...layers));
  const requires = Object.fromEntries(
    Object.entries(merged.requires as Environment["requires"])
      .map(([name, entry]) => [name, isPlainObject(entry) ? withKindOfUrl(entry) : entry]),
  );
  const component = (name: string): Readonly<Record<string, unknown>> =>
    name === "fw" || name === "cds"
      ? env
      : deepFreeze(mergeDeep(...others(name).map(({ value }) => resolveProfiles(value, profiles))));
  const production = profiles.includes("production");
  const env: Environment = { ...merged, requires, profiles, production, for: component };
  // whoever prints the configuration wants its keys
  return deepFreeze(Object.defineProperty(env, "for", { enumerable: false }));
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

/** An entry whose kind is described in `requires.kinds` inherits from that description. */
function inheritKinds(merged: Record<string, unknown>): Record<string, unknown> {
  const { kinds, ...entries } = (merged.requires ?? {}) as Record<string, Record<string, unknown>>;
  if (!kinds) return merged;
  const requires: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(entries)) {
    requires[name] = isPlainObject(entry) ? inheritKind(entry, kinds) : entry;
  }
  return { ...merged, requires };
}

function inheritKind(
  entry: Record<string, unknown>,
  kinds: Record<string, unknown>,
): Record<string, unknown> {
  let result = entry;
  const seen = new Set<string>();
  for (let kind = result.kind; typeof kind === "string" && !seen.has(kind); kind = result.kind) {
    seen.add(kind);
    const base = kinds[kind];
    if (!isPlainObject(base)) break;
    result = { ...mergeDeep(base, result), kind: base.kind ?? kind };
  }
  return result;
}

function toConfigurationError(problem: SchemaProblem, source: ConfigurationSource): ConfigurationError {
  const line = source.text === undefined ? undefined : jsonKeyLine(source.text, problem.path);
  return new ConfigurationError(`"${["fw", ...problem.path].join(".")}" ${problem.message}`, {
    file: source.name,
    line,
  });
}

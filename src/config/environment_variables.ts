import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { ConfigurationSource } from "./environment.ts";
import { SCHEMA } from "./schema.ts";
import type { SchemaNode } from "./validate.ts";
import { jsonOr } from "../util/json_text.ts";

/** Variables with the prefix that are no configuration. */
const RESERVED: ReadonlySet<string> = new Set([
  "ENV",
  "CONFIG",
  "REQUIRE_SERVICES",
  "HOME",
  "STACK",
  "TOKEN_PASSWORD",
]);

/**
 * The sources that environment variables give, ascending.
 *
 * @param variables all variables
 * @param prefix `FW`, or `CDS` for existing projects
 * @throws ConfigurationError for a variable that names no key, or a `…_CONFIG` that is no JSON object
 */
export function variablesToSources(
  variables: Readonly<Record<string, string>>,
  prefix = "FW",
): readonly ConfigurationSource[] {
  const sources: ConfigurationSource[] = [];
  const dialect = prefix === "CDS" ? "cds" : undefined;
  for (const [name, text] of Object.entries(variables)) {
    if (!isOf(name, prefix)) continue;
    const rest = name.slice(prefix.length + 1);
    if (RESERVED.has(rest.toUpperCase())) continue;
    const words = wordsOf(rest, name[prefix.length]!);
    const lower = words.map((word) => word.toLowerCase());
    const path = findPath(lower, SCHEMA) ?? unknownPath(dialect, /[a-z]/.test(rest) ? words : lower);
    if (!path) throw new ConfigurationError(`Environment variable ${name} names no key of the configuration`);
    const value = nest(path, toValue(text, nodeAt(path)));
    sources.push({ name: `environment variable ${name}`, value, dialect, anyCase: true });
  }
  const json = variables[`${prefix}_CONFIG`];
  if (json) {
    sources.push({
      name: `environment variable ${prefix}_CONFIG`,
      value: parseObject(json, prefix),
      text: json,
      dialect,
    });
  }
  return sources;
}

/** The words of a name; two `_` in a row are one that belongs to a word: `cds_odata_put__as__replace`. */
function wordsOf(name: string, separator: string): string[] {
  if (separator !== "_" || !name.includes("__")) return name.split(separator);
  return name.split(/(?<!_)_(?!_)/).map((word) => word.replaceAll("__", "_"));
}

/** Existing projects may name keys that nothing here knows. */
function unknownPath(dialect: string | undefined, words: readonly string[]): readonly string[] | undefined {
  return dialect && words.every((word) => word !== "") ? words : undefined;
}

/** Existing projects write `cds_requires_db_kind` and `cds.requires.db.kind`, too. */
function isOf(name: string, prefix: string): boolean {
  return name.startsWith(`${prefix}_`) || (prefix === "CDS" && /^cds[._]/.test(name));
}

/**
 * Names of the profiles in effect: `FW_ENV`, else `NODE_ENV`; several separated by commas.
 *
 * @param variables environment variables
 * @param otherwise those where no variable names any; default: `development`
 */
export function profilesOf(
  variables: Readonly<Record<string, string>>,
  otherwise: readonly string[] = ["development"],
): readonly string[] {
  const given = variables.FW_ENV || variables.CDS_ENV || variables.NODE_ENV;
  if (!given) return otherwise;
  return given.split(",").map((profile) => profile.trim()).filter(Boolean);
}

/** Finds the keys whose names, joined by `_`, are the words; longer names first. */
function findPath(words: readonly string[], schema: SchemaNode): readonly string[] | undefined {
  if (words.length === 0) return [];
  for (let taken = words.length; taken > 0; taken--) {
    const wanted = words.slice(0, taken).join("_");
    const known = Object.keys(schema.members ?? {}).find((name) => name.toLowerCase() === wanted);
    const node = known === undefined ? undefined : schema.members![known];
    const rest = node && findPath(words.slice(taken), node);
    if (rest) return [known!, ...rest];
  }
  const rest = schema.others && findPath(words.slice(1), schema.others);
  return rest && [words[0], ...rest];
}

function nodeAt(path: readonly string[]): SchemaNode {
  let node = SCHEMA;
  for (const key of path) node = node.members?.[key] ?? node.others ?? node;
  return node;
}

function toValue(text: string, node: SchemaNode): unknown {
  if (node.types.includes("string") && !/^[[{]/.test(text)) return text;
  return jsonOr(text, text);
}

function nest(path: readonly string[], value: unknown): Record<string, unknown> {
  const [first, ...rest] = path;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

function parseObject(json: string, prefix: string): Record<string, unknown> {
  try {
    const value = JSON.parse(json);
    if (isPlainObject(value)) return value;
  } catch (cause) {
    throw new ConfigurationError(
      `Environment variable ${prefix}_CONFIG is not valid JSON: the configuration itself is expected, not the path of a file`,
      {},
      { cause },
    );
  }
  throw new ConfigurationError(`Environment variable ${prefix}_CONFIG must hold a JSON object`);
}

/**
 * Reads lines `NAME=value`, with optional `export`, quotes and `#` comments; other lines are left out.
 *
 * @param text of the file
 * @param onOther takes the number of a line that is none of these
 */
export function parseDotenv(text: string, onOther?: (line: number) => void): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, line] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) {
      if (!/^\s*(?:#|$)/.test(line)) onOther?.(index + 1);
      continue;
    }
    const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(match[2]);
    variables[match[1]] = quoted ? quoted[2] : match[2].replace(/\s+#.*$/, "");
  }
  return variables;
}

/** A service instance bound to the application. */
export interface ServiceBinding {
  /** Name of the binding or instance. */
  readonly name: string;
  /** Service label or type: `identity`, `xsuaa`, `postgresql-db`, … */
  readonly label: string;
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** Kinds that a label of a bound identity service selects (`auth` 1). */
const IDENTITY_KINDS: Readonly<Record<string, string>> = { identity: "oidc", xsuaa: "oauth2" };

/**
 * Reads `VCAP_SERVICES`.
 *
 * @throws ConfigurationError when it is not a JSON object of lists
 */
export function parseVcapServices(json: string): readonly ServiceBinding[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ConfigurationError("VCAP_SERVICES is not valid JSON", {}, { cause });
  }
  if (!isPlainObject(value)) throw new ConfigurationError("VCAP_SERVICES must hold a JSON object");
  return Object.entries(value).flatMap(([label, entries]) =>
    (Array.isArray(entries) ? entries : []).filter(isPlainObject).map((entry) => ({
      name: String(entry.name ?? label),
      label,
      credentials: isPlainObject(entry.credentials) ? entry.credentials : {},
    }))
  );
}

/**
 * The source that bindings give: an identity service selects the kind of `requires.auth`, every other binding gives
 * its credentials to the required service of the same name.
 *
 * @param bindings the bindings
 * @param pinned `requires.auth.binding`: name of the binding of the OAuth 2.0 service that counts
 * @throws ConfigurationError for two bindings of one identity service, or when the pinned one is not there
 */
export function bindingsToSource(
  bindings: readonly ServiceBinding[],
  pinned?: string,
): ConfigurationSource | undefined {
  if (bindings.length === 0) return undefined;
  const requires: Record<string, unknown> = {};
  const identity = Object.keys(IDENTITY_KINDS).flatMap((label) => identityBinding(bindings, label, pinned));
  if (identity.length === 1) {
    requires.auth = { kind: IDENTITY_KINDS[identity[0]!.label], credentials: identity[0]!.credentials };
  } else if (identity.length > 1) {
    const credentials = Object.fromEntries(identity.map((b) => [IDENTITY_KINDS[b.label], b.credentials]));
    requires.auth = { kind: identity.map((b) => IDENTITY_KINDS[b.label]), credentials };
  }
  for (const binding of bindings) {
    if (!(binding.label in IDENTITY_KINDS)) requires[binding.name] = { credentials: binding.credentials };
  }
  return { name: "service bindings", value: { requires } };
}

/** At most one binding of an identity service counts (spec 8.1). */
function identityBinding(
  bindings: readonly ServiceBinding[],
  label: string,
  pinned: string | undefined,
): readonly ServiceBinding[] {
  const all = bindings.filter((binding) => binding.label === label);
  const mayPin = IDENTITY_KINDS[label] === "oauth2" && pinned !== undefined && all.length > 0;
  const found = mayPin ? all.filter((binding) => binding.name === pinned) : all;
  const names = all.map((binding) => binding.name).join(", ");
  if (mayPin && found.length === 0) {
    throw new ConfigurationError(
      `"fw.requires.auth.binding" names "${pinned}", but the bindings of service "${label}" are ${names}`,
    );
  }
  if (found.length > 1) {
    throw new ConfigurationError(`Expected at most one binding of service "${label}", but found ${names}`);
  }
  return found;
}

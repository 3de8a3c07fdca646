import { ConfigurationError } from "../../errors/configuration_error.ts";
import { normalizePath } from "../../util/normalize_path.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { assertCsn } from "../assert_csn.ts";
import type { Csn, SourceLocation } from "../csn.ts";
import type { AstFile } from "./ast.ts";
import { parseCdlText, type ParseOptions } from "./parse_cdl.ts";
import type { Problems } from "../problems.ts";
import { findFile, nearestModule, resolveModule, type SourceHost } from "../resolve_module.ts";

/** A loaded file: a syntax tree of CDL, or a model in CSN. */
export interface LoadedModule {
  readonly path: string;
  readonly ast?: AstFile;
  readonly csn?: Csn;
}

/** Files as they were parsed the last time, by their paths: whoever compiles again parses only what has changed. */
export type ParsedModules = Map<string, { readonly text: string; readonly module: LoadedModule }>;

/** How files are loaded. */
export interface LoadOptions extends ParseOptions {
  /** What was parsed before with the same options; takes what is parsed now. */
  readonly parsed?: ParsedModules;
}

interface Loading {
  readonly host: SourceHost;
  readonly options: LoadOptions;
  readonly problems: Problems;
  readonly seen: Set<string>;
  readonly result: LoadedModule[];
}

/**
 * Loads files and all they use.
 *
 * @param roots paths to begin with
 * @param host access to files
 * @param context parse options, and what takes the mistakes found
 * @returns the files in order of application
 * @throws {ConfigurationError} for a root that does not exist
 */
export function loadModules(
  roots: readonly string[],
  host: SourceHost,
  context: Pick<Loading, "options" | "problems">,
): LoadedModule[] {
  const loading: Loading = { ...context, host, seen: new Set(), result: [] };
  for (const root of roots) {
    // one file has one path, whether it is a root or used by another
    const normal = normalizePath(root);
    const path = findRoot(normal, host);
    if (path === undefined) throw new ConfigurationError(`Model file "${root}" does not exist`);
    load(path, loading);
  }
  return loading.result;
}

function findRoot(path: string, host: SourceHost): string | undefined {
  return host.readFile(path) === undefined ? findFile(path, host) : path;
}

/** Loads a file once, by whatever links it is reached; it keeps the path by which it was reached first. */
function load(path: string, loading: Loading): void {
  const { seen, host } = loading;
  const own = ownModuleText(path);
  const real = own === undefined ? host.realPath?.(path) ?? path : path;
  if (seen.has(real)) return;
  seen.add(real);
  const text = own ?? host.readFile(path);
  try {
    const module = parseModule(path, text ?? "", loading.options);
    for (const { name, location } of importsOf(module)) loadImport(name, location, loading);
    loading.result.push(module);
  } catch (error) {
    loading.problems.catch(error);
  }
}

function loadImport(name: string, location: SourceLocation, loading: Loading): void {
  const own = ownModule(name);
  if (own !== undefined && !yieldsToPackage(own)) return load(own, loading);
  const path = resolveModule(name, location.file, loading.host) ?? own;
  if (path === undefined) loading.problems.add(unknownModule(name, location.file, loading.host), location);
  else load(path, loading);
}

function unknownModule(name: string, fromFile: string, host: SourceHost): string {
  const near = nearestModule(name, fromFile, host) ?? nearestName(name, ownModuleNames());
  if (near !== undefined) return `Unknown module "${name}" (did you mean "${near}"?)`;
  const expected = /^(?:\.\.?)?\//.test(name)
    ? "expected a .cds, .csn or .json file there, or a folder with an index file"
    : 'found in no folder "node_modules" here or above; is the package installed?';
  return `Unknown module "${name}": ${expected}`;
}

function importsOf({ path, ast, csn }: LoadedModule): { name: string; location: SourceLocation }[] {
  if (ast) return ast.usings.flatMap(({ from }) => from ? [from] : []);
  return (csn?.requires ?? []).map((name) => ({ name, location: { file: path, line: 1, col: 1 } }));
}

function parseModule(path: string, text: string, options: LoadOptions): LoadedModule {
  const known = options.parsed?.get(path);
  if (known?.text === text) return known.module;
  const module = parseText(path, text, options);
  options.parsed?.set(path, { text, module });
  return module;
}

function parseText(path: string, text: string, options: ParseOptions): LoadedModule {
  if (!path.endsWith(".csn") && !path.endsWith(".json")) {
    return { path, ast: parseCdlText(text, path, options) };
  }
  return { path, csn: parseCsn(path, text) };
}

function parseCsn(path: string, text: string): Csn {
  let csn: unknown;
  try {
    csn = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const before = text.slice(0, Number(/position (\d+)/.exec(message)?.[1] ?? 0)).split("\n");
    const place = { file: path, line: before.length, column: before.at(-1)!.length + 1 };
    throw new ConfigurationError(`Found no JSON: ${message}`, place, { cause: error });
  }
  assertCsn(csn, { file: path, text });
  return csn;
}

/** Its CDL text. */
const COMMON_MODULE_TEXT: string = `
type User : String(255) @title: '{i18n>UserID}' @description: '{i18n>UserID.Description}';

aspect cuid { key ID : UUID; }

aspect managed {
  createdAt  : Timestamp @readonly @cds.on.insert: $now @Core.Immutable @title: '{i18n>CreatedAt}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  createdBy  : User @readonly @cds.on.insert: $user @Core.Immutable @title: '{i18n>CreatedBy}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  modifiedAt : Timestamp @readonly @cds.on.insert: $now @cds.on.update: $now @title: '{i18n>ChangedAt}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  modifiedBy : User @readonly @cds.on.insert: $user @cds.on.update: $user @title: '{i18n>ChangedBy}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
}
aspect temporal {
  validFrom : Timestamp @cds.valid.from;
  validTo   : Timestamp @cds.valid.to;
}

type Country  : Association to sap.common.Countries
  @title: '{i18n>Country}' @description: '{i18n>CountryCode.Description}';
type Currency : Association to sap.common.Currencies
  @title: '{i18n>Currency}' @description: '{i18n>CurrencyCode.Description}';
type Language : Association to sap.common.Languages
  @title: '{i18n>Language}' @description: '{i18n>LanguageCode.Description}';
type Timezone : Association to sap.common.Timezones;

context sap.common {
  type Locale : String(14) @title: '{i18n>LanguageCode}';

  @cds.autoexpose @cds.persistence.skip: 'if-unused' @cds.odata.valuelist
  @UI.Identification: [{ Value: name }]
  aspect CodeList {
    name  : localized String(255)  @title: '{i18n>Name}';
    descr : localized String(1000) @title: '{i18n>Description}';
  }

  aspect TextsAspect { key locale : Locale; }

  entity Countries : CodeList {
    key code : String(3) @title: '{i18n>CountryCode}' @Common.Text: name;
  }
  entity Currencies : CodeList {
    key code  : String(3) @title: '{i18n>CurrencyCode}' @Common.Text: name;
    symbol    : String(5) @title: '{i18n>CurrencySymbol}';
    minorUnit : Int16 @title: '{i18n>CurrencyMinorUnit}';
  }
  entity Languages : CodeList {
    key code : Locale @title: '{i18n>LanguageCode}' @Common.Text: name;
  }
  entity Timezones : CodeList {
    key code : String(100) @title: '{i18n>TimeZoneCode}';
  }
}
`;

/** The common definitions. */
const COMMON = "@sap/cds/common";
/** Messages that wait to be sent, as a table that services of applications may show. */
const OUTBOX = "@sap/cds/srv/outbox";
/** The code lists of the common definitions; whoever has the package gets its data, too. */
const COMMON_CONTENT = "@sap/cds-common-content";

const OUTBOX_MODULE_TEXT = `
namespace cds.outbox;

entity Messages {
  key ID               : UUID;
  timestamp            : Timestamp;
  target               : String;
  msg                  : LargeString;
  attempts             : Integer default 0;
  partition            : Integer default 0;
  lastError            : LargeString;
  lastAttemptTimestamp : Timestamp @cds.on.update: $now;
  status               : String(23);
}
`;

const TEXTS: ReadonlyMap<string, string> = new Map([
  [COMMON, COMMON_MODULE_TEXT],
  [OUTBOX, OUTBOX_MODULE_TEXT],
  [COMMON_CONTENT, `using from '${COMMON}';`],
]);

/**
 * The text of a module.
 *
 * @param name its name, as `ownModule` gives it
 * @returns CDL; undefined when the name is that of a file
 */
function ownModuleText(name: string): string | undefined {
  return TEXTS.get(name);
}

/** The names of all modules. */
function ownModuleNames(): Iterable<string> {
  return TEXTS.keys();
}

/**
 * The module that a name stands for, with or without the suffix of a file.
 *
 * @param name as models write it
 * @returns its name; undefined when we have no such module
 */
function ownModule(name: string): string | undefined {
  const bare = name.replace(/\.cds$/, "");
  return TEXTS.has(bare) ? bare : undefined;
}

/**
 * Whether a package of this name takes the place of our module.
 *
 * @param name of our module
 */
function yieldsToPackage(name: string): boolean {
  return name === COMMON_CONTENT;
}

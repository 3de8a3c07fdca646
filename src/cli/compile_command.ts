/**
 * `fw compile [folder or file] --to FORMAT [--service NAME] [--base FILE] [--dest FILE]`
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { passOver } from "../fw/without_effect.ts";
import { modelAsConfigured } from "../fw/model_as_configured.ts";
import type { CompileOptions } from "../fw/compile_targets.ts";
import { compile } from "../fw/facade_compile.ts";
import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel, modelReader } from "../deno/load_model.ts";
import { findToggleFiles, loadToggles } from "../deno/load_toggles.ts";
import { loadTexts } from "../deno/load_texts.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { parseJson } from "../deno/parse_json.ts";
import { readTextIfExists, writeText } from "../deno/text_files.ts";
import { printWarning, printWarnings } from "./describe_mistakes.ts";
import { type Command, unknownWord } from "./parse_command.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { frameworkLabel } from "../i18n/framework_labels.ts";
import { normalizeLocale } from "../i18n/request_locale.ts";
import { TextBundles } from "../i18n/text_bundles.ts";
import type { Csn } from "../model/csn.ts";
import { linkModel } from "../model/link_model.ts";
import { withToggles } from "../model/toggles.ts";
import { checkRules } from "../service/check_rules.ts";

type Writer = (model: Csn, options: CompileOptions) => string;

const WRITERS: Readonly<Record<string, Writer>> = {
  csn: (model) => JSON.stringify(compile.to.csn(model), null, 2),
  json: (model) => JSON.stringify(compile.to.csn(model), null, 2),
  edmx: (model, options) => compile.to.edmx(model, options),
  edm: (model, options) => JSON.stringify(compile.to.edm(model, options), null, 2),
  csdl: (model, options) => JSON.stringify(compile.to.edm(model, options), null, 2),
  openapi: (model, options) => JSON.stringify(compile.to.openapi(model, options), null, 2),
  asyncapi: (model, options) => JSON.stringify(compile.to.asyncapi(model, options), null, 2),
  sql: (model, options) => compile.to.sql(model, options).map((statement) => `${statement};`).join("\n\n"),
  types: (model, options) => compile.to.types(model, options),
  "security-descriptor": (model, options) =>
    JSON.stringify(compile.to.securityDescriptor(model, options), null, 2),
};

/** What `fw help compile` prints. */
export const COMPILE_HELP = `Usage: fw compile [folder | files] --to FORMAT [options]

Prints the model of a project, or of files, in another form.

  --to FORMAT          ${Object.keys(WRITERS).join(", ")}; default: csn
  --service NAME       the service, for edmx, csdl (or edm) and openapi; needed where the model has several
  --odata-version V    of edmx and csdl: 4.0 (default) or 4.01; of edmx also 2.0
  --locale NAME        labels of edmx, csdl and openapi in this language, from the bundles of the project; default: keys stay
  --dialect NAME       the database of SQL: sqlite (default), postgres
  --base FILE          a security descriptor kept by hand: its members and entries win
  --dest FILE          write a file instead of printing

Examples: fw compile --to sql --dialect postgres
          fw compile --to types --dest srv/model.ts`;

/** Prints a model in another form. */
export async function compileCommand({ words, options }: Command): Promise<number> {
  const to = typeof options.to === "string" ? options.to : "csn";
  const write = Object.hasOwn(WRITERS, to) ? WRITERS[to] : undefined;
  if (!write) {
    throw unknownWord("format", to, Object.keys(WRITERS));
  }
  const { service, base, dest, dialect, locale, "odata-version": odataVersion } = options as Readonly<
    Record<string, string | undefined>
  >; // all take values
  const { model, env } = await modelOf(words, to);
  env?.remarks.take(); // what is about the start
  checkRules(linkModel(model), env && passOver(env));
  for (const text of env?.remarks.take() ?? []) printWarning(text);
  const text = write(model, {
    service,
    odataVersion,
    dialect,
    texts: locale === undefined ? undefined : textsOf(words, locale),
    base: base === undefined ? undefined : readJson(base),
  });
  printWarnings(model);
  if (dest === undefined) console.log(text);
  else await writeText(dest, `${text}\n`);
  return 0;
}

function readJson(file: string): unknown {
  const text = readTextIfExists(file);
  if (text === undefined) throw new ConfigurationError("No such file", { file });
  return parseJson(text, file);
}

/** What of `fw.i18n` counts here; the schema has checked it. */
interface LocaleSettings {
  readonly default_language?: string;
  readonly preserved_locales?: readonly string[];
}

/** The texts of a language: those of the project in the folder, or in that of the working directory, then our own. */
function textsOf([first = Deno.cwd(), ...more]: readonly string[], name: string): CompileOptions["texts"] {
  const folder = more.length > 0 || isModelFile(first) ? Deno.cwd() : first;
  const { env } = readConfiguration(folder);
  const { default_language: defaultLanguage, preserved_locales: preserved } =
    (env.i18n ?? {}) as LocaleSettings;
  const locale = normalizeLocale(name, preserved);
  if (locale === undefined) {
    throw new ConfigurationError(
      `Expected a language like "de" or "pt_PT" after --locale, but found "${name}"`,
    );
  }
  const bundles = new TextBundles({ project: loadTexts(folder, env), defaultLanguage });
  return (key) => bundles.at(key, locale) ?? frameworkLabel(key, locale);
}

function isModelFile(path: string): boolean {
  return /\.(cds|csn|json)$/.test(path);
}

/** The model of files as they are named; of a folder, or without any, that of the project, with its configuration. */
async function modelOf(
  words: readonly string[],
  to: string,
): Promise<{ readonly model: Csn; readonly env?: Environment }> {
  const [first = Deno.cwd(), ...more] = words;
  if (more.length > 0 || isModelFile(first)) {
    return { model: await loadModel([first, ...more], { warn: printWarning }) };
  }
  const { env } = readConfiguration(first);
  const files = findModelFiles(first, env);
  // a role exists whether or not the users who may get it have the toggle
  const toggleFiles = to === "security-descriptor" ? findToggleFiles(first, env, files) : new Map();
  const read = await modelReader([files, ...toggleFiles.values()]);
  const csn = read(files, { warn: printWarning });
  const toggles = loadToggles(toggleFiles, { csn, files, read });
  return { model: modelAsConfigured(withToggles({ model: csn, toggles }), env), env };
}

/**
 * The `cdl` conformance suite: compiles the sources of every case and compares with its `expect.json`, and loads the
 * published models.
 *
 * @module
 */

import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../src/model/csdl/write_csdl_json.ts";
import type { Csn } from "../../src/model/csn.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { runPublished } from "./published.ts";
import type { SuiteResult } from "./suite_result.ts";

interface Expectation {
  readonly roots?: readonly string[];
  readonly csn?: unknown;
  readonly absent?: Readonly<Record<string, readonly string[]>>;
  readonly edm?: Readonly<Record<string, unknown>>;
  readonly ddl?: Readonly<Record<string, readonly string[]>>;
  readonly error?: { readonly file: string; readonly about: string };
  readonly skip?: unknown;
}

/**
 * Runs all cases of a folder.
 *
 * @param casesDir the folder that holds `cdl/models/<case>` with `sources` and `expect.json`
 * @returns counts, the failed cases, and in notes the first difference of each
 */
export async function runCdlSuite(casesDir: string): Promise<SuiteResult> {
  const failed: string[] = [];
  const notes: string[] = [];
  const models = `${casesDir}/cdl/models`;
  let total = 0;
  for (const name of await caseNames(models)) {
    const folder = `${models}/${name}`;
    const expectation = JSON.parse(await Deno.readTextFile(`${folder}/expect.json`)) as Expectation;
    if (expectation.skip) continue;
    total++;
    const difference = checkCase(`${folder}/sources`, expectation);
    if (difference === undefined) continue;
    failed.push(name);
    notes.push(`${name}: ${difference}`);
  }
  const published = runPublished(`${casesDir}/cdl/published`);
  total += published.total;
  for (const { file, reason } of published.failures) {
    failed.push(`published/${file}`);
    notes.push(`published/${file}: ${reason}`);
  }
  return { suite: "cdl", passed: total - failed.length, total, failed, notes };
}

async function caseNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) if (entry.isDirectory) names.push(entry.name);
  return names.sort();
}

function checkCase(sources: string, expectation: Expectation): string | undefined {
  const roots = (expectation.roots ?? sourceFiles(sources, "")).map((file) => `${sources}/${file}`);
  let csn: Csn;
  try {
    csn = inferModel(compileCdl(roots, { readFile: readIfThere }));
  } catch (error) {
    return expectedError(error, expectation, sources);
  }
  if (expectation.error) return `compiles, although: ${expectation.error.about}`;
  return difference(csn, expectation.csn ?? {}, "csn") ?? presentElement(csn, expectation.absent ?? {}) ??
    metadataDifference(csn, expectation.edm ?? {}) ?? tableDifference(csn, expectation.ddl ?? {});
}

function tableDifference(
  csn: Csn,
  expected: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  if (Object.keys(expected).length === 0) return undefined;
  let statements: string[];
  try {
    statements = renderDdl(linkModel(csn));
  } catch (error) {
    return `no DDL: ${error}`;
  }
  return firstOf(
    Object.entries(expected).map(([table, columns]) => {
      const statement = statements.find((text) => text.startsWith(`CREATE TABLE "${table}" (`));
      if (!statement) return `no table ${table}`;
      const actual = [...statement.matchAll(/^ {2}"([^"]+)" /gm)].map(([, name]) => name);
      return difference(actual.sort(), [...columns].sort(), `ddl.${table}`);
    }),
  );
}

function metadataDifference(csn: Csn, expected: Readonly<Record<string, unknown>>): string | undefined {
  const model = linkModel(csn);
  return firstOf(
    Object.entries(expected).map(([name, schema]) => {
      const service = model.services.find((candidate) => candidate.name === name);
      if (!service) return `no service ${name}`;
      return difference(writeCsdlJson(buildCsdl(service, model))[name], schema, `edm.${name}`);
    }),
  );
}

function sourceFiles(folder: string, prefix: string): string[] {
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sourceFiles(`${folder}/${name}`, `${prefix}${name}/`);
    return name.endsWith(".cds") ? [prefix + name] : [];
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined; // missing files and folders are told apart by nobody
  }
}

function expectedError(
  error: unknown,
  { error: expected }: Expectation,
  sources: string,
): string | undefined {
  if (!(error instanceof ConfigurationError)) throw error;
  if (!expected) return error.message;
  const file = `${sources}/${expected.file}`;
  return error.file === file ? undefined : `fails in ${error.file}, expected in ${file}: ${error.message}`;
}

function presentElement(csn: Csn, absent: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [name, elements] of Object.entries(absent)) {
    const found = elements.find((element) => element in (csn.definitions?.[name]?.elements ?? {}));
    if (found !== undefined) return `${name} has ${found}`;
  }
  return undefined;
}

/** What CSDL JSON leaves out; no notation but CSDL has these keys. */
const CSDL_DEFAULTS = { $Kind: "Property", $Type: "Edm.String" };

/**
 * The first place where a value does not contain what is expected of it.
 *
 * @param actual the value
 * @param expected objects match by subset, arrays by length and order
 * @param path where we are
 * @returns undefined when all is there
 */
function difference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return mismatch(actual, expected, path);
    return firstOf(expected.map((item, i) => difference(actual[i], item, `${path}[${i}]`)));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) return mismatch(actual, expected, path);
    const record: Record<string, unknown> = { ...CSDL_DEFAULTS, ...actual };
    return firstOf(
      Object.entries(expected).map(([key, value]) => difference(record[key], value, `${path}.${key}`)),
    );
  }
  return actual === expected ? undefined : mismatch(actual, expected, path);
}

function firstOf(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((item) => item !== undefined);
}

function mismatch(actual: unknown, expected: unknown, path: string): string {
  return `${path} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
}

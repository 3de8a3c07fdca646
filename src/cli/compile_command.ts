/**
 * `fw compile [folder or file] --to csn|edmx|edm|asyncapi|sql [--service NAME]`
 *
 * @module
 */

import { compile, type CompileOptions } from "../fw/facade_compile.ts";
import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel } from "../deno/load_model.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import type { Command } from "./parse_command.ts";

type Writer = (model: Csn, options: CompileOptions) => string;

const WRITERS: Readonly<Record<string, Writer>> = {
  csn: (model) => JSON.stringify(compile.to.csn(model), null, 2),
  json: (model) => JSON.stringify(compile.to.csn(model), null, 2),
  edmx: (model, options) => compile.to.edmx(model, options),
  edm: (model, options) => JSON.stringify(compile.to.edm(model, options), null, 2),
  asyncapi: (model, options) => JSON.stringify(compile.to.asyncapi(model, options), null, 2),
  sql: (model) => compile.to.sql(model).map((statement) => `${statement};`).join("\n\n"),
};

/** Prints a model in another form. */
export function compileCommand({ words, options }: Command): Promise<number> {
  const to = typeof options.to === "string" ? options.to : "csn";
  const write = Object.hasOwn(WRITERS, to) ? WRITERS[to] : undefined;
  if (!write) {
    console.error(`Expected one of ${Object.keys(WRITERS).join(", ")} after --to, but found "${to}"`);
    return Promise.resolve(2);
  }
  try {
    const service = typeof options.service === "string" ? options.service : undefined;
    console.log(write(loadModel(filesOf(words)), { service }));
    return Promise.resolve(0);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    return Promise.resolve(1);
  }
}

/** Files as they are named; of a folder, or without any, those of the project. */
function filesOf(words: readonly string[]): readonly string[] {
  const [first = Deno.cwd(), ...more] = words;
  if (more.length > 0 || /\.(cds|json)$/.test(first)) return [first, ...more];
  return findModelFiles(first, readConfiguration(first).env);
}

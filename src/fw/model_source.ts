/**
 * What models are given as: CDL text or files, CSN, or linked models.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import { csnOf, isLinked } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { currentRuntime, hasRuntime } from "./current.ts";

/** A model: CDL text, names of files, CSN, or a linked model. */
export type ModelSource = string | readonly string[] | Csn | LinkedModel;

/** Texts of CDL or CSN by the names of their files, which find each other by `using`. */
export type SourceTexts = Readonly<Record<string, string>>;

/** The model as those change it who listen to an event, and get a copy. */
export function announced(event: string, model: ModelSource): ModelSource {
  const events = hasRuntime() ? currentRuntime().events : undefined;
  if (!events?.has(event)) return model;
  const csn = structuredClone(isLinked(model) ? csnOf(model) : parsed(model));
  void events.emit(event, csn);
  return csn;
}

/**
 * The parsed model of CDL text or files.
 *
 * @throws ConfigurationError where the runtime has no compiler, or has not loaded it
 */
export function parsed(model: string | readonly string[] | Csn | SourceTexts): Csn {
  if (typeof model !== "string" && !isList(model) && !isTexts(model)) return assertCsn(model);
  const compiler = runtimeOrBare().kinds.compiler?.();
  if (!compiler) throw withoutCompiler();
  if (typeof compiler === "function") return compiler(model);
  compiler.catch(() => {}); // who loads it is told why that fails
  throw new ConfigurationError(
    "The compiler is not loaded, because the model is compiled already: await fw.compile.load() before",
  );
}

/** What is thrown where models can only be given as CSN. */
export function withoutCompiler(): ConfigurationError {
  return new ConfigurationError("This runtime holds no compiler: give it CSN, or load the project by ./deno");
}

function assertCsn(model: Csn): Csn {
  if (typeof model === "object" && model !== null) return model;
  throw new TypeError(
    `A model is expected: CDL text, files or CSN, but found ${model === null ? "null" : typeof model}`,
  );
}

function isList(model: unknown): model is readonly string[] {
  return Array.isArray(model);
}

function isTexts(model: Csn | SourceTexts): model is SourceTexts {
  const texts = Object.values(model ?? {});
  return texts.length > 0 && texts.every((text) => typeof text === "string");
}

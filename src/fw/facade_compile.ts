/**
 * `fw.compile`: models from texts and files (api 1).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import { inferModel } from "../model/infer_model.ts";
import { csnOf, isLinked, linkOpenModel } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { minifyModel } from "../model/minify_model.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { type CompileOptions, type CompileTargets, compileTargets } from "./compile_targets.ts";
import { announced, type ModelSource, parsed, type SourceTexts, withoutCompiler } from "./model_source.ts";

/** How a model is compiled. */
export interface CompileModelOptions {
  /** `parsed`: as it is written, with extensions beside its definitions; default: `inferred`. */
  readonly flavor?: "parsed" | "inferred";
  /** Leaves out what nothing uses. */
  readonly min?: boolean;
  /** Takes what is wrong with the model, before that is thrown. */
  readonly messages?: { push(message: object): unknown };
}

/** Targets for one model. */
export type CompiledTargets = {
  readonly [K in keyof CompileTargets]: (options?: CompileOptions) => TargetOf<K>;
};

/** What a target gives where the options say nothing else. */
export type TargetOf<K extends keyof CompileTargets> = K extends "edmx" ? string
  : K extends "edm" ? Record<string, unknown>
  : K extends "sql" ? readonly string[]
  : ReturnType<CompileTargets[K]>;

/** A model with the targets in `to`. */
export type CompiledModel = Csn & { readonly to: CompiledTargets };

/** Compiles: `fw.compile(text)` gives CSN, `fw.compile(text).to.sql()` what is asked for. */
export interface Compile {
  /** The model of files of the project (`"*"`: those that are served, `"file:db"`), with the targets in `to`. */
  (files: "*" | `file:${string}` | readonly string[], options?: CompileModelOptions): Promise<CompiledModel>;
  /** The model of CDL text, of several texts, or of CSN, with the targets in `to`. */
  (model: string | Csn | LinkedModel | SourceTexts, options?: CompileModelOptions): CompiledModel;
  /** The targets. */
  readonly to: CompileTargets;
  /**
   * Linked models of their own, as services and OData see them, to whose definitions more may be added: existing code asks for
   * them by these names.
   */
  readonly for: {
    /** The linked model. */
    nodejs(model: ModelSource): LinkedModel;
    /** The linked model. */
    odata(model: ModelSource): LinkedModel;
  };
  /**
   * Loads the compiler, which a server over a compiled model does not hold; afterwards texts and files compile there,
   * too.
   */
  load(): Promise<void>;
}

/** `fw.compile`. */
export const compile: Compile = Object.defineProperty(
  Object.assign(compileModel, {
    for: { nodejs: openModel, odata: openModel },
    load: loadCompiler,
  }) as Compile, // a function with both signatures
  "to",
  { get: compileTargets, enumerable: true },
);

function compileModel(
  model: ModelSource | SourceTexts,
  options: CompileModelOptions = {},
): CompiledModel | Promise<CompiledModel> {
  const files = filesOf(model);
  if (files) return loadFiles(files).then((csn) => withTargets(compiled(csn, options)));
  return withTargets(compiled(model, options));
}

function filesOf(model: ModelSource | SourceTexts): readonly string[] | undefined {
  if (Array.isArray(model)) return model;
  if (typeof model !== "string") return undefined;
  return model === "*" ? ["*"] : model.startsWith("file:") ? [model.slice("file:".length)] : undefined;
}

/** The model of files, as it is written. */
export async function loadFiles(files: readonly string[]): Promise<Csn> {
  const { loadModel } = runtimeOrBare().kinds;
  if (!loadModel) throw withoutCompiler();
  return await loadModel(files);
}

function compiled(model: ModelSource | SourceTexts, { flavor, min, messages }: CompileModelOptions): Csn {
  try {
    const csn = isLinked(model as ModelSource) ? csnOf(model as LinkedModel) : parsed(model as Csn);
    const result = { ...(flavor === "parsed" ? csn : inferModel(csn)) };
    return min ? minifyModel(result) : result;
  } catch (error) {
    if (messages && error instanceof ConfigurationError) {
      for (const one of [error, ...error.others]) messages.push(messageOf(one));
    }
    throw error;
  }
}

function messageOf({ text, file, line, column }: ConfigurationError): object {
  return { message: text, severity: "Error", $location: { file, line, col: column } };
}

function withTargets(csn: Csn): CompiledModel {
  const bound = () =>
    Object.fromEntries(
      Object.entries(compileTargets()).map(([name, write]) =>
        [name, (options?: CompileOptions) => (write as CompileTargets["json"])(csn, options)] as const
      ),
    );
  // Not enumerable: the model is plain data for all who copy or print it.
  return Object.defineProperty(csn, "to", { get: bound }) as CompiledModel;
}

async function loadCompiler(): Promise<void> {
  const { compiler } = runtimeOrBare().kinds;
  if (!compiler) throw withoutCompiler();
  await compiler();
}

function openModel(source: ModelSource): LinkedModel {
  const model = announced("compile.for.runtime", source);
  return linkOpenModel(isLinked(model) ? csnOf(model) : parsed(model));
}

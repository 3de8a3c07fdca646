import type { Csn } from "../model/csn.ts";
import { inferModel } from "../model/infer_model.ts";
import { csnOf, isLinked, linkModel } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { minifyModel } from "../model/minify_model.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { currentRuntime, hasRuntime } from "./current.ts";
import { Deployment } from "./deploy_model.ts";
import { type DefinitionClasses, definitionClasses } from "./definition_classes.ts";
import { type ModelSource, parsed, withoutCompiler } from "./model_source.ts";
import { loadFiles } from "./facade_compile.ts";
import { DELETE, type DeleteBuilder } from "../cqn/builders/delete.ts";
import type { EntityArgument } from "../cqn/builders/entity_argument.ts";
import { INSERT, type InsertBuilder, UPSERT, type UpsertBuilder } from "../cqn/builders/insert.ts";
import { SELECT, type SelectBuilder } from "../cqn/builders/select.ts";
import { UPDATE, type UpdateBuilder } from "../cqn/builders/update.ts";
import type { Query, Row } from "../cqn/cqn.ts";
import { FacadeValues } from "./facade_values.ts";

/** The members of the facade that start queries on the primary database. */
export class FacadeCalls extends FacadeValues {
  /** Starts a SELECT: entity, key and columns as for `SELECT.from`. */
  read(entity: EntityArgument, ...more: readonly unknown[]): SelectBuilder {
    return SELECT.from(entity, ...more);
  }

  /** Starts the question whether there is a row: `if (await fw.exists("Books", 201))`, or with `where`. */
  exists(entity: EntityArgument, ...key: readonly unknown[]): SelectBuilder<Row | null> {
    return SELECT.one.from(entity, ...key).columns(1);
  }

  /** Starts an INSERT of rows. */
  insert(...entries: readonly (Row | readonly Row[])[]): InsertBuilder {
    return INSERT(...entries);
  }

  /** Starts an INSERT into an entity. */
  create(entity: EntityArgument, ...entries: readonly (Row | readonly Row[])[]): InsertBuilder {
    return INSERT.into(entity as string, ...entries);
  }

  /** Starts an UPSERT of rows. */
  upsert(...entries: readonly (Row | readonly Row[])[]): UpsertBuilder {
    return UPSERT(...entries);
  }

  /** Starts an UPDATE. */
  update(entity: EntityArgument, ...key: readonly unknown[]): UpdateBuilder {
    return UPDATE(entity as string, ...key);
  }

  /** Starts a DELETE. */
  delete(entity: EntityArgument, ...key: readonly unknown[]): DeleteBuilder {
    return DELETE.from(entity, ...key);
  }

  /**
   * Runs a query, and acts on each row.
   *
   * @param query a query, or the entity whose rows are meant
   * @param act acts on a row
   */
  async foreach(query: EntityArgument | Query, act: (row: Row) => unknown): Promise<void> {
    const { db } = currentRuntime();
    if (!db) throw new TypeError("This runtime has no database: configure fw.requires.db");
    await db.foreach(query, act);
  }
}

/** Which files `load` and `get` compile: their names, relative to the project; `"*"`: those that are served. */
export type ModelFiles = string | readonly string[];

/** Whether the compiler, which is loaded already, compiles at once. */
export interface LoadOptions {
  /** Gives the model instead of a promise of it. */
  readonly sync?: boolean;
}

/** Finds the files of models: `fw.resolve("*")`, `fw.resolve(["db", "srv"])`. */
export interface Resolve {
  /** Paths of the files that names stand for; undefined where there are none. */
  (names?: ModelFiles): readonly string[] | undefined;
  /** What programs that load other models in the same process empty. */
  cache: Record<string, unknown>;
}

/** Links models, and has the classes of what is linked. */
export interface Linking {
  /** A linked, inferred model from CSN, or from CDL text, which may be given as a template. */
  (model: ModelSource | TemplateStringsArray, ...values: readonly unknown[]): LinkedModel;
  /** The classes of linked definitions and elements, for `instanceof`. */
  readonly classes: DefinitionClasses;
}

/** Takes what an object, a class or a model is extended with. */
export interface Extending<T> {
  /** Adds the members of objects or classes; of models their definitions and extensions, which gives another model. */
  with(...more: readonly object[]): T;
}

/** The members of the facade that are about models. */
export class FacadeModels extends FacadeCalls {
  /** The files of models. */
  readonly resolve: Resolve = Object.assign(resolveFiles, { cache: {} });

  /**
   * Compiles files of the project.
   *
   * @param files their names; `"*"`: those that are served
   * @returns the model with extensions applied, views and compositions inferred
   * @throws ConfigurationError where the runtime has no compiler
   */
  load(files?: ModelFiles, options?: { readonly sync?: false }): Promise<Csn>;
  /** Compiles files of the project at once, where the compiler is loaded. */
  load(files: ModelFiles, options: { readonly sync: true }): Csn;
  load(files: ModelFiles = "*", options?: LoadOptions): Csn | Promise<Csn> {
    if (options?.sync) return loaded(parsed([files].flat()));
    return loadFiles([files].flat()).then(loaded);
  }

  /**
   * Compiles files of the project.
   *
   * @param files their names; `"*"`: those that are served
   * @returns the model as it is written, with extensions beside its definitions
   * @throws ConfigurationError where the runtime has no compiler
   */
  get(files: ModelFiles = "*"): Promise<Csn> {
    return loadFiles([files].flat());
  }

  /**
   * A model without types and aspects that nothing uses, and without entities that are only there where they are used.
   *
   * @param csn the model
   */
  minify<T extends Csn>(csn: T): T {
    return minifyModel(csn);
  }

  /** The same as `linked`; default: the model in effect. */
  reflect(model?: ModelSource): LinkedModel {
    return model === undefined ? currentRuntime().model : this.linked(model);
  }

  /** A linked, inferred model from CSN, or from CDL text, which may be given as a template. */
  readonly linked: Linking = Object.assign(linked, { classes: definitionClasses });

  /**
   * Extends an object or class: `fw.extend(Service).with({ members })`, or a model by definitions and extensions.
   *
   * @param target what is extended
   */
  extend<T extends object>(target: T): Extending<T> {
    return { with: (...more) => isCsn(target) ? extended(target, more) as T : mixedIn(target, more) };
  }

  /**
   * Deploys a model with its initial data: `await fw.deploy(model).to("sqlite::memory:")`.
   *
   * @param model CSN, CDL text, or names of files; default: the model in effect
   */
  deploy(model?: ModelSource): Deployment {
    return new Deployment(model);
  }
}

function linked(model: ModelSource | TemplateStringsArray, ...values: readonly unknown[]): LinkedModel {
  if (isTemplate(model)) return linkModel(parsed(String.raw(model, ...values)));
  return isLinked(model) ? model : linkModel(parsed(model));
}

function resolveFiles(names: ModelFiles = "*"): readonly string[] | undefined {
  const { resolveModel } = runtimeOrBare().kinds;
  if (!resolveModel) throw withoutCompiler();
  const files = resolveModel([names].flat());
  return files.length > 0 ? files : undefined;
}

/** An inferred model, as those make it who listen to `loaded`. */
function loaded(parsed: Csn): Csn {
  const csn = csnOf(linkModel(parsed));
  if (hasRuntime()) void currentRuntime().events.emit("loaded", csn);
  return csn;
}

function isTemplate(model: unknown): model is TemplateStringsArray {
  return Array.isArray(model) && "raw" in model;
}

function isCsn(target: object): target is Csn {
  return typeof target === "object" && "definitions" in target;
}

/** A model with more definitions and extensions, inferred again. */
function extended(csn: Csn, more: readonly Csn[]): Csn {
  const { flavor: _, compilerCsnFlavor: __, ...meta } = csn.meta ?? {};
  return inferModel({
    ...csn,
    definitions: Object.assign({}, csn.definitions, ...more.map(({ definitions }) => definitions)),
    extensions: [csn, ...more].flatMap(({ extensions = [] }) => extensions),
    meta,
  });
}

/** Members of objects, and those that classes give to their instances. */
function mixedIn<T extends object>(target: T, more: readonly object[]): T {
  for (const one of more) {
    const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(
      membersOf(one),
    ) as PropertyDescriptorMap;
    Object.defineProperties(membersOf(target), members);
  }
  return target;
}

function membersOf(given: object): object {
  return typeof given === "function" ? (given as { prototype: object }).prototype : given;
}

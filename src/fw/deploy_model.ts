/**
 * `fw.deploy(model).to(database)` (api 1).
 *
 * @module
 */

import { entryOfText } from "../config/defaults.ts";
import type { RequiredService } from "../config/environment.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { DatabaseService } from "../service/database_service.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { createRuntime } from "./create_runtime.ts";
import { currentRuntime, hasRuntime } from "./current.ts";
import { type ModelSource, parsed } from "./model_source.ts";
import { isLinked } from "../model/link_model.ts";

/** Where a model is deployed: `db`, `sqlite::memory:`, the URL of a database, or an entry of `requires`. */
export type DeploymentTarget = string | RequiredService | DatabaseService;

/** A deployment that begins when it is awaited, to the configured database, or by `to`. */
export class Deployment implements PromiseLike<DatabaseService> {
  readonly #model: ModelSource | undefined;

  /**
   * Prepares a deployment.
   *
   * @param model what is deployed; default: the model in effect
   */
  constructor(model?: ModelSource) {
    this.#model = model === "*" ? undefined : model;
  }

  /**
   * Creates tables and views, and fills empty tables with initial rows. A database that the current runtime has opened
   * for this model gets its initial rows again; for any other a runtime of its own becomes the current one.
   *
   * @param target the database
   * @returns the database
   * @throws ConfigurationError for a wrong model, and for a kind of database that is unknown
   */
  async to(target: DeploymentTarget = "db"): Promise<DatabaseService> {
    if (this.#model === undefined && hasRuntime() && (target === "db" || target === currentRuntime().db)) {
      const runtime = currentRuntime();
      await runtime.reset(); // starts it
      return runtime.db!; // resetting has needed it
    }
    const { kinds, root } = runtimeOrBare();
    const model = modelOf(this.#model ?? ["*"]);
    const runtime = createRuntime({
      ...{ model, kinds, root },
      env: { requires: { db: entryOf(target), auth: { kind: "dummy" }, queue: false } },
      data: isLinked(model) ? undefined : kinds.initialData?.(model),
    });
    await runtime.start();
    return runtime.db!; // it is configured just above
  }

  /** Deploys to the configured database. */
  then<A = DatabaseService, B = never>(
    onfulfilled?: ((database: DatabaseService) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.to().then(onfulfilled, onrejected);
  }
}

function modelOf(source: ModelSource): ReturnType<typeof parsed> | LinkedModel {
  if (isLinked(source)) return source;
  return parsed(typeof source === "string" && isFile(source) ? [source] : source);
}

/** A name of files is one word; a text in CDL has more. */
function isFile(text: string): boolean {
  return !/[\s;{}]/.test(text.trim());
}

function entryOf(target: DeploymentTarget): RequiredService {
  if (typeof target === "string") {
    return target === "db" ? runtimeOrBare().env.requires.db ?? {} : entryNamed(target);
  }
  return "options" in target && typeof target.run === "function"
    ? target.options as RequiredService
    : target as RequiredService;
}

/** `sqlite`, `sqlite:file`, `sqlite::memory:`, or the URL of a database. */
function entryNamed(name: string): RequiredService {
  const [, kind, url] = /^(\w+):(?!\/\/)(.+)$/s.exec(name) ?? [];
  return kind === undefined ? entryOfText(name) : { kind, credentials: { url } };
}

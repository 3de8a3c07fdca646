/**
 * Middleware of the application around the steps of the pipeline (api 1, `fw.middlewares`).
 *
 * @module
 */

import type { ClassicMiddleware } from "../context/http_context.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

export type { ClassicMiddleware };

/** Steps of the pipeline; correlation id and locale are there before the first middleware. */
export type PipelineStep = "context" | "auth" | "model";

/** Where middleware is put: before or after a step, or at an index of the list. */
export interface MiddlewarePlace {
  /** In front of this step. */
  readonly before?: PipelineStep;
  /** Behind this step. */
  readonly after?: PipelineStep;
  /** At this index of `before`. */
  readonly at?: number;
}

/** The list of steps and middleware that every request passes before it is routed. */
export class Middlewares {
  #before: readonly (PipelineStep | ClassicMiddleware)[] = ["context", "auth", "model"];
  #split: { readonly outer: readonly ClassicMiddleware[]; readonly inner: readonly ClassicMiddleware[] } = {
    outer: [],
    inner: [],
  };

  /** Steps and middleware in their order; assigning replaces the list. */
  get before(): readonly (PipelineStep | ClassicMiddleware)[] {
    return this.#before;
  }
  set before(list: readonly (PipelineStep | ClassicMiddleware)[]) {
    const at = list.indexOf("auth");
    if (at < 0) {
      throw new ConfigurationError(`"fw.middlewares.before" must hold "auth": requests are authenticated`);
    }
    const wrong = list.find((entry) => typeof entry !== "function" && !STEPS.includes(entry));
    if (wrong !== undefined) throw new TypeError(`Expected middleware, but found ${String(wrong)}`);
    this.#before = [...list];
    this.#split = { outer: functionsOf(list.slice(0, at)), inner: functionsOf(list.slice(at)) };
  }

  /** The step that the context begins with, for lists that are written anew; so are the next ones. */
  context(): PipelineStep {
    return "context";
  }
  /** The step that finds the user. */
  auth(): PipelineStep {
    return "auth";
  }
  /** The step that finds the model, with feature toggles. */
  ctx_model(): PipelineStep {
    return "model";
  }
  /** What existing lists have for traces, which are configured: it only goes on. */
  trace(): ClassicMiddleware {
    return (_req, _res, next) => next();
  }

  /**
   * Adds middleware.
   *
   * @param middleware `(req, res, next)`
   * @param place where; default: behind all steps
   */
  add(middleware: ClassicMiddleware, place: MiddlewarePlace = {}): this {
    if (typeof middleware !== "function") throw new TypeError("A function is expected as middleware");
    this.before = this.#before.toSpliced(this.#indexOf(place), 0, middleware);
    return this;
  }

  /** Whether there is no middleware. */
  get isEmpty(): boolean {
    return this.#split.outer.length + this.#split.inner.length === 0;
  }

  /** Middleware that runs before authentication, and behind it. */
  split(): { readonly outer: readonly ClassicMiddleware[]; readonly inner: readonly ClassicMiddleware[] } {
    return this.#split;
  }

  #indexOf({ before, after, at }: MiddlewarePlace): number {
    if (at !== undefined) return at;
    const step = before ?? after;
    if (step === undefined) return this.#before.length;
    const index = this.#before.indexOf(step);
    if (index < 0) throw new TypeError(`Expected one of ${STEPS.join(", ")}, but found "${step}"`);
    return before === undefined ? index + 1 : index;
  }
}

const STEPS: readonly unknown[] = ["context", "auth", "model"];

function functionsOf(list: readonly (PipelineStep | ClassicMiddleware)[]): readonly ClassicMiddleware[] {
  return list.filter((entry) => typeof entry === "function");
}

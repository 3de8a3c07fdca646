/**
 * The bookshop as a Worker over D1, bound as `DB`. `deno task bundle examples/edge_d1.ts` puts the compiled project in
 * the place of `PROJECT`.
 *
 * @module
 */

import { createRuntime, type Csn, type Row, type Runtime } from "@fw/runtime";
import { type D1Binding, d1Database } from "@fw/runtime/d1";
import { AdminService } from "./bookshop/srv/admin_service.ts";
import { CatalogService } from "./bookshop/srv/catalog_service.ts";

/** What the bundle task compiles from the folder of the project. */
declare const PROJECT: {
  readonly model: Csn;
  readonly toggles: Readonly<Record<string, Csn>>;
  readonly data: Readonly<Record<string, readonly Row[]>>;
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** What the Worker is bound to. */
interface Env {
  readonly DB: D1Binding;
}

let runtime: Runtime | undefined;

/** Bindings come with the first request. */
function shop({ DB }: Env): Runtime {
  return runtime ??= createRuntime({
    name: "bookshop",
    model: PROJECT.model,
    toggles: PROJECT.toggles,
    data: new Map(Object.entries(PROJECT.data)),
    texts: new Map(
      Object.entries(PROJECT.texts).map(([locale, texts]) => [locale, new Map(Object.entries(texts))]),
    ),
    handlers: { CatalogService, AdminService },
    kinds: { databases: { d1: () => d1Database(DB) } },
    env: { requires: { db: { kind: "d1" } } },
  });
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => shop(env).fetch(request),
};

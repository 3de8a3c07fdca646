/**
 * The bookshop as a module for Workers: compiled model, handlers and rows in one bundle, over the memory database.
 * `deno task bundle` makes `dist/edge.js` of it and puts the compiled project in the place of `PROJECT`.
 *
 * @module
 */

import { createRuntime, type Csn, type Row, type Runtime } from "@fw/runtime";
import { AdminService } from "./bookshop/srv/admin_service.ts";
import { CatalogService } from "./bookshop/srv/catalog_service.ts";

/** What the bundle task compiles from the folder of the project. */
declare const PROJECT: {
  readonly env: Readonly<Record<string, unknown>>;
  readonly model: Csn;
  readonly toggles: Readonly<Record<string, Csn>>;
  readonly data: Readonly<Record<string, readonly Row[]>>;
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const runtime: Runtime = createRuntime({
  name: "bookshop",
  model: PROJECT.model,
  toggles: PROJECT.toggles,
  data: new Map(Object.entries(PROJECT.data)),
  texts: new Map(
    Object.entries(PROJECT.texts).map(([locale, texts]) => [locale, new Map(Object.entries(texts))]),
  ),
  handlers: { CatalogService, AdminService },
  env: PROJECT.env,
});

export default runtime;

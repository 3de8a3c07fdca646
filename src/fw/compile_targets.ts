/**
 * `fw.compile.to`: models to CSN, CSDL, SQL (api 1).
 *
 * @module
 */

import { renderDdl } from "../db/ddl/render_ddl.ts";
import type { Dialect } from "../db/render/dialect.ts";
import { POSTGRES } from "../db/render/postgres_dialect.ts";
import { SQLITE } from "../db/render/sqlite_dialect.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { buildCsdl } from "../model/csdl/build_csdl.ts";
import type { Csdl, CsdlVersion } from "../model/csdl/csdl.ts";
import { draftApi, type DraftApiOptions } from "../model/drafts/draft_api.ts";
import { writeCsdlJson } from "../model/csdl/write_csdl_json.ts";
import { writeCsdlV2 } from "../model/csdl/write_csdl_v2.ts";
import { writeCsdlXml } from "../model/csdl/write_csdl_xml.ts";
import type { Csn } from "../model/csn.ts";
import { csnOf, isLinked, linkModel } from "../model/link_model.ts";
import type { LinkedModel, LinkedService } from "../model/linked.ts";
import { buildOpenApi } from "../model/openapi/build_openapi.ts";
import { buildAsyncApi } from "../model/schema/asyncapi.ts";
import { servicePaths } from "../model/service_path.ts";
import { writeTypes } from "../model/types/write_types.ts";
import { nearestName } from "../util/nearest_name.ts";
import { mergeDescriptor } from "../service/merge_descriptor.ts";
import { type SecurityDescriptor, securityDescriptor } from "../service/security_descriptor.ts";
import { announced, type ModelSource, parsed } from "./model_source.ts";
import { utilities } from "./utilities.ts";

/** What of a model is written. */
export interface CompileOptions {
  /** Name of the service; needed where the model has several. Of edm and edmx `all` gives those of all services. */
  readonly service?: string;
  /** The version of OData that edmx and edm say they follow: `4.0` (default) or `4.01`; of edmx also `2.0`. */
  readonly odataVersion?: string;
  /** `v2` and `v4`: the version of OData of edmx, as existing code names it. */
  readonly version?: string;
  /** The database of SQL: `sqlite` (default; existing code calls it `plain`) or `postgres`. */
  readonly dialect?: string;
  /** `str`: the statements of SQL as one text. */
  readonly as?: string;
  /** Blanks that JSON is indented by. */
  readonly indents?: number;
  /** What the types of names are imported from; default `@fw/runtime`. */
  readonly from?: string;
  /** A security descriptor whose members and entries win over those that the model gives. */
  readonly base?: unknown;
  /** Texts for `{i18n>key}` in labels of edmx, edm and openapi; keys without text stay. */
  readonly texts?: (key: string) => string | undefined;
  /** How services with drafts are configured, for edmx, edm and openapi: `fw.fiori.draft_messages`, `draft_new_action`. */
  readonly drafts?: DraftApiOptions;
}

/** Targets of the compiler. */
export interface CompileTargets {
  /** The same of all services, each with its file. */
  edmx(
    model: ModelSource,
    options: CompileOptions & { readonly service: "all" },
  ): Iterable<[string, CompiledFile]>;
  /** `$metadata` of a service as XML (CSDL XML 4.01), or as XML of OData 2. */
  edmx(model: ModelSource, options?: CompileOptions): string;
  /** The same of all services, each with its file. */
  edm(
    model: ModelSource,
    options: CompileOptions & { readonly service: "all" },
  ): Iterable<[Record<string, unknown>, CompiledFile]>;
  /** `$metadata` of a service as object (CSDL JSON 4.01). */
  edm(model: ModelSource, options?: CompileOptions): Record<string, unknown>;
  /** A service as OpenAPI 3.1, with the paths of OData, or with those of REST where it is served by REST only. */
  openapi(model: ModelSource, options?: CompileOptions): Record<string, unknown>;
  /** The events of a service, or of all, as AsyncAPI 3.0. */
  asyncapi(model: ModelSource, options?: CompileOptions): Record<string, unknown>;
  /** A TypeScript module with the rows, payloads and parameters of the model, and names that carry these types. */
  types(model: ModelSource, options?: CompileOptions): string;
  /** The same as one text. */
  sql(model: ModelSource, options: CompileOptions & { readonly as: "str" }): string;
  /** The statements that create tables and views. */
  sql(model: ModelSource, options?: CompileOptions): readonly string[];
  /** The inferred model as JSON text. */
  json(model: ModelSource, options?: CompileOptions): string;
  /** The inferred model as YAML text, where there is a file system. */
  yaml(model: ModelSource): string;
  /** Where services are served, for what leads requests to them. */
  serviceinfo(model: ModelSource): readonly ServiceInfo[];
  /** The inferred model. */
  csn(model: ModelSource): Csn;
  /** The security descriptor: scopes, attributes and role templates (spec 2.6). */
  securityDescriptor(model: ModelSource, options?: CompileOptions): SecurityDescriptor;
}

/** The file that a target for all services is written to. */
export interface CompiledFile {
  /** Name of the service. */
  readonly file: string;
  /** Ending of the file. */
  readonly suffix: string;
}

/** Where a service is served. */
export interface ServiceInfo {
  /** Full name of the service. */
  readonly name: string;
  /** The first path, without slash in front. */
  readonly urlPath: string;
  /** What existing tools call the server. */
  readonly destination: string;
  /** What runs it, as existing tools call it. */
  readonly runtime: string;
  /** Protocols and paths. */
  readonly endpoints: readonly { readonly kind: string; readonly path: string }[];
}

type Target = (model: ModelSource, options?: CompileOptions) => unknown;

const targets: { readonly [K in keyof CompileTargets]: Target } = {
  edmx: (model, options) => forServices(model, options, { suffix: ".xml", write: writeEdmx }),
  edm: (model, options) => forServices(model, options, { suffix: ".json", write: writeEdm }),
  openapi: (source, options) => {
    const model = draftApi(linked(source), options?.drafts);
    const service = serviceOf(model, options?.service);
    const paths = servicePaths(service);
    const served = paths.find(({ protocol }) => protocol === "odata") ?? paths[0];
    const protocol = served?.protocol === "rest" ? "rest" : "odata";
    const { texts } = options ?? {};
    return buildOpenApi(buildCsdl(service, model), service, { protocol, url: served?.path, texts });
  },
  asyncapi: (source, { service } = {}) => {
    const model = linked(source);
    return buildAsyncApi(model, { service: service === undefined ? undefined : serviceOf(model, service) });
  },
  types: (model, options) => writeTypes(linked(model), { from: options?.from }),
  sql: (model, { dialect, as } = {}) => {
    const statements = renderDdl(linked(announced("compile.to.dbx", model)), { dialect: dialectOf(dialect) });
    return as === "str" ? `${statements.join(";\n\n")};\n` : statements;
  },
  json: (model, { indents } = {}) => JSON.stringify(csnOf(linked(model)), undefined, indents),
  yaml: (model) => utilities.yaml.stringify(JSON.parse(compileTargets().json(model))),
  serviceinfo: (model) => linked(model).services.map(serviceInfo),
  csn: (model) => csnOf(linked(model)),
  securityDescriptor: (model, { base } = {}) => {
    const generated = securityDescriptor(linked(model));
    return base === undefined ? generated : mergeDescriptor(generated, base);
  },
};

/** `fw.compile.to`. */
export function compileTargets(): CompileTargets {
  return targets as CompileTargets; // whose results depend on the options
}

function writeEdmx(model: ModelSource, options?: CompileOptions): string {
  const csdl = csdlOf(model, options);
  if (isVersion2(options)) return writeCsdlV2(csdl, options?.texts);
  return writeCsdlXml(csdl, options?.texts, versionOf(options));
}

function writeEdm(model: ModelSource, options?: CompileOptions): Record<string, unknown> {
  return writeCsdlJson(csdlOf(model, options), options?.texts, versionOf(options));
}

/** What is written for a service, or for each one with its file. */
function forServices(
  source: ModelSource,
  options: CompileOptions | undefined,
  { suffix, write }: { readonly suffix: string; readonly write: Target },
): unknown {
  const model = announced("compile.to.edmx", source);
  if (options?.service !== "all") return write(model, options);
  return linked(model).services.map(({ name }) =>
    [write(model, { ...options, service: name }), { file: name, suffix }] as const
  );
}

function serviceInfo(service: LinkedService): ServiceInfo {
  const endpoints = servicePaths(service).map(({ protocol, path }) => ({
    kind: protocol,
    path: path.slice(1),
  }));
  const urlPath = endpoints[0] ? `${endpoints[0].path}/` : "";
  return { name: service.name, urlPath, destination: "srv-api", runtime: "Node.js", endpoints };
}

function linked(model: ModelSource): LinkedModel {
  return isLinked(model) ? model : linkModel(parsed(model));
}

function csdlOf(source: ModelSource, options: CompileOptions = {}): Csdl {
  const model = draftApi(linked(source), options.drafts);
  return buildCsdl(serviceOf(model, options.service), model);
}

function isVersion2({ odataVersion, version }: CompileOptions = {}): boolean {
  return odataVersion === "2.0" || (odataVersion === undefined && version === "v2");
}

function versionOf({ odataVersion = "4.0" }: CompileOptions = {}): CsdlVersion {
  if (odataVersion === "4.0" || odataVersion === "4.01") return odataVersion;
  throw new ConfigurationError(
    `Expected 4.0 or 4.01 (of edmx also 2.0) as version of OData, found "${odataVersion}"`,
  );
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  sqlite: SQLITE,
  plain: SQLITE,
  postgres: POSTGRES,
};

function dialectOf(name = "sqlite"): Dialect {
  if (Object.hasOwn(DIALECTS, name)) return DIALECTS[name]!;
  throw new ConfigurationError(
    `Expected one of ${Object.keys(DIALECTS).join(", ")} as dialect, found "${name}"`,
  );
}

function serviceOf({ services }: LinkedModel, name: string | undefined): LinkedService {
  const names = services.map((service) => service.name);
  if (name === undefined && services.length === 1) return services[0];
  const found = services.find((service) => service.name === name);
  if (found) return found;
  if (name === undefined) {
    throw new ConfigurationError(
      names.length === 0
        ? "The model has no service"
        : `The model has several services, name one (--service, in code "service"): ${names.join(", ")}`,
    );
  }
  const nearest = nearestName(name, names);
  throw new ConfigurationError(
    `The model has no service "${name}"${
      nearest ? `; did you mean "${nearest}"?` : `, but ${names.join(", ") || "none"}`
    }`,
  );
}

/**
 * A service as OpenAPI 3.1 document.
 *
 * @module
 */

import type { Csdl, CsdlTexts } from "../csdl/csdl.ts";
import { edmName } from "../edm_types.ts";
import { isGenerated } from "../exposure.ts";
import type { LinkedService } from "../linked.ts";
import { annotationText, type JsonSchema } from "../schema/json_schema.ts";
import { AnnotationIndex, ComponentSchemas } from "./component_schemas.ts";
import { addImport, addSet } from "./paths.ts";
import {
  addOperation,
  type ApiProtocol,
  type PathContext,
  SHARED_PARAMETERS,
  WIRE_STYLES,
} from "./path_context.ts";

/** What the document says beyond the model. */
export interface OpenApiOptions {
  /** The protocol it describes; default `odata`. */
  readonly protocol?: ApiProtocol;
  /** URL or path of the service root; default `/`. */
  readonly url?: string;
  /** Scheme of authentication by its name in the `Authorization` header; without, none is described. */
  readonly authentication?: "basic" | "bearer";
  /** Whether clients may follow events; default: true. */
  readonly events?: boolean;
  /** Texts for `{i18n>key}`. */
  readonly texts?: CsdlTexts;
}

const ERROR: JsonSchema = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        target: { type: "string" },
        details: {
          type: "array",
          items: {
            type: "object",
            properties: {
              code: { type: "string" },
              message: { type: "string" },
              target: { type: "string" },
            },
            required: ["code", "message"],
          },
        },
      },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

/**
 * Writes the document.
 *
 * @param csdl the metadata of the service
 * @param service the service
 * @param options protocol, URL, authentication, texts
 * @returns an object that is valid against OpenAPI 3.1
 */
export function buildOpenApi(
  csdl: Csdl,
  service: LinkedService,
  options: OpenApiOptions = {},
): Record<string, unknown> {
  const { protocol = "odata", url = "/", authentication, texts, events = true } = options;
  const annotations = new AnnotationIndex(csdl, service, texts);
  const schemas = new ComponentSchemas(csdl, annotations);
  const style = WIRE_STYLES[protocol];
  const context: PathContext = { csdl, annotations, schemas, style, paths: {}, ids: new Set() };
  const reachable = new Set([...service.entities].filter((entity) => !isGenerated(entity)).map(edmName));
  for (const set of csdl.sets) if (reachable.has(set.name)) addSet(context, set);
  for (const item of csdl.imports) addImport(context, item);
  if (events) addEvents(context, service);
  if (protocol === "odata") addBatch(context);
  return {
    openapi: "3.1.1",
    info: infoOf(csdl, annotations),
    servers: [{ url }],
    ...(authentication ? { security: [{ [authentication]: [] }] } : {}),
    tags: tagsOf(context),
    paths: context.paths,
    components: {
      schemas: { ...schemas.referred, error: ERROR },
      parameters: SHARED_PARAMETERS,
      responses: {
        error: {
          description: "The request failed",
          content: { "application/json": { schema: { $ref: "#/components/schemas/error" } } },
        },
      },
      ...(authentication
        ? { securitySchemes: { [authentication]: { type: "http", scheme: authentication } } }
        : {}),
    },
  };
}

function infoOf({ namespace }: Csdl, annotations: AnnotationIndex): Record<string, unknown> {
  const container = `${namespace}.EntityContainer`;
  const { title = namespace, description } = annotations.described(container);
  const version = annotations.value(container, "Core.SchemaVersion");
  return {
    title,
    ...(description ? { description } : {}),
    version: typeof version === "string" ? version : "1.0.0",
  };
}

function tagsOf({ csdl, annotations, paths }: PathContext): readonly unknown[] {
  const used = new Set(
    Object.values(paths).flatMap((item) => Object.values(item))
      .flatMap((operation) => (operation as { readonly tags?: readonly string[] }).tags ?? []),
  );
  return [...used].map((name) => {
    const type = csdl.sets.find((set) => set.name === name)?.type;
    const { title, description = title } = type === undefined ? {} : annotations.described(type);
    return { name, ...(description ? { description } : {}) };
  });
}

/** Requests in one (OData JSON 4.01, clause 19). */
function addBatch(context: PathContext): void {
  const headers = { type: "object", additionalProperties: { type: "string" } };
  const request = {
    type: "object",
    properties: {
      id: { type: "string" },
      method: { type: "string", enum: ["get", "post", "patch", "put", "delete"] },
      url: { type: "string", format: "uri-reference" },
      atomicityGroup: { type: "string" },
      dependsOn: { type: "array", items: { type: "string" } },
      if: { type: "string" },
      headers,
      body: {},
    },
    required: ["id", "method", "url"],
  };
  const response = {
    type: "object",
    properties: {
      id: { type: "string" },
      status: { type: "integer" },
      atomicityGroup: { type: "string" },
      headers,
      body: {},
    },
    required: ["id", "status"],
  };
  const listOf = (name: string, items: JsonSchema): JsonSchema => ({
    type: "object",
    properties: { [name]: { type: "array", items } },
    required: [name],
  });
  addOperation(context, ["post", "/$batch"], {
    operationId: "batch",
    summary: "Send several requests in one",
    tags: ["Batch"],
    body: listOf("requests", request),
    status: 200,
    answer: listOf("responses", response),
  });
}

/**
 * Adds the streams of the events of a service.
 *
 * @param context the document
 * @param service the service
 */
function addEvents(context: PathContext, service: LinkedService): void {
  for (const event of service.events) {
    const local = event.name.slice(service.name.length + 1);
    const { title, description = "The payloads of the event as they come, each as JSON in `data`" } =
      annotationText(event);
    addOperation(context, ["get", `/${local}`], {
      operationId: local,
      tags: ["Events"],
      summary: title ?? `Follows ${local}`,
      description,
      parameters: [{
        name: "Last-Event-ID",
        in: "header",
        description: "The `id` of the last event that the client has: it gets those behind it",
        schema: { type: "string" },
      }],
      status: 200,
      answer: { type: "string" },
      mediaType: "text/event-stream",
    });
  }
}

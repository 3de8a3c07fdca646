/**
 * Reads the OpenAPI document of a running service and holds the service against it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type AnySchema } from "ajv/2020";
import addFormats from "ajv-formats";
import { createRuntime, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { following } from "../live/event_source.ts";
import { sendTo } from "../send_to.ts";

/** Configuration of runtimes that log nothing. */
export const SILENT = { log: { levels: { default: "silent" } } };

/** Runs a test with a runtime, and closes that. */
export async function using(
  start: Runtime | Promise<Runtime>,
  run: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = await start;
  try {
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

/** A runtime of a model. */
export function shop(text: string): Runtime {
  const model = parseCdl(text);
  return createRuntime({
    model,
    kinds: denoKinds,
    env: { requires: { db: { kind: "sqlite" } }, ...SILENT },
  });
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** Paths of documents that were read, by their servers. */
const LOCATIONS: WeakMap<Document["servers"], string> = new WeakMap();

/** The path of the server of a document: relative to that of the document itself (OpenAPI 3.1.1, 4.8.5). */
export function serverOf({ servers }: Document): string {
  const { pathname } = new URL(servers[0]!.url, `http://localhost${LOCATIONS.get(servers)}`);
  return pathname.replace(/\/$/, "");
}

/** The parts of a document that tests look at. */
export interface Document {
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security?: unknown;
  readonly tags: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, never>>>> };
}

/** Paths with their methods: `GET /Books`. */
export function operationsOf({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).filter((key) => key !== "parameters").map((method) => `${method.toUpperCase()} ${path}`)
  );
}

/**
 * Reads and validates the document of a service.
 *
 * @param runtime serves it
 * @param root path of the service
 * @param user who asks
 */
export async function readDocument(runtime: Runtime, root: string, user?: string): Promise<Document> {
  const path = `${root === "/" ? "" : root}/openapi.json`;
  const { status, headers, body, text } = await sendTo(runtime, { method: "GET", path, user });
  assert.equal(status, 200, path);
  assert.equal(headers.get("content-type"), "application/json");
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  assert.ok(valid, JSON.stringify(errors, null, 1));
  const document = body as unknown as Document;
  LOCATIONS.set(document.servers, path);
  return document;
}

/** Compiles the schemas of a document. */
export function schemasOf({ components }: Document): (schema: object) => (value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const name of ["decimal", "binary"]) ajv.addFormat(name, true);
  return (schema) => {
    const validate = ajv.compile({ ...schema, components } as AnySchema);
    return (value) => {
      validate(value);
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    };
  };
}

/**
 * Sends every GET of a document and validates what comes back.
 *
 * @param runtime serves it
 * @param document the document
 * @param options values of path parameters by path prefix; who asks
 * @returns the number of requests that answered 200
 */
export async function sendAllReads(
  runtime: Runtime,
  document: Document,
  { user, values }: { readonly user?: string; readonly values: Readonly<Record<string, object>> },
): Promise<number> {
  const compile = schemasOf(document);
  const root = serverOf(document);
  let answered = 0;
  for (const [template, { get }] of Object.entries(document.paths)) {
    if (!get) continue;
    const path = filled(template, values);
    if (path === undefined) continue;
    if ("text/event-stream" in (get.responses["200"]?.content ?? {})) {
      await following(runtime, root + path, { user, run: () => Promise.resolve() });
      continue;
    }
    const { status, body, text } = await sendTo(runtime, { method: "GET", path: root + path, user });
    assert.ok(status === 200 || status === 204, `${status} for ${path}: ${text}`);
    if (status === 204) continue;
    answered++;
    const [[type, { schema }]] = Object.entries(get.responses["200"]!.content!);
    if (type === "application/octet-stream") continue;
    const value = type === "text/plain" ? Number(text) : body;
    assert.deepEqual(compile(schema)(value), [], `${path}: ${text.slice(0, 500)}`);
  }
  return answered;
}

/** A path with values for its templates; undefined where there are none. */
function filled(template: string, values: Readonly<Record<string, object>>): string | undefined {
  const set = Object.keys(values).find((prefix) => new RegExp(`^/${prefix}\\b(?!_)`).test(template));
  const known = (set === undefined ? {} : values[set]) as Record<string, unknown>;
  let complete = true;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!(name in known)) complete = false;
    return encodeURIComponent(String(known[name]));
  });
  return complete ? path : undefined;
}

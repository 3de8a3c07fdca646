/**
 * A small shop as a runtime, called without a port.
 *
 * @module
 */

import { createRuntime, type Csn, type Runtime, type RuntimeOptions } from "../../mod.ts";

/** Services: open, with `any` on itself, restricted. */
export const MODEL: Csn = {
  definitions: {
    "shop.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", length: 100 },
        stock: { type: "cds.Integer" },
        author: { type: "cds.Association", target: "shop.Authors", keys: [{ ref: ["ID"] }] },
      },
    },
    "shop.Authors": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, name: { type: "cds.String" } },
    },
    "OpenService": { kind: "service" },
    "OpenService.Books": { kind: "entity", projection: { from: { ref: ["shop.Books"] } } },
    "OpenService.Authors": { kind: "entity", projection: { from: { ref: ["shop.Authors"] } } },
    "OpenService.seen": { kind: "function", returns: { type: "cds.String" } },
    "AnyService": { kind: "service", "@requires": "any" },
    "AnyService.Open": {
      kind: "entity",
      "@requires": "any",
      projection: { from: { ref: ["shop.Books"] } },
    },
    "AnyService.Plain": { kind: "entity", projection: { from: { ref: ["shop.Books"] } } },
    "AnyService.Named": {
      kind: "entity",
      "@requires": "admin",
      projection: { from: { ref: ["shop.Books"] } },
    },
    "ClosedService": { kind: "service", "@requires": "admin" },
    "ClosedService.Books": { kind: "entity", projection: { from: { ref: ["shop.Books"] } } },
  },
} as Csn;

const DATA = new Map([
  ["shop.Authors", [{ ID: 1, name: "Emily" }]],
  ["shop.Books", [{ ID: 201, title: "Wuthering Heights", stock: 12, author_ID: 1 }, {
    ID: 207,
    title: "Emma",
  }]],
]);

/** A runtime over the shop that logs nothing. */
export function createShop(options: Partial<RuntimeOptions> = {}): Runtime {
  return createRuntime({
    model: MODEL,
    data: DATA,
    ...options,
    env: { log: { levels: { default: "silent" } }, ...options.env },
  });
}

/** An answer as tests compare it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests look into bodies without guards
  readonly body: any;
}

/** What a test may set on a request. */
export interface SendOptions {
  readonly method?: string;
  /** Name of a mock user. */
  readonly user?: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
}

/** Sends a request to a runtime. */
export async function send(runtime: Runtime, path: string, options: SendOptions = {}): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.user !== undefined) headers.set("authorization", `Basic ${btoa(`${options.user}:`)}`);
  const { body } = options;
  const isJson = typeof body === "object" && !(body instanceof ReadableStream);
  if (isJson && !headers.has("content-type")) headers.set("content-type", "application/json");
  const url = /^\w+:/.test(path) ? path : `http://localhost${path}`;
  const response = await runtime.fetch(
    new Request(url, {
      method: options.method ?? (body === undefined ? "GET" : "POST"),
      headers,
      body: isJson ? JSON.stringify(body) : body as BodyInit | undefined,
    }),
  );
  const text = await response.text();
  const parsed = response.headers.get("content-type")?.includes("json") && text ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body: parsed };
}

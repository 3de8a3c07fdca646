/**
 * The shop of the protocol tests in process: database, service and adapter without HTTP server.
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../src/config/limits.ts";
import { contextFromRequest } from "../../src/context/context_from_request.ts";
import { runWithContext } from "../../src/context/store.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";
import type { Logger } from "../../src/log/logger.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createODataAdapter } from "../../src/odata/odata_adapter.ts";
import { finishResponse } from "../../src/http/finish_response.ts";
import { ApplicationService } from "../../src/service/application_service.ts";
import { DatabaseService } from "../../src/service/database_service.ts";
import type { Database, DatabaseFactory } from "../../src/service/database.ts";
import type { ServiceHost } from "../../src/service/host.ts";
import type { ProtocolFactory } from "../../src/service/wire/protocol_adapter.ts";
import { SHOP } from "./fixture_model.ts";

/** An answer as tests compare it. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Parsed JSON, or text; undefined without body. */
  readonly body: unknown;
}

/** What a test may set on a request. */
export interface TestRequest {
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, text as it is. */
  readonly body?: unknown;
}

/** A running shop. */
export interface Shop {
  readonly service: ApplicationService;
  /** What was logged as error. */
  readonly logged: unknown[][];
  /** Sends a request to the service: method and URL below its root. */
  send(method: string, url: string, request?: TestRequest): Promise<TestAnswer>;
  /** Replaces all rows. */
  reset(data: ReadonlyMap<string, readonly Row[]>): Promise<void>;
  close(): Promise<void>;
}

/** What a shop is made from. */
export interface ShopOptions {
  readonly register?: (service: ApplicationService) => void;
  readonly protocol?: ProtocolFactory;
  readonly env?: Record<string, unknown>;
  readonly limits?: Partial<Limits>;
  readonly model?: Csn;
  /** Initial rows by entity. */
  readonly data?: ReadonlyMap<string, readonly Row[]>;
  /** The engine; without it only handlers answer. */
  readonly database?: DatabaseFactory;
}

const AUTHORS: readonly Row[] = [{ ID: 101, name: "Emily" }, { ID: 150, name: "Edgar" }];
const BOOKS: readonly Row[] = [
  { ID: 201, title: "Wuthering Heights", stock: 12, price: 11.11, author_ID: 101 },
  { ID: 251, title: "The Raven", stock: 333, price: 13.13, author_ID: 150 },
  { ID: 252, title: "Eleonora", stock: 555, price: 14, author_ID: 150 },
];
const ORDER = "00000000-0000-4000-8000-000000000001";
const DATA: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["shop.Authors", AUTHORS],
  ["shop.Books", BOOKS],
  ["shop.Orders", [{ ID: ORDER, no: "O-1" }]],
  ["shop.Items", [{ ID: 1, order_ID: ORDER, pos: 1, book_ID: 201 }, { ID: 2, order_ID: ORDER, pos: 2 }]],
  ["shop.Versions", [{ ID: 1, name: "first", version: 1 }]],
  ["shop.Media", [{ ID: 1, type: "text/plain", file: "hello.txt", content: btoa("hello world") }, { ID: 2 }]],
  ["shop.Settings", [{ ID: 1, theme: "dark" }]],
]);

/** Path of the service root. */
export const ROOT = "/odata/v4/shop";

/** A shop with initial data in a database of its own. */
export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const model = linkModel(options.model ?? SHOP);
  const database = await options.database?.({ model, options: { credentials: { url: ":memory:" } } });
  await database?.deploy(options.data ?? DATA);
  const logged: unknown[][] = [];
  const bundles = new TextBundles();
  const host: ServiceHost & { db: DatabaseService | undefined } = {
    model,
    env: options.env ?? {},
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    production: false,
    texts: bundles.lookup(),
    db: undefined,
    services: {},
    challenge: 'Basic realm="Users"',
    connect: (name) => Promise.reject(new Error(`No service "${name}"`)),
    log: (id) => createLogger(id, logged),
  };
  host.db = database && databaseService(host, database);
  const service = new ApplicationService({
    name: "ShopService",
    definition: model.service("ShopService"),
    host,
  });
  options.register?.(service);
  await service.init();
  const adapter = (options.protocol ?? createODataAdapter)({ service, host, root: ROOT });
  return {
    service,
    logged,
    async send(method, url, given = {}) {
      const request = webRequest(method, url, given);
      const context = contextFromRequest(request);
      const answer = await runWithContext(context, () => adapter.handle(request, context, url));
      const options = { method, id: context.id, user: context.user, secure: false };
      const response = finishResponse(answer, options);
      // of the headers that all answers have, those of the protocol count here
      const common = finishResponse({ status: 204, headers: [], body: null }, options).headers;
      for (const name of common.keys()) if (name !== "cache-control") response.headers.delete(name);
      return await readAnswer(response);
    },
    reset: async (data) => await database?.reset(data),
    close: async () => await database?.close(),
  };
}

function databaseService(host: ServiceHost, database: Database): DatabaseService {
  return new DatabaseService({ name: "db", host, database: () => database, opened: () => database });
}

function webRequest(method: string, url: string, given: TestRequest): Request {
  const headers = new Headers(given.headers);
  const isText = typeof given.body === "string";
  if (given.body !== undefined && !isText && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const body = given.body === undefined || isText
    ? given.body as string | undefined
    : JSON.stringify(given.body);
  const request = new Request(`http://localhost${ROOT}/${url}`, { method, headers, body });
  // text gets a content type of its own from the platform
  if (isText && !new Headers(given.headers).has("content-type")) request.headers.delete("content-type");
  return request;
}

async function readAnswer(response: Response): Promise<TestAnswer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

function createLogger(id: string, logged: unknown[][]): Logger {
  const none = () => {};
  const error = (...values: readonly unknown[]) => void logged.push([...values]);
  const flags = { _trace: false, _debug: false, _info: false, _warn: true, _error: true };
  return { id, level: "error", trace: none, debug: none, info: none, log: none, warn: none, error, ...flags };
}

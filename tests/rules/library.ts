/**
 * A small library for whole-request tests: a model in CDL, rows, texts, and ways to call it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { type Answer, type Json, sendTo, type Sent } from "../send_to.ts";

export type { Answer, Json, Sent };

const MODEL = `
namespace library;

type Point { x : Integer; y : Integer; }

entity Authors {
  key ID   : Integer;
  name     : String(80) @mandatory;
  books    : Association to many Books on books.author = $self;
  editions : Composition of many Editions on editions.author = $self;
}
entity Editions {
  key title   : String(40);
  key edition : Integer;
  pages       : Integer;
  author      : Association to Authors;
}
entity Books {
  key ID  : Integer;
  title   : localized String(80) @mandatory;
  stock   : Integer @assert.range: [0, 100];
  kind    : String(10) @assert.range enum { novel; poem; };
  isbn    : String(20) @assert.format: '[0-9]{3}-[0-9]+';
  author  : Association to Authors @assert.target;
  createdAt  : Timestamp @cds.on.insert: $now;
  modifiedAt : Timestamp @cds.on.insert: $now @cds.on.update: $now;
  createdBy  : String(255) @cds.on.insert: $user;
}

service CatalogService {
  entity Books as projection on library.Books actions {
    action rent(days : Integer) returns String;
    function price() returns Integer;
  };
  entity Authors as projection on library.Authors;
  entity Editions as projection on library.Editions;
  action order(book : Integer, quantity : Integer @mandatory) returns String;
  function sum(a : Integer, b : Integer) returns Integer;
  function text() returns String;
  function flag() returns Boolean;
  function point() returns Point;
  function points() returns array of Point;
  function nothing() returns String;
  action run(n : Integer) returns String;
  event Ordered { book : Integer; }
}

@protocol: 'rest'
service RestService {
  entity Books as projection on library.Books;
  function text() returns String;
  action run(n : Integer) returns String;
}

@requires: 'admin'
service AdminService {
  entity Books as projection on library.Books;
  action run(n : Integer) returns String;
}
`;

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["library.Authors", [{ ID: 1, name: "Emily" }, { ID: 2, name: "Edgar" }]],
  ["library.Editions", [
    { title: "Poems", edition: 1, pages: 90, author_ID: 1 },
    { title: "Poems", edition: 2, pages: 99, author_ID: 1 },
  ]],
  ["library.Books", [
    { ID: 201, title: "Heights", stock: 12, kind: "novel", author_ID: 1 },
    { ID: 251, title: "The Raven", stock: 5, kind: "poem", author_ID: 2 },
  ]],
  ["library.Books.texts", [{ locale: "de", ID: 251, title: "Der Rabe" }]],
]);

/** Texts by locale and key. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

const TEXTS: Texts = {
  "": { SOLD_OUT: "{0} is sold out", MISSING_INPUT: "Input is missing", GREETING: "Hello {0}" },
  de: { SOLD_OUT: "{0} ist ausverkauft", GREETING: "Hallo {0}" },
  fr: { SOLD_OUT: "{0} est épuisé" },
};

/** How a library is opened. */
export interface LibraryOptions {
  /** Registers handlers of `CatalogService`. */
  readonly catalog?: (srv: ApplicationService) => unknown;
  readonly rest?: (srv: ApplicationService) => unknown;
  readonly admin?: (srv: ApplicationService) => unknown;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly profiles?: readonly string[];
  readonly texts?: Texts;
  readonly kinds?: Kinds;
  /** CDL that is added to the model. */
  readonly cdl?: string;
}

/** One request of a JSON batch. */
export interface BatchItem {
  readonly id?: string;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly atomicityGroup?: string;
}

/** A running library. */
export interface Library {
  readonly runtime: Runtime;
  /** Sends a request; paths without leading slash are those of `CatalogService`. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a JSON batch to `CatalogService`; gives the responses. */
  batch(items: readonly BatchItem[], sent?: Sent): Promise<readonly BatchAnswer[]>;
  /** Titles of the stored books, for a look at what is in the database. */
  stored(): Promise<readonly string[]>;
}

/** One response of a JSON batch. */
export interface BatchAnswer {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** Opens a library on SQLite, runs a test, closes it. */
export async function withLibrary(
  options: LibraryOptions | LibraryOptions["catalog"],
  test: (library: Library) => Promise<unknown>,
): Promise<void> {
  const library = openLibrary(typeof options === "function" ? { catalog: options } : options ?? {});
  try {
    await library.runtime.start();
    await test(library);
  } finally {
    await library.runtime.close();
  }
}

/** Creates a library; the caller closes its runtime. */
function openLibrary(options: LibraryOptions = {}): Library {
  const { catalog, rest, admin } = options;
  const handlers = { CatalogService: catalog, RestService: rest, AdminService: admin };
  const runtime = createRuntime({
    model: compileLibrary(options.cdl),
    kinds: options.kinds ?? denoKinds,
    env: { log: { levels: { default: "silent" } }, ...options.env },
    profiles: options.profiles ?? ["development"],
    handlers: Object.fromEntries(
      Object.entries(handlers).flatMap(([name, register]) =>
        register ? [[`library.${name}`, (srv: ApplicationService) => register(srv)]] : []
      ),
    ),
    texts: toBundles(options.texts ?? TEXTS),
    data: ROWS,
  });
  const send = (method: string, path: string, sent: Sent = {}) =>
    sendTo(runtime, { ...sent, method, path: path.startsWith("/") ? path : `/odata/v4/catalog/${path}` });
  return {
    runtime,
    send,
    get: (path, headers) => send("GET", path, { headers }),
    post: (path, body = {}, headers) => send("POST", path, { body, headers }),
    batch: async (requests, sent) => {
      const named = requests.map((one, index) => ({ id: String(index + 1), ...one, headers: withType(one) }));
      const answer = await send("POST", "$batch", { ...sent, body: { requests: named } });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.responses as unknown as BatchAnswer[];
    },
    stored: async () => {
      const rows = await runtime.db!.run("SELECT title FROM library_Books ORDER BY ID") as {
        title: string;
      }[];
      return rows.map((row) => row.title);
    },
  };
}

function toBundles(texts: Texts): Map<string, Map<string, string>> {
  return new Map(Object.entries(texts).map(([locale, bundle]) => [locale, new Map(Object.entries(bundle))]));
}

/** The model of the library, with further CDL behind it. */
function compileLibrary(more = ""): ReturnType<typeof compileCdl> {
  return compileCdl(["library.cds"], {
    readFile: (path) => path === "library.cds" ? `${MODEL}\n${more}` : undefined,
  });
}

function withType(item: BatchItem): Record<string, string> {
  return { ...(item.body === undefined ? {} : { "content-type": "application/json" }), ...item.headers };
}

/** The error of an answer, after a look at its status. */
export function errorOf(answer: Answer | BatchAnswer, status: number): Record<string, unknown> {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body.error;
}

/** The messages of the header `fw-messages`. */
export function messagesOf(answer: Answer): Record<string, unknown>[] {
  return JSON.parse(answer.headers.get("fw-messages") ?? "[]");
}

/**
 * Routers and applications of Express: they get the streams of Node.js that they are written for, without a connection.
 *
 * @module
 */

import { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { pathToFileURL } from "node:url";
import { ServiceError } from "../errors/service_error.ts";
import type { NodeAnswer, NodeRouter, RunNodeRouter } from "../fw/node_router.ts";
import { activateAnswers } from "./answered_modules.ts";

/**
 * What runs routers in an application of the Express that a project has, which knows what they call on requests and responses.
 *
 * @param root of the project, absolute
 */
export function nodeRoutersIn(root: string): RunNodeRouter {
  const applications = new WeakMap<NodeRouter, NodeRouter>();
  return (router, { request, base }) => {
    let application = applications.get(router);
    if (!application) applications.set(router, application = applicationOf(router, root));
    return run(application, request, base);
  };
}

/** A router alone lacks the methods that Express gives to requests and responses. */
function applicationOf(router: NodeRouter, root: string): NodeRouter {
  activateAnswers();
  let express:
    | (() => NodeRouter & { use(router: NodeRouter): void; disable(name: string): void })
    | undefined;
  try {
    express = createRequire(pathToFileURL(`${root}/package.json`))("express");
  } catch {
    return router; // whoever made the router without Express needs none
  }
  const application = express!();
  application.disable("x-powered-by");
  application.use(router);
  return application;
}

/** Runs a router until it begins to answer, or leaves the request to others. */
function run(router: NodeRouter, request: Request, base: string): Promise<NodeAnswer> {
  return new Promise((resolve, reject) => {
    const req = toIncoming(request, base);
    const res = toResponse(req, request, (response) => resolve({ response }));
    router(req, res, (error) => {
      if (error !== undefined && error !== null) return reject(failure(error));
      resolve({ headers: headersOf(res) });
    });
  });
}

/**
 * Errors of `http-errors`, as middleware of Express throws them, have their status in their class, where it is not looked for;
 * `expose` says whether clients may read their text.
 */
function failure(cause: unknown): unknown {
  const { expose, status, message } = cause as { expose?: unknown; status?: unknown; message?: unknown };
  if (typeof status !== "number" || Object.hasOwn(cause as object, "status")) return cause;
  return new ServiceError({ status, ...(expose !== false && { message: String(message) }), cause });
}

function toIncoming(request: Request, base: string): IncomingMessage {
  const url = new URL(request.url);
  const socket = new NoConnection(url.protocol === "https:");
  const req = new IncomingMessage(socket as unknown as Socket); // what is asked of the connection
  const path = url.pathname.slice(base.length);
  const headers = Object.fromEntries(request.headers);
  headers.host ??= url.host;
  // parsers ask by these whether there is a body
  if (request.body && !headers["content-length"]) headers["transfer-encoding"] ??= "chunked";
  Object.assign(req, {
    ...{ method: request.method, url: (path.startsWith("/") ? path : `/${path}`) + url.search },
    ...{ originalUrl: url.pathname + url.search, baseUrl: base },
    ...{ httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 },
    headers,
    rawHeaders: Object.entries(headers).flat(),
  });
  let isRead = false;
  req._read = () => {
    if (!isRead) fill(req, request.body).catch((error) => req.destroy(error));
    isRead = true;
  };
  return req;
}

/** Reads all of a body, which is bounded, once somebody asks for it. */
async function fill(req: IncomingMessage, body: Request["body"]): Promise<void> {
  for await (const chunk of body ?? []) req.push(chunk);
  // a request that is not complete counts as one whose client has gone
  req.complete = true;
  req.push(null);
}

/**
 * The response of a request: what is written goes into the body of a web response. Its methods are its own, as Express replaces
 * the prototype.
 */
function toResponse(
  req: IncomingMessage,
  { method }: Request,
  answer: (response: Response) => void,
): ServerResponse {
  const res = new ServerResponse(req);
  res.assignSocket(req.socket);
  // routers release at `close` what an answer needs, as servers tell it behind `finish`
  res.once("finish", () => void res.destroy());
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const { writeHead, end } = res;
  const begin = () => {
    if (!res.headersSent) res.writeHead(res.statusCode);
  };
  const add = (chunk: unknown, encoding: unknown) => {
    if (!body || chunk === undefined || chunk === null) return;
    body.enqueue(typeof chunk === "string" ? Buffer.from(chunk, encodingOf(encoding)) : chunk as Uint8Array);
  };
  res.writeHead = (status: number, ...more: readonly unknown[]) => {
    const given = more.find((one) => typeof one === "object" && one !== null) ?? {};
    for (const [name, value] of Object.entries(given)) res.setHeader(name, value as string);
    writeHead.call(res, status);
    const headers = headersOf(res);
    const hasBody = method !== "HEAD" && !HAS_NO_BODY.has(status);
    const stream = hasBody
      ? new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => void (body = controller),
        pull: () => void res.emit("drain"),
        cancel: () => void res.destroy(),
      })
      : null;
    answer(new Response(stream, { status, headers }));
    return res;
  };
  res.write = (chunk: unknown, ...more: readonly unknown[]) => {
    begin();
    add(chunk, more[0]);
    callbackOf(more)?.();
    return !body || body.desiredSize! > 0; // a stream that has failed takes no more
  };
  res.end = (...given: readonly unknown[]) => {
    if (res.writableEnded) return res;
    begin();
    if (typeof given[0] !== "function") add(given[0], given[1]);
    body?.close();
    return (end as (done?: () => void) => ServerResponse).call(res, callbackOf(given));
  };
  return res;
}

/** Statuses whose responses have no body (RFC 9110, 6.4.1). */
const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** What concerns one connection is no part of the answer (RFC 9110, 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

function headersOf(res: ServerResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(res.getHeaders())) {
    if (value === undefined || OF_CONNECTION.has(name)) continue;
    for (const one of [value].flat()) headers.append(name, String(one));
  }
  return headers;
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === "string" ? given as BufferEncoding : "utf8"; // `Buffer` refuses unknown ones
}

function callbackOf(given: readonly unknown[]): (() => void) | undefined {
  return given.find((one): one is () => void => typeof one === "function");
}

/** Stands for the connection: nothing is written to it. */
class NoConnection extends Duplex {
  readonly encrypted: boolean;

  constructor(encrypted: boolean) {
    super();
    this.encrypted = encrypted;
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }
}

import assert from "node:assert/strict";
import { contextFromRequest } from "../../src/context/context_from_request.ts";
import { EventContext } from "../../src/context/event_context.ts";
import {
  type ClassicMiddleware,
  createHttpContext,
  draftOf,
  runMiddleware,
} from "../../src/context/http_context.ts";

Deno.test("createHttpContext() gives the web request a get() for headers", () => {
  const request = new Request("http://x/", { headers: { "x-a": "1" } });
  const { req } = createHttpContext(request);
  assert.equal(req, request);
  assert.equal(req.get("X-A"), "1");
  assert.equal(req.get("x-b"), undefined);
});

Deno.test("createHttpContext() collects status and headers on the response draft", () => {
  const { res } = createHttpContext(new Request("http://x/"));
  assert.equal(res.statusCode, undefined);
  res.status(201).set("X-Custom", "yes");
  assert.equal(res.statusCode, 201);
  assert.equal(res.get("x-custom"), "yes");
  assert.equal(res.headers.get("x-custom"), "yes");
  assert.equal(res.headersSent, false);
});

Deno.test("createHttpContext() lets a handler end the response by itself", () => {
  const { res } = createHttpContext(new Request("http://x/"));
  res.status(202).json({ a: 1 });
  assert.equal(res.headersSent, true);
  assert.equal(res.body, '{"a":1}');
  assert.equal(res.get("content-type"), "application/json");
  assert.equal(createHttpContext(new Request("http://x/")).res.send("text").body, "text");
});

Deno.test("requests have what handlers of existing servers look at", () => {
  const headers = {
    "content-type": "application/hal+json; charset=utf-8",
    accept: "text/html;q=0.8, image/*",
  };
  const { req } = createHttpContext(
    new Request("https://x.y/a/b?c=1&d=2", { method: "POST", headers, body: "{}" }),
  );
  const request = req as unknown as Record<string, unknown> & { header(name: string): string };
  assert.deepEqual({ ...(request.query as object) }, { c: "1", d: "2" });
  assert.deepEqual([request.hostname, request.protocol, request.secure, request.path, request.originalUrl], [
    ...["x.y", "https", true, "/a/b", "/a/b?c=1&d=2"],
  ]);
  assert.equal(request.header("Accept"), headers.accept);
  assert.equal((req.headers as unknown as Record<string, string>)["content-type"], headers["content-type"]);
  request.path = "/other";
  assert.equal(request.path, "/other");
  const plain = createHttpContext(new Request("http://x/")).req as unknown as typeof request;
  assert.deepEqual([plain.protocol, plain.secure], ["http", false]);
});

Deno.test("media types are found among patterns, with short names and wildcards", () => {
  const of = (headers: Record<string, string>) =>
    createHttpContext(new Request("http://x/", { headers })).req as unknown as {
      is(...types: unknown[]): string | false;
      accepts(...types: unknown[]): string | false;
    };
  const hal = of({ "content-type": "Application/HAL+json; charset=utf-8" });
  assert.deepEqual(
    ["json", "hal", "application/*", "*/*", "xml", "text/*", "application/json"].map((type) => hal.is(type)),
    [
      ...["json", "hal", "application/*", "*/*", false, false, false],
    ],
  );
  assert.equal(hal.is("xml", "json"), "json");
  assert.equal(hal.is(["xml", "json"]), "json");
  assert.equal(of({ "content-type": "text/plain" }).is("text"), "text");
  assert.equal(of({}).is("*/*"), false);
  const client = of({ accept: "text/html;q=0.8, image/*" });
  assert.deepEqual(["html", "image/png", "png", "json", "text/html"].map((type) => client.accepts(type)), [
    ...["html", "image/png", false, false, "text/html"],
  ]);
  assert.equal(client.accepts("json", "html"), "html");
  assert.equal(of({ accept: "*/*" }).accepts("json"), "json");
});

Deno.test("runMiddleware() gives what the middleware ended, nothing where it goes on, and fails as it does", async () => {
  const run = (middleware: ClassicMiddleware) =>
    runMiddleware(middleware, createHttpContext(new Request("http://x/")));
  const sent = await run((_req, res) => void res.set("a", "1").send("x"));
  assert.deepEqual([sent?.status, sent?.headers.get("a"), await sent?.text()], [200, "1", "x"]);
  const late = await run((_req, res) => void setTimeout(() => res.status(201).end(), 0));
  assert.deepEqual([late?.status, await late?.text()], [201, ""]);
  assert.equal(await run((_req, _res, next) => next()), undefined);
  const failure = new Error("no");
  const failing: readonly ClassicMiddleware[] = [
    (_req, _res, next) => next(failure),
    () => {
      throw failure;
    },
    () => Promise.reject(failure),
  ];
  for (const middleware of failing) await assert.rejects(run(middleware), failure);
});

Deno.test("the draft of a response is there once somebody has looked at it", () => {
  const http = createHttpContext(() => new Request("http://x/a"));
  assert.equal(draftOf(http), undefined);
  const { res } = http;
  assert.equal(draftOf(http), res);
  assert.equal(http.req, http.req);
  assert.equal(http.req.url, "http://x/a");
});

Deno.test("contextFromRequest() has id, locale and http of the request [2.1.http.a]", () => {
  const headers = { "x-correlation-id": "c1", "accept-language": "de-CH,en;q=0.5" };
  const request = new Request("http://x/", { headers });
  const context = contextFromRequest(request);
  assert.equal(context.id, "c1");
  assert.equal(context.locale, "de");
  assert.equal(context.http?.req, request);
  assert.equal(new EventContext().http, undefined);
});

Deno.test("EventContext hands http on to its children [2.1.http.b]", () => {
  const context = contextFromRequest(new Request("http://x/"));
  assert.equal(new EventContext({}, new EventContext({}, context)).http, context.http);
});

Deno.test("what a handler writes in pieces, as text or bytes, is one body", () => {
  const bodyOf = (write: (res: ReturnType<typeof createHttpContext>["res"]) => unknown) => {
    const { res } = createHttpContext(new Request("http://x/"));
    write(res);
    return new TextDecoder().decode(res.body as Uint8Array<ArrayBuffer>);
  };
  assert.equal(bodyOf((res) => (res.write("é"), res.end())), "é");
  assert.equal(bodyOf((res) => (res.write(new Uint8Array([97, 98])), res.end("c"))), "abc");
  assert.equal(bodyOf((res) => (res.write("a"), res.write("b"), res.end(new Uint8Array([99])))), "abc");
});

Deno.test("contextFromRequest() reads what may lag behind for GET and HEAD only", () => {
  const methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"];
  const lag = methods.map((method) => contextFromRequest(new Request("http://x/", { method })).mayLag);
  assert.deepEqual(lag, [true, true, false, false, false]);
});

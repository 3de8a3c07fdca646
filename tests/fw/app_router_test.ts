/** Own routes of an application (api 1): forms of handlers, paths, order, errors, files, routers of Express. */

import assert from "node:assert/strict";
import { type ClassicMiddleware, createHttpContext, runMiddleware } from "../../src/context/http_context.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import {
  AppRouter,
  type AppRouterOptions,
  type ClassicErrorHandler,
  type RouteHandler,
} from "../../src/fw/app_router.ts";

interface Given {
  readonly app: AppRouter;
  /** What was added in front of all requests. */
  readonly added: { readonly handler: unknown; readonly place: unknown }[];
  /** Status and text of an answer, or what was thrown. */
  ask(path: string, method?: string, init?: RequestInit): Promise<readonly [number, string]>;
}

function router(options: Partial<AppRouterOptions> = {}): Given {
  const added: Given["added"] = [];
  const add = ((handler: unknown, place: unknown) => void added.push({ handler, place })) as never;
  const app = new AppRouter({ middlewares: { add }, streamBytes: 10, ...options });
  return {
    ...{ app, added },
    async ask(path, method = "GET", init) {
      try {
        const response = await app.fetch(new Request(`http://localhost${path}`, { method, ...init }));
        return [response.status, await response.text()];
      } catch (error) {
        const { status = 500, message } = error as ServiceError;
        return [status, message];
      }
    },
  };
}

const text = (body: string): RouteHandler => () => new Response(body);
const classic = (handler: ClassicMiddleware): ClassicMiddleware => handler;

Deno.test("a route answers its method and path; the rest is not found", async () => {
  const { app, ask } = router();
  for (const method of ["get", "post", "put", "patch", "delete"] as const) {
    app[method](`/${method}`, text(method));
  }
  app.all("/all", text("all"));
  app.get("/items/:id", ({ req }) => new Response(`${req.param("id")} ${req.query("q")} ${req.header("x")}`));
  for (const method of ["get", "post", "put", "patch", "delete"]) {
    assert.deepEqual(await ask(`/${method}`, method.toUpperCase()), [200, method]);
    assert.deepEqual(await ask("/all", method.toUpperCase()), [200, "all"]);
    const other = method === "get" ? "POST" : "GET";
    assert.equal((await ask(`/${method}`, other))[0], 404, method);
    assert.deepEqual(app.methods(`/${method}`), method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]);
  }
  assert.deepEqual(app.methods("/all"), ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
  assert.deepEqual(app.methods("/none"), []);
  assert.deepEqual(await ask("/items/7?q=1", "GET", { headers: { x: "y" } }), [200, "7 1 y"]);
  assert.equal((await ask("/none"))[0], 404);
});

Deno.test("handlers go on to the next one unless they answer", async () => {
  const { app, ask } = router();
  const seen: string[] = [];
  app.use(
    "/a",
    classic((_req, _res, next) => {
      seen.push("middleware");
      next();
    }),
  );
  app.get("/a", () => void seen.push("first"), text("third"), text("no"));
  app.get("/b", classic((_req, _res, next) => next()));
  app.get("/b", text("behind"));
  app.get("/c", () => {});
  assert.deepEqual(await ask("/a"), [200, "third"]);
  assert.deepEqual(seen, ["middleware", "first"]);
  assert.deepEqual(await ask("/b"), [200, "behind"]);
  assert.equal((await ask("/c"))[0], 404);
});

Deno.test("middleware of a path holds for all below it; handlers of Hono go around what is behind", async () => {
  const { app, ask } = router();
  app.use(["/a/", "/b"], classic((_req, res, next) => void (res.set("x", "seen"), next())));
  app.use("/c/*/d", (_context, next) => next());
  app.use("/h", async (context, next) => {
    await next();
    context.header("x-around", "yes");
  });
  for (const path of ["/a", "/a/x", "/b", "/b/x/y", "/h/x", "/c/1/d"]) app.get(path, text(path));
  for (const path of ["/a", "/a/x", "/b", "/b/x/y", "/h/x", "/c/1/d"]) {
    assert.deepEqual(await ask(path), [200, path]);
  }
  const around = await app.fetch(new Request("http://localhost/h/x"));
  assert.equal(around.headers.get("x-around"), "yes");
  await around.body?.cancel();
});

Deno.test("middleware without path stands in front of authentication, and declares (req, res, next)", () => {
  const { app, added } = router();
  const [two, three] = [(_req: unknown, _res: unknown) => {}, (_a: unknown, _b: unknown, _c: unknown) => {}];
  assert.equal(app.use(two as ClassicMiddleware, three as ClassicMiddleware), app);
  assert.deepEqual(added, [two, three].map((handler) => ({ handler, place: { before: "context" } })));
  for (const wrong of [() => {}, (_one: unknown) => {}]) {
    assert.throws(() => app.use(wrong as ClassicMiddleware), {
      name: "TypeError",
      message: "Expected a path in front of the handler, or middleware that declares (req, res, next)",
    });
  }
  assert.equal(added.length, 2);
  assert.throws(
    () => app.get(5 as never, text("x")),
    /^TypeError: Expected the path of a route as text, found 5$/,
  );
});

Deno.test("bodies are given to classic handlers as their type says", async () => {
  const { app, ask } = router();
  app.post(
    "/:id",
    classic((req, res) => void res.json([(req as { params?: unknown }).params, req.body ?? "none"])),
  );
  const cases: readonly [string | undefined, string | undefined, string][] = [
    ["application/json", '{"a":1}', '{"a":1}'],
    ["application/problem+json; charset=utf-8", "[1]", "[1]"],
    ["application/x-www-form-urlencoded; charset=utf-8", "a=1&b=x+y", '{"a":"1","b":"x y"}'],
    ["text/plain", "{}", '"{}"'],
    ["text/application/x-www-form-urlencoded", "a=1", '"a=1"'],
    ["text/jsonp", "{}", '"{}"'],
    [undefined, undefined, '"none"'],
  ];
  for (const [type, body, shown] of cases) {
    const headers: HeadersInit = type ? { "content-type": type } : {};
    assert.deepEqual(await ask("/7", "POST", { body, headers }), [200, `[{"id":"7"},${shown}]`], type);
  }
  const headers = { "content-type": "application/json" };
  assert.deepEqual(await ask("/7", "POST", { body: "{", headers }), [400, "Malformed JSON"]);
});

Deno.test("handlers for errors of a path get what is thrown below it, one after the other", async () => {
  const { app, ask } = router();
  const seen: string[] = [];
  const noting = (name: string, answers: boolean): ClassicErrorHandler => (error, _req, res, next) => {
    const { message } = error as Error;
    seen.push(`${name}: ${message}`);
    if (answers) res.status(418).send(name);
    else next(new ServiceError({ status: 409, message: `${message}!` }));
  };
  const fail = (message: string): RouteHandler => () => {
    throw new ServiceError({ status: 400, message });
  };
  for (const path of ["/a/x", "/ab", "/b/y", "/c"]) app.get(path, fail(path));
  app.get("/classic", classic((_req, _res, next) => next(new Error("given to next"))));
  app.use("/a", noting("a", false));
  app.use("/b/*", noting("b", true));
  app.use("/a/x", noting("x", true));
  assert.deepEqual(await ask("/a/x"), [418, "x"]);
  assert.deepEqual(await ask("/b/y"), [418, "b"]);
  assert.deepEqual(await ask("/ab"), [400, "/ab"]);
  assert.deepEqual(await ask("/c"), [400, "/c"]);
  assert.deepEqual(seen, ["a: /a/x", "x: /a/x!", "b: /b/y"]);
  app.use(noting("all", false));
  assert.deepEqual(await ask("/c"), [409, "/c!"]);
  assert.deepEqual(await ask("/classic"), [409, "given to next!"]);
});

Deno.test("files of front ends answer GET and HEAD where no route does", async () => {
  const asked: string[] = [];
  const frontEnds = {
    has: () => Promise.resolve(true),
    pages: () => [],
    answer: (_request: Request, path: string) => {
      asked.push(path);
      return Promise.resolve(path === "/file" ? new Response("file") : undefined);
    },
  };
  const { app, ask } = router({ frontEnds });
  app.get("/own", text("own"));
  assert.deepEqual(await ask("/file"), [200, "file"]);
  assert.equal((await ask("/file", "HEAD"))[0], 200);
  assert.equal((await ask("/file", "POST"))[0], 404);
  assert.equal((await ask("/other"))[0], 404);
  assert.deepEqual(await ask("/own"), [200, "own"]);
  assert.deepEqual(asked, ["/file", "/file", "/other"]);
});

Deno.test("static files are those of a folder, or of a package and a folder in it", async () => {
  const asked: unknown[][] = [];
  const staticFiles = (...given: unknown[]): RouteHandler => {
    asked.push(given);
    return ({ req }) => new Response(`static ${req.path}`);
  };
  const { app, ask } = router({ staticFiles });
  assert.equal(app.serve("/ui/").from("app/ui"), app);
  app.serve("/lib").from("@acme/ui", "dist");
  app.serve("/").from("public");
  assert.deepEqual(asked, [["/ui", "app/ui"], ["/lib", "dist", "@acme/ui"], ["", "public"]]);
  for (const path of ["/ui", "/ui/x", "/lib/a/b", "/any"]) {
    assert.deepEqual(await ask(path), [200, `static ${path}`]);
  }
  assert.throws(() => router().app.serve("/ui").from("x"), {
    name: "ConfigurationError",
    message: "Static files need a file system: load the project by ./deno",
  });
});

Deno.test("listening is left to who serves, and tells the function that waits for it", async () => {
  const { app } = router();
  await new Promise<void>((resolve) => assert.equal(app.listen(4004, resolve), app));
  assert.equal(app.listen(), app);
  assert.equal(app.listen(4004, "host"), app);
});

/** What Express gives: a function that has `handle`. */
const express = () => Object.assign(() => {}, { handle: () => {} }) as unknown as ClassicMiddleware;

Deno.test("routers of Express see the path below a fixed one, and go on with the headers that they set", async () => {
  const bases: string[] = [];
  let isAnswered = true;
  const nodeRouter: AppRouterOptions["nodeRouter"] = (_router, { base, request }) => {
    bases.push(`${base} ${new URL(request.url).pathname}`);
    const headers = { "x-express": "yes" };
    return Promise.resolve(
      isAnswered ? { response: new Response("express", { headers }) } : { headers: new Headers(headers) },
    );
  };
  const { app, ask, added } = router({ nodeRouter });
  app.use("/fixed", express());
  app.use("/p/:id", express());
  app.use("/w/*/x", express());
  app.get("/route", express());
  app.get("/fixed/own", (context) => context.text("own"));
  for (const path of ["/fixed/a", "/p/7/a", "/w/1/x", "/route"]) {
    assert.deepEqual(await ask(path), [200, "express"]);
  }
  assert.deepEqual(bases, ["/fixed /fixed/a", " /p/7/a", " /w/1/x", " /route"]);
  isAnswered = false;
  const request = new Request("http://localhost/fixed/own");
  const http = createHttpContext(request);
  assert.equal(await (await app.fetch(request, http)).text(), "own");
  assert.equal(http.res.get("x-express"), "yes");
  app.use(express());
  assert.deepEqual(added.map(({ place }) => place), [{ before: "context" }]);
  const without = router();
  without.app.get("/x", express());
  assert.deepEqual(await without.ask("/x"), [
    ...[500, "Routers of Express need streams of Node.js: load the project by ./deno"] as const,
  ]);
});

Deno.test("a router of Express without path answers, or adds headers and leaves the request to the next one", async () => {
  const seen: unknown[] = [];
  let isAnswered = true;
  const nodeRouter: AppRouterOptions["nodeRouter"] = async (_router, { base, request }) => {
    seen.push([base, await request.text()]);
    const headers = { "x-express": "yes" };
    const response = new Response("express", { status: 201, headers });
    return isAnswered ? { response } : { headers: new Headers(headers) };
  };
  const { app, added } = router({ nodeRouter });
  app.use(express());
  const middleware = added[0]!.handler as ClassicMiddleware;
  const run = async (init?: RequestInit) => {
    const http = createHttpContext(new Request("http://localhost/x", init));
    const answer = await runMiddleware(middleware, http);
    return [answer?.status, await answer?.text(), http.res.get("x-express"), http.req.bodyUsed];
  };
  assert.deepEqual(await run(), [201, "express", "yes", false]);
  isAnswered = false;
  const post = (body: string) => ({ method: "POST", body });
  assert.deepEqual(await run(post("ten bytes.")), [undefined, undefined, "yes", false]);
  assert.deepEqual(seen, [["", ""], ["", "ten bytes."]]);
  await assert.rejects(run(post("eleven byte")), { status: 413 });
});

Deno.test("handlers in the classic form send files by what the options read files with", async () => {
  const answerFile = (path: string) => Promise.resolve(new Response(path));
  const { app, ask } = router({ answerFile });
  app.get("/page", classic((_req, res) => (res as { sendFile?(path: string): void }).sendFile!("/a.html")));
  assert.deepEqual(await ask("/page"), [200, "/a.html"]);
});

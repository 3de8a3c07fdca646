import assert from "node:assert/strict";
import type { HttpRequest, HttpResponse } from "../../src/context/event_context.ts";
import type { ClassicMiddleware } from "../../src/context/http_context.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";

const MODEL = {
  definitions: {
    S: { kind: "service" },
    "S.hello": { kind: "function", returns: { type: "cds.String" } },
    "S.away": { kind: "function", returns: { type: "cds.String" } },
  },
} as const;

const classic = (handler: ClassicMiddleware): ClassicMiddleware => handler;

function start(kinds?: Kinds) {
  const runtime = createRuntime({
    model: MODEL,
    kinds,
    env: { log: { levels: { default: "silent" } }, requires: { auth: { kind: "dummy" } } },
    handlers: {
      S: (srv) => {
        srv.on("hello", (req: ServiceRequest) => {
          req._.res?.setHeader("x-mine", 7);
          return String(req._.req?.headers["x-name"]);
        });
        srv.on(
          "away",
          (req: ServiceRequest) => void req._.res?.set("WWW-Authenticate", "Basic").sendStatus(401),
        );
      },
    },
  });
  const ask = (path: string, init?: RequestInit) =>
    runtime.fetch(new Request(`http://localhost${path}`, init));
  return { runtime, ask, app: runtime.app };
}

Deno.test("an own route has several paths, and what is no path is refused when it is added", async () => {
  const { app, ask, runtime } = start();
  app.get(["/one", "/two/:id"], classic((req, res) => res.json(req.path)));
  app.use(["/one", "/three"], classic((_req, res, next) => void (res.set("x-seen", "yes"), next())));
  for (const path of ["/one", "/two/7"]) assert.equal(await (await ask(path)).json(), path);
  assert.equal((await ask("/two")).status, 404);
  assert.throws(() => app.get(/one/ as never, () => {}), /Expected the path of a route as text/);
  await runtime.close();
});

Deno.test("behind middleware of a path, GET and HEAD are answered by files of front ends, other methods are not", async () => {
  const frontEnds = {
    has: () => Promise.resolve(true),
    answer: () => Promise.resolve(new Response("page", { headers: { "x-file": "yes" } })),
    pages: () => [],
  };
  const { app, ask, runtime } = start({ frontEnds });
  app.use("/ui", classic((_req, _res, next) => next()));
  const told = async (method: string) => {
    const response = await ask("/ui/index.html", { method });
    return [response.status, response.headers.get("x-file"), await response.text()];
  };
  assert.deepEqual(await told("GET"), [200, "yes", "page"]);
  assert.deepEqual(await told("HEAD"), [200, "yes", ""]);
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.deepEqual((await told(method)).slice(0, 2), [404, null], method);
  }
  await runtime.close();
});

Deno.test("own routes in the classic form read params, query, headers and body, and answer by res", async () => {
  const { app, ask, runtime } = start();
  app.get(
    "/items/:id",
    classic((req, res) => {
      const { id } = (req as unknown as { params: { id: string } }).params;
      res.status(201).json({ id, query: req.query, name: req.headers["x-name"], path: req.path });
    }),
  );
  app.post(
    "/items",
    classic((req, res) => {
      setTimeout(() => res.type("text").send(JSON.stringify(req.body)), 1);
    }),
  );
  app.get(
    "/guarded",
    classic((_req, res, next) => {
      res.set({ "x-a": "1" });
      next();
    }),
    classic((_req, res) => res.redirect("/there")),
  );
  app.get("/failing", classic((_req, _res, next) => next(new Error("broken"))));
  app.get("/web", (context) => context.text("web"));
  const got = await ask("/items/7?a=1", { headers: { "x-name": "me" } });
  assert.equal(got.status, 201);
  assert.deepEqual(await got.json(), { id: "7", query: { a: "1" }, name: "me", path: "/items/7" });
  const headers = { "content-type": "application/json" };
  const posted = await ask("/items", { method: "POST", headers, body: '{"a":1}' });
  assert.equal(posted.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(await posted.text(), '{"a":1}');
  const malformed = await ask("/items", { method: "POST", headers, body: "{" });
  assert.equal(malformed.status, 400);
  await malformed.body?.cancel();
  const away = await ask("/guarded");
  assert.equal(away.status, 302);
  assert.equal(away.headers.get("location"), "/there");
  const failed = await ask("/failing");
  assert.equal(failed.status, 500);
  await failed.body?.cancel();
  assert.equal(await (await ask("/web")).text(), "web");
  await runtime.close();
});

Deno.test("app.use() without a path runs before every request, and may answer it", async () => {
  const { app, ask, runtime } = start();
  app.use((req, res, next) => {
    res.setHeader("access-control-allow-origin", "*");
    if (req.method === "OPTIONS") res.sendStatus(204);
    else next();
  });
  const preflight = await ask("/odata/v4/s/hello()", { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
  const answered = await ask("/odata/v4/s/hello()", { headers: { "x-name": "me" } });
  assert.equal(answered.headers.get("access-control-allow-origin"), "*");
  assert.equal(answered.headers.get("x-mine"), "7");
  assert.equal((await answered.json()).value, "me");
  const away = await ask("/odata/v4/s/away()");
  assert.equal(away.status, 401);
  assert.equal(await away.text(), "Unauthorized");
  await runtime.close();
});

Deno.test("the number of declared parameters tells the form of a handler, whatever they are called", async () => {
  const { app, ask, runtime } = start();
  app.get("/two", classic((a, b) => b.json({ path: a.path })));
  app.get("/one", (c) => c.text("one"));
  app.get("/none", () => new Response("none"));
  app.get("/passed", () => undefined, (c) => c.text("passed on"));
  app.use("/below", classic((a, b, c) => a.query.stop ? b.status(418).end("stop") : c()));
  app.get("/below/page", (c) => c.text("page"));
  app.get("/thrown", () => {
    throw new Error("broken");
  });
  app.use((e: unknown, _a: HttpRequest, b: HttpResponse, c: (e: unknown) => void) =>
    (e as Error).message === "broken" ? b.status(500).send("mended") : c(e)
  );
  assert.deepEqual(await (await ask("/two")).json(), { path: "/two" });
  assert.equal(await (await ask("/one")).text(), "one");
  assert.equal(await (await ask("/none")).text(), "none");
  assert.equal(await (await ask("/passed")).text(), "passed on");
  assert.equal((await ask("/below/page?stop=1")).status, 418);
  assert.equal(await (await ask("/below/page")).text(), "page");
  assert.equal(await (await ask("/thrown")).text(), "mended");
  assert.throws(() => app.use(((c: unknown) => c) as ClassicMiddleware), /declares \(req, res, next\)/);
  await runtime.close();
});

Deno.test("requests and responses in the classic form have what handlers of existing servers ask for", async () => {
  const { app, ask, runtime } = start();
  app.get(
    "/all",
    classic((req, res) => {
      const { hostname, protocol } = req as unknown as Record<string, string>;
      const { is, accepts } = req as unknown as Record<string, (...types: string[]) => string | false>;
      let finished = false;
      res.on("finish", () => finished = true).cookie("a", "b c", { httpOnly: true, maxAge: 2000 }).vary(
        "x-own",
      );
      res.locals.seen = [hostname, protocol, is("json"), accepts("html", "json"), res.hasHeader("vary")];
      res.writeHead(202, { "x-own": "1" });
      res.write("[");
      res.write(JSON.stringify(res.locals.seen));
      res.end("]");
      assert.ok(finished);
    }),
  );
  const answer = await ask("/all", { headers: { accept: "application/json" } });
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.get("x-own"), "1");
  assert.match(answer.headers.get("vary") ?? "", /x-own/);
  assert.equal(answer.headers.get("set-cookie"), "a=b%20c; Path=/; Max-Age=2; HttpOnly");
  assert.deepEqual(await answer.json(), [["localhost", "http", false, "json", true]]);
  await runtime.close();
});

Deno.test("a router of Express sees the path below the fixed one that it is used at, elsewhere the whole path", async () => {
  const bases: string[] = [];
  const { app, ask, runtime } = start({
    nodeRouter: (_router, { base }) => {
      bases.push(base);
      return Promise.resolve({ response: new Response() });
    },
  });
  const router = Object.assign(() => {}, { handle: () => {} }) as unknown as ClassicMiddleware;
  app.use("/used", router).use("/below/*", router).use("/of/:id", router);
  app.get("/asked", router).all("/any/*", router);
  for (const path of ["/used", "/used/a", "/below/a", "/of/1", "/asked", "/any/a"]) await ask(path);
  assert.deepEqual(bases, ["/used", "/used", "/below", "", "", ""]);
  await runtime.close();
});

Deno.test("what middleware sets and notes is at the answers of all that comes behind it, and there for its handlers", async () => {
  const { app, ask, runtime } = start();
  app.use(classic((req, res, next) => {
    res.set({ "x-all": "yes", "content-type": "text/none", "content-length": "999", server: "mine" });
    res.locals.all = 1;
    Object.assign(req, { mark: "all" });
    next();
  }));
  app.use(
    "/own",
    classic((_req, res, next) => {
      res.append("set-cookie", "a=1");
      res.set("x-own", "middleware");
      res.locals.own = 2;
      next();
    }),
  );
  app.all(
    "/own/classic",
    classic((req, res) => {
      res.append("set-cookie", "b=2");
      res.json([res.locals, (req as { mark?: string }).mark]);
    }),
  );
  app.get("/own/web", () => {
    return new Response("web", { headers: { "set-cookie": "c=3", "x-own": "handler" } });
  });
  app.get("/own/fails", () => {
    throw new Error("none");
  });
  const told = async (path: string, method = "GET") => {
    const body = method === "POST" ? "{}" : undefined;
    const { status, headers: all } = await ask(path, { method, body });
    const cookies = all.getSetCookie().toSorted().join();
    return [
      status,
      all.get("x-all"),
      all.get("x-own"),
      cookies,
      all.get("server"),
      all.get("content-length"),
    ];
  };
  assert.deepEqual(await told("/own/web"), [200, "yes", "handler", "a=1,c=3", null, null]);
  assert.deepEqual(await told("/own/none"), [404, "yes", "middleware", "a=1", null, null]);
  assert.deepEqual(await told("/own/fails"), [500, "yes", "middleware", "a=1", null, null]);
  assert.deepEqual(await told("/none"), [404, "yes", null, "", null, null]);
  for (const method of ["GET", "POST"]) {
    const answer = await ask("/own/classic", { method, body: method === "POST" ? "{}" : undefined });
    assert.deepEqual(await answer.json(), [{ all: 1, own: 2 }, "all"], method);
    assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  }
  const missing = await ask("/none");
  assert.equal(missing.headers.get("content-type"), "application/json");
  await missing.body?.cancel();
  await runtime.close();
});

import assert from "node:assert/strict";
import type { ClassicMiddleware } from "../../src/context/run_middleware.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";

const MODEL = {
  definitions: {
    S: { kind: "service" },
    "S.hello": { kind: "function", returns: { type: "cds.String" } },
    "S.away": { kind: "function", returns: { type: "cds.String" } },
  },
} as const;

const classic = (handler: ClassicMiddleware): ClassicMiddleware => handler;

function start() {
  const runtime = createRuntime({
    model: MODEL,
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

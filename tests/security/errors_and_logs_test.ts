import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { createIdentity } from "../../src/test/mod.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { startCli, urlOf } from "../deno/project_processes.ts";
import { type App, captureConsole, withApp } from "./app.ts";
import { withTokens } from "./token_app.ts";

const BOOKS = "/odata/v4/shop/Books";
const ping = "POST /odata/v4/shop/ping";

/** Runs a test whose action `ping` is given. */
function withPing(
  handler: (req: ServiceRequest) => unknown,
  test: (app: App) => Promise<void>,
): Promise<void> {
  return withApp({ handlers: { Shop: (srv) => srv.on("ping", handler) } }, test);
}

Deno.test("the text of an error of the server is in the log only (errors-logs-001)", async () => {
  const thrown = [new Error("password=hunter2"), "password=hunter2", {
    message: "password=hunter2",
    status: 200,
  }];
  for (const error of thrown) {
    await withPing(() => {
      throw error;
    }, async ({ call, lines }) => {
      const { status, text, headers } = await call(ping, { headers: { "x-correlation-id": "c-1" } });
      assert.equal(status, 500);
      const { error: { code, message } } = JSON.parse(text);
      assert.deepEqual([code, message], ["500", "Internal Server Error"]);
      for (const value of [text, ...headers.values()]) assert.ok(!value.includes("hunter2"), value);
      assert.ok(lines.some((line) => line.includes("c-1")));
    });
  }
});

Deno.test("errors of the database show no SQL, table or value (errors-logs-003)", () =>
  withApp({}, async ({ call }) => {
    const secret = "s3cret-title";
    const answers = [
      await call(`POST ${BOOKS}`, { body: { ID: 1, title: secret } }),
      await call(`POST ${BOOKS}`, { body: { ID: null, title: secret } }),
      await call("POST /odata/v4/members/Notes", { as: "nils:", body: { ID: 1, text: secret } }),
    ];
    for (const { status, text } of answers) {
      assert.ok([400, 409].includes(status), text);
      assert.doesNotMatch(text, /s3cret|insert|sqlite|constraint failed|Shop_Books|Members_Notes|select/i);
    }
  }));

Deno.test("of the members of an error clients see those of OData and annotations only (errors-logs-004)", () =>
  withPing(() => {
    throw Object.assign(new Error("bad"), {
      status: 400,
      secret: "x-secret",
      sql: "x-secret",
      config: { headers: "x-secret" },
      "@public.hint": "shown",
      cause: new Error("x-secret"),
      details: [{ message: "one", sql: "x-secret", cause: new Error("x-secret") }],
    });
  }, async ({ call }) => {
    const { status, text } = await call(ping);
    assert.equal(status, 400);
    const { error } = JSON.parse(text);
    assert.equal(error["@public.hint"], "shown");
    assert.ok(!text.includes("x-secret"), text);
    const known = /^(?:code|message|target|details|innererror|@.*)$/;
    for (const name of [...Object.keys(error), ...Object.keys(error.details[0])]) assert.match(name, known);
  }));

Deno.test("a promise that a handler forgets is logged, and others are served (errors-logs-006)", async () => {
  const handlers = `import fw from "@fw/runtime";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on("hello", () => {
      void Promise.reject(new Error("forgotten promise"));
      void (async () => { await Promise.resolve(); throw "forgotten text"; })();
      return "one";
    });
    return super.init();
  }
}
`;
  await withProject({ ...SMALL, "srv/cat_service.ts": handlers }, async (folder) => {
    const server = startCli("serve", folder);
    try {
      const url = await urlOf(server);
      for (let i = 0; i < 3; i++) {
        const response = await fetch(`${url}/odata/v4/cat/hello()`);
        assert.deepEqual([response.status, (await response.json()).value], [200, "one"]);
      }
      await server.waitFor(/forgotten promise/);
      const response = await fetch(`${url}/odata/v4/cat/Books/$count`);
      assert.equal(await response.text(), "2");
      server.kill("SIGTERM");
      assert.equal((await server.ended).code, 0);
    } finally {
      await server.close();
    }
  });
});

Deno.test("credentials, cookies, certificates and claims are masked in logs (errors-logs-008)", async () => {
  const handler = (req: ServiceRequest) => {
    const log = fw.log("app");
    log.info("headers", req.headers);
    log.info("all headers", req.http!.req.headers);
    log.info({ request: { headers: { ...req.headers } } });
    log.error("failed", Object.assign(new Error("x"), { headers: req.headers }));
  };
  const headers = {
    authorization: `Basic ${btoa("nils:hunter2")}`,
    cookie: "session=hunter2",
    "x-forwarded-client-cert": "hunter2",
    "x-api-key": "hunter2",
  };
  await withPing(handler, async ({ call, lines }) => {
    assert.equal((await call(ping, { headers })).status, 204);
    assert.equal((await call("GET /odata/v4/bosses/Things", { headers })).status, 403);
    assert.ok(lines.some((line) => line.includes("headers")));
    for (const line of lines) {
      assert.ok(!line.includes("hunter2") && !line.includes(btoa("nils:hunter2")), line);
    }
  });
});

Deno.test("no token and no claim reaches the log, be it accepted or refused (errors-logs-008)", async () => {
  const lines: string[] = [];
  const restore = captureConsole(lines);
  try {
    const identity = createIdentity({ kind: "oauth2", appName: "bookshop!t1" });

    await withTokens({ identity, log: { levels: { default: "debug" } } }, async ({ status }) => {
      const claims = { email: "hunter2@x.example", family_name: "Hunter2" };
      const good = await identity.token({ user: "alice", claims });
      const late = await identity.token({ user: "alice", claims: { ...claims, exp: 1 } });
      assert.equal(await status(good), 200);
      assert.equal(await status(late), 401);
      assert.ok(lines.length > 1);
      for (const line of lines) {
        assert.doesNotMatch(line, /hunter2/i);
        for (const token of [good, late]) {
          for (const part of token.split(".")) assert.ok(!line.includes(part), line);
        }
      }
    });
  } finally {
    restore();
  }
});

Deno.test("why a token was refused stands in the log, not in the answer (errors-logs-009)", async () => {
  const lines: string[] = [];
  const restore = captureConsole(lines);
  try {
    const identity = createIdentity({ kind: "oauth2", appName: "bookshop!t1" });
    await withTokens({ identity, log: { format: "json", levels: { default: "debug" } } }, async ({ get }) => {
      const tokens = [
        await identity.token({ user: "alice", claims: { exp: 1 } }),
        await identity.token({ user: "alice", claims: { aud: ["other"], azp: "other", client_id: "other" } }),
        "a.b.c",
      ];
      for (const token of tokens) {
        const before = lines.length;
        const response = await get("members", token);
        assert.equal(response.status, 401);
        assert.deepEqual(await response.json(), { error: { code: "401", message: "Unauthorized" } });
        assert.equal(response.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
        const refusal = lines.slice(before).find((line) => line.includes("refused: "));
        assert.ok(refusal, lines.slice(before).join());
        assert.equal(JSON.parse(refusal).correlation_id, response.headers.get("x-correlation-id"));
      }
    });
  } finally {
    restore();
  }
});

Deno.test("a stream that breaks off shows nothing of the reason (errors-logs-011)", () =>
  withApp({}, async ({ runtime, lines }) => {
    const broken = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("begun ")),
        pull: (controller) => controller.error(new Error("secret reason at /srv/app/db.ts:12")),
      });
    runtime.app.get("/broken", () => new Response(broken()));
    runtime.app.get("/whole", () => new Response("whole"));
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
    const url = `http://127.0.0.1:${server.addr.port}`;
    const headers = { authorization: `Basic ${btoa("nils:")}` };
    const response = await fetch(`${url}/broken`, { headers });
    assert.equal(response.status, 200);
    let text = "";
    await assert.rejects(async () => {
      for await (const chunk of response.body!) text += new TextDecoder().decode(chunk);
    });
    assert.doesNotMatch(text, /secret|db\.ts/);
    assert.equal(await (await fetch(`${url}/whole`, { headers })).text(), "whole");
    await server.shutdown();
    assert.ok(lines.length > 0);
  }));

import assert from "node:assert/strict";
import { createRuntime, type Runtime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "./fixture.ts";

const MODEL = parseCdl(`service S {
  entity E { key ID : Integer; } actions { function ofRow() returns Integer; };
  function fn(a : Integer) returns Integer;
  function rows() returns many E;
  function filtered() returns Integer;
}
@protocol: 'rest' service R { function fn(a : Integer) returns Integer; }`);

/** Runs a test; `calls` are those of functions. */
async function withCalls(
  run: (runtime: Runtime, calls: string[]) => Promise<void>,
  server: Record<string, unknown> = {},
): Promise<void> {
  const calls: string[] = [];
  const called = (req: { event: string }) => calls.push(req.event);
  const runtime = createRuntime({
    model: MODEL,
    data: new Map([["S.E", [{ ID: 1 }]]]),
    handlers: {
      S: (srv) => {
        srv.on(["fn", "filtered"], called);
        srv.on("ofRow", "E", called);
        srv.on("rows", (req) => (called(req), [{ ID: 1 }]));
      },
      R: (srv) => void srv.on("fn", called),
    },
    env: { log: { levels: { default: "silent" } }, server },
  });
  await runtime.start();
  try {
    await run(runtime, calls);
  } finally {
    await runtime.close();
  }
}

const CALLS = [
  "/odata/v4/s/fn(a=1)",
  "/odata/v4/s/fn(a=@a)?@a=1",
  "/odata/v4/s/rows()",
  "/odata/v4/s/rows()(1)",
  "/odata/v4/s/rows()/$count",
  "/odata/v4/s/E(1)/ofRow()",
  "/odata/v4/s/E(1)/S.ofRow()",
  "/odata/v4/s/E/$each/ofRow()",
  "/odata/v4/s/E?$filter=ID eq S.filtered()",
  "/odata/v4/s/E?$orderby=ofRow()",
  "/odata/v4/s/E?$compute=ofRow() as x&$select=x",
  "/rest/r/fn(a=1)",
  "/rest/r/fn?a=1",
];

const FOREIGN: readonly Record<string, string>[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  { "sec-fetch-site": "same-site", origin: "http://other.localhost" },
];
const LOGIN = { authorization: `Basic ${btoa("alice:")}` };

Deno.test("functions are not called by pages of other sites with ambient credentials, as nothing is written by them", () =>
  withCalls(async (runtime, calls) => {
    for (const path of CALLS) {
      for (const headers of FOREIGN) {
        for (const credentials of [LOGIN, { cookie: "session=1" }]) {
          for (const method of ["GET", "HEAD"]) {
            const { status } = await send(runtime, path, { method, headers: { ...headers, ...credentials } });
            assert.ok(status === 403 || (method === "HEAD" && status === 405), `${method} ${path} ${status}`);
          }
        }
      }
    }
    assert.deepEqual(calls, []);
  }));

Deno.test("functions are called by the own site, an allowed one, no page, and without ambient credentials", () =>
  withCalls(async (runtime, calls) => {
    const allowed: readonly Record<string, string>[] = [
      { ...LOGIN },
      { ...LOGIN, origin: "http://localhost" },
      { ...LOGIN, origin: "https://ui.example", "sec-fetch-site": "cross-site" },
      { ...LOGIN, "sec-fetch-site": "same-origin" },
      { ...LOGIN, "sec-fetch-site": "none" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    ];
    for (const path of CALLS.slice(0, 4)) {
      for (const headers of allowed) {
        const { status, body } = await send(runtime, path, { headers });
        assert.equal(status, 200, `${path} ${JSON.stringify([headers, body])}`);
      }
    }
    assert.equal(calls.length, 4 * allowed.length);
  }, { cors: { origins: ["https://ui.example"] } }));

Deno.test("pages of other sites may link to what is only read", () =>
  withCalls(async (runtime) => {
    for (const path of ["/odata/v4/s/E", "/odata/v4/s/E(1)", "/odata/v4/s/$metadata", "/health"]) {
      for (const headers of FOREIGN) {
        assert.equal((await send(runtime, path, { headers: { ...headers, ...LOGIN } })).status, 200, path);
      }
    }
  }));

/*
 * Routers of Express in applications (`docs/guides/from_cap.md`): they read and write streams of Node.js.
 */

import assert from "node:assert/strict";
import "../../src/globals.ts";
import { loadProject } from "../../src/deno/mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { findClientPackages } from "../clients/packages.ts";
import { withProject } from "./project.ts";

const PROJECT: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "routed",
    dependencies: { "@sap/cds": "*", express: "*" },
    cds: {
      requires: {
        auth: "mocked",
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
        messaging: false,
      },
    },
  }),
  "files/note.txt": "a file",
  "srv/shop.cds": "@requires: 'any' service Shop { action twice(n : Integer) returns Integer; }\n",
  "srv/shop.js": "module.exports = (srv) => srv.on('twice', ({ data }) => 2 * data.n);\n",
  "server.js": `const cds = require("@sap/cds");
const express = require("express");
cds.on("bootstrap", (app) => {
  const everywhere = express.Router();
  everywhere.use((req, res, next) => { res.set("x-seen", req.path); next(); });
  everywhere.post(/twice$/, express.json(), (req, res, next) => next());
  everywhere.post("/echo", express.json({ limit: 20 }), (req, res) => res.status(201).json({ ...req.body, q: req.query }));
  everywhere.get("/stream", async (req, res) => {
    res.type("text").append("set-cookie", "a=1").append("set-cookie", "b=2");
    for (const one of ["one ", "two ", "three"]) {
      if (!res.write(one)) await new Promise((resolve) => res.once("drain", resolve));
    }
    res.end();
  });
  everywhere.get("/fails", () => { throw new Error("secret"); });
  const refusal = (status) => class extends Error { get status() { return status; } };
  everywhere.get("/refuses/:status", ({ params: { status } }, res, next) => next(new (refusal(+status))("reason")));
  everywhere.get("/hides/:status", ({ params: { status } }, res, next) =>
    next(Object.assign(new (refusal(+status))("reason"), { expose: false })));
  everywhere.get("/says/:status", ({ params: { status } }, res, next) =>
    next(Object.assign(new Error("reason"), { status: +status, code: "ODD" })));
  everywhere.get("/nothing", (req, res) => res.sendStatus(204));
  app.use(everywhere);
  const mounted = express.Router();
  mounted.get("/place", (req, res) => res.json([req.baseUrl, req.url, req.originalUrl, req.get("host")]));
  app.use("/own", mounted);
  app.get("/own/later", (req, res) => res.json("later"));
  app.use("/files", express.static(__dirname + "/files"));
});
module.exports = cds.server;
`,
};

const packages = await findClientPackages();
const ALICE = { authorization: `Basic ${btoa("alice:")}` };

Deno.test({
  name: "routers of Express answer, or leave requests to what comes behind them",
  ignore: !packages.areThere,
  sanitizeOps: false, // express loads its parsers while requests run
  sanitizeResources: false,
  fn: () =>
    withProject(PROJECT, async (folder) => {
      await Deno.symlink(`${packages.folder}/node_modules`, `${folder}/node_modules`);
      const env = { log: { levels: { default: "silent" } } };
      const { runtime } = await loadProject(folder, { variables: {}, env });
      await runtime.start();
      try {
        await checkAnswers(runtime);
        await checkMounted(runtime);
      } finally {
        await runtime.close();
      }
    }),
});

function sender({ fetch }: Runtime) {
  return (path: string, init: RequestInit = {}) => fetch(new Request(`http://shop.test${path}`, init));
}

const post = (body: string) => ({
  method: "POST",
  body,
  headers: { ...ALICE, "content-type": "application/json" },
});

/** Errors of middleware, which have a status or are of a class that has one: 5xx keep their texts to themselves. */
const REFUSALS: readonly (readonly [path: string, status: number, error: object])[] = [
  ["/refuses/410", 410, { code: "410", message: "reason" }],
  ["/refuses/503", 503, { code: "503", message: "Service Unavailable" }],
  ["/hides/410", 410, { code: "410", message: "Gone" }],
  ["/says/410", 410, { code: "ODD", message: "reason" }],
  ["/says/503", 503, { code: "503", message: "Service Unavailable" }],
];

async function checkAnswers(runtime: Runtime): Promise<void> {
  const send = sender(runtime);
  const echoed = await send("/echo?x=1", post('{"a":1}'));
  assert.deepEqual([echoed.status, await echoed.json()], [201, { a: 1, q: { x: "1" } }]);
  assert.equal(echoed.headers.get("x-seen"), "/echo");
  const streamed = await send("/stream");
  assert.deepEqual([await streamed.text(), streamed.headers.getSetCookie()], ["one two three", [
    "a=1",
    "b=2",
  ]]);
  assert.equal((await send("/nothing")).status, 204);
  const failed = await send("/fails");
  assert.equal(failed.status, 500);
  assert.ok(!(await failed.text()).includes("secret"));
  for (const [path, status, error] of REFUSALS) {
    const refused = await send(path);
    assert.deepEqual([path, refused.status, (await refused.json()).error], [path, status, error]);
  }
  const tooLong = await send("/echo", post(JSON.stringify({ a: "x".repeat(30) })));
  assert.equal(tooLong.status, 413, await tooLong.text());
  // the router has read the body of this one, which the service reads again
  const called = await send("/odata/v4/shop/twice", post('{"n":21}'));
  assert.equal((await called.json()).value, 42);
  assert.equal(called.headers.get("x-seen"), "/odata/v4/shop/twice");
}

async function checkMounted(runtime: Runtime): Promise<void> {
  const send = sender(runtime);
  assert.equal((await send("/own/place")).status, 401, "below a path they are own routes");
  const place = await send("/own/place?x=1", { headers: ALICE });
  assert.deepEqual(await place.json(), ["/own", "/place?x=1", "/own/place?x=1", "shop.test"]);
  assert.equal(
    await (await send("/own/later", { headers: ALICE })).json(),
    "later",
    "what routers do not answer",
  );
  assert.equal(await (await send("/files/note.txt", { headers: ALICE })).text(), "a file");
  assert.equal((await send("/files/none.txt", { headers: ALICE })).status, 404);
  assert.equal((await send("/files/../package.json", { headers: ALICE })).status, 404);
}

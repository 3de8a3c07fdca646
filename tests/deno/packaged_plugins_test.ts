/**
 * Plugins from npm that are written for existing projects (`docs/guides/from_cap.md`): what they add to an application.
 *
 * @module
 */

import assert from "node:assert/strict";
import "../../src/globals.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { findClientPackages } from "../clients/packages.ts";
import { type Answer, sendTo } from "../send_to.ts";
import { withProject } from "./project.ts";

const PROJECT: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "incidents",
    dependencies: {
      "@cap-js-community/feature-toggle-library": "*",
      "@cap-js/asyncapi": "*",
      "@cap-js/attachments": "*",
      "@cap-js/openapi": "*",
      "@cap-js/telemetry": "*",
    },
    cds: {
      requires: { attachments: { scan: false }, telemetry: { metrics: { exporter: null } } },
      featureToggles: { uniqueName: "incidents", config: { "/most": { type: "number", fallbackValue: 7 } } },
    },
  }),
  "db/schema.cds": `using { Attachments } from '@cap-js/attachments';
entity my.Incidents { key ID : Integer; title : String(40); files : Composition of many Attachments; }
`,
  "srv/processor.cds": `using { my } from '../db/schema';
@requires: 'any' @AsyncAPI.SchemaVersion: '1.0.0' @AsyncAPI.Title: 'Incidents'
service Processor {
  entity Incidents as projection on my.Incidents;
  event Closed { ID : Integer; }
  function described(by : String) returns String;
}
`,
  "srv/processor.js": `const cds = require("@sap/cds");
const tools = {
  openapi: () => require("@cap-js/openapi").compile(cds.model, { service: "Processor" }),
  asyncapi: () => require("@cap-js/asyncapi").compile(cds.model, { service: "Processor" }),
  toggles: () => require("@cap-js-community/feature-toggle-library").getFeatureValue("/most"),
};
module.exports = (srv) => srv.on("described", ({ data }) => JSON.stringify(tools[data.by]()));
`,
};

const packages = await findClientPackages();

Deno.test({
  name: "plugins from npm: attachments, telemetry, OpenAPI and AsyncAPI, feature toggles",
  ignore: !packages.areThere,
  // the exporter of telemetry and the store of toggles end with the process
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withProject(PROJECT, async (folder) => {
      await Deno.symlink(`${packages.folder}/node_modules`, `${folder}/node_modules`);
      const { log, info, warn, error } = console;
      const said: string[] = [];
      const say = (...words: readonly unknown[]) => void said.push(words.join(" "));
      Object.assign(console, { log: say, info: say, warn: say, error: say });
      try {
        const { runtime } = await loadProject(folder, { variables: {} });
        try {
          await runtime.start();
          const send = (method: string, path: string, body?: unknown, headers = {}) =>
            sendTo(runtime, { method, path: `/odata/v4/processor/${path}`, body, headers, user: "alice" });
          await checkAttachments(send);
          await checkDescriptions(send);
        } finally {
          await runtime.close();
        }
      } finally {
        Object.assign(console, { log, info, warn, error });
      }
      assert.match(said.join("\n"), /elapsed times:[\s\S]*POST \/odata\/v4\/processor/);
      assert.deepEqual(said.filter((line) => /ERROR|cannot be loaded|fails in/.test(line)), []);
    }),
});

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

async function checkAttachments(send: Send): Promise<void> {
  assert.equal((await send("POST", "Incidents", { ID: 1, title: "Leak" })).status, 201);
  const added = await send("POST", "Incidents(1)/files", { filename: "note.txt" });
  assert.equal(added.status, 201, added.text);
  assert.equal(added.body.mimeType, "text/plain");
  const file = `Incidents(1)/files(up__ID=1,ID=${added.body.ID})`;
  const written = await send("PUT", `${file}/content`, "hello", { "content-type": "text/plain" });
  assert.equal(written.status, 204, written.text);
  assert.match(String((await send("GET", file)).body.hash), /^[0-9a-f]{64}$/);
  assert.equal((await send("GET", `${file}/content`)).text, "hello");
  const again = await send("PUT", `${file}/content`, "other", { "content-type": "text/plain" });
  assert.equal(again.status, 409, again.text);
  assert.match(again.text, /note\.txt/);
}

async function checkDescriptions(send: Send): Promise<void> {
  const by = async (tool: string) => {
    const { status, text, body } = await send("GET", `described(by='${tool}')`);
    assert.equal(status, 200, text);
    return JSON.parse(String(body.value));
  };
  assert.ok(Object.keys((await by("openapi")).paths).includes("/Incidents"));
  assert.ok(JSON.stringify((await by("asyncapi")).channels).includes("Closed"));
  assert.equal(await by("toggles"), 7);
}

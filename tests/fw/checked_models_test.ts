import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw.ts";
import { VERSION } from "../../src/fw/version.ts";
import type { Csn } from "../../src/model/csn.ts";

/** A model with a restriction that cannot be understood. */
const WRONG: Csn = {
  definitions: {
    Shop: { kind: "service" },
    "Shop.Books": {
      kind: "entity",
      "@restrict": [{ grant: "REED" }],
      elements: { ID: { key: true, type: "cds.Integer" }, at: { type: "Place" } },
    },
    Place: { kind: "type", elements: { x: { type: "cds.Integer" } } },
  },
};

function start(checked: string | undefined, env: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const silent = { log: { levels: { default: "silent" } }, ...env };
  return createRuntime({ model: WRONG, checked, env: silent }).start();
}

Deno.test("a start checks the rules of a model, unless this version did so when it was built", async () => {
  await assert.rejects(start(undefined), /REED/);
  await assert.rejects(start("0.0.1"), /REED/);
  await start(VERSION);
});

Deno.test("a model that the configuration changes is checked again", async () => {
  await assert.rejects(start(VERSION, { odata: { structs: true } }), /REED/);
});

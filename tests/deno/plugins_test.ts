/**
 * Plugins of existing projects (`docs/guides/from_cap.md`).
 *
 * @module
 */

import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";

const { "srv/cat_service.ts": _handlers, ...MODEL } = SMALL;

/** A project with a plugin, whose module is given. */
function withPlugin(text: string, cds: object = {}): Record<string, string> {
  return {
    ...MODEL,
    "package.json": JSON.stringify({ name: "app", dependencies: { "@x/plug": "*", "plain": "*" }, cds }),
    "node_modules/@x/plug/package.json": JSON.stringify({ name: "@x/plug", cds: { plug: { color: "red" } } }),
    "node_modules/@x/plug/cds-plugin.js": text,
    "node_modules/plain/package.json": JSON.stringify({ name: "plain" }),
  };
}

interface Started {
  readonly get: (path: string) => Promise<Response>;
  readonly said: string;
}

async function started(
  files: Record<string, string>,
  test: (started: Started) => Promise<void> = () => Promise.resolve(),
  env: Record<string, unknown> = {},
): Promise<void> {
  const { warn } = console;
  const said: string[] = [];
  console.warn = (line: string) => void said.push(line);
  try {
    await withProject(files, async (folder) => {
      const { runtime } = await loadProject(folder, { variables: {}, env });
      try {
        await runtime.start();
        const headers = { authorization: `Basic ${btoa("alice:")}` };
        const get = (path: string) => runtime.fetch(new Request(`http://localhost${path}`, { headers }));
        await test({ get, said: said.join("\n") });
      } finally {
        await runtime.close();
      }
    });
  } finally {
    console.warn = warn;
  }
}

const PLUGIN = `const cds = require("@sap/cds");
cds.env.plug.size = cds.env.plug.color.length;
cds.env.plug.root = cds.root;
cds.on("loaded", (csn) => {
  cds.linked(csn).forall("entity", (one) => one.set("seen", true));
  csn.definitions["CatService.Books"].elements.added = { virtual: true, type: "cds.String" };
});
cds.once("served", ({ CatService }) => {
  CatService.after("READ", "Books", (books, req) => {
    for (const book of books) book.added = req.target._service.name + " " + req.tx.isAppService;
  });
});
module.exports = { activate: async (env) => { env.plug.active = true; } };
`;

Deno.test("a dependency with cds-plugin.js is loaded: it changes configuration and model, and adds handlers", () =>
  started(withPlugin(PLUGIN), async ({ get, said }) => {
    const { value } = await (await get("/odata/v4/cat/Books?$top=1")).json();
    assert.deepEqual(value, [{ ID: 1, title: "Emma", added: "CatService true" }]);
    const { root, ...plug } = fw.env.plug as Record<string, unknown>;
    assert.deepEqual(plug, { color: "red", size: 3, active: true });
    assert.equal(root, fw.runtime.root);
    assert.deepEqual(Object.keys(fw.plugins).filter((name) => name.endsWith("plug") || name === "plain"), [
      "@x/plug",
    ]);
    assert.equal(said, "");
  }));

const DECLARING = `const cds = require("@sap/cds");
cds.on("loaded", (csn) => {
  const on = [{ ref: ["same", "ID"] }, "=", { ref: ["ID"] }];
  const target = "CatService.Books";
  const same = new cds.builtin.classes.Association({ target, cardinality: { max: "*" }, on });
  (csn.definitions[target].projection.columns ??= ["*"]).push({ as: "same", cast: same });
});`;

Deno.test("an association that a plugin adds to the columns of a projection is there (api 9)", () =>
  started(withPlugin(DECLARING), async ({ get, said }) => {
    const { value } = await (await get("/odata/v4/cat/Books?$top=1&$expand=same($select=title)")).json();
    assert.deepEqual(value, [{ ID: 1, title: "Emma", same: [{ ID: 1, title: "Emma" }] }]);
    assert.equal(said, "");
  }));

Deno.test("a plugin that fails is said with its reason outside production, which it stops", async () => {
  const failing: readonly (readonly [string, RegExp])[] = [
    [
      `require("@sap/cds/libx/inside");`,
      /@x\/plug cannot be loaded: Nothing stands in for "@sap\/cds\/libx\/inside"/,
    ],
    [`require("nowhere");`, /@x\/plug cannot be loaded: Cannot find module 'nowhere'/],
    [`require("@sap/cds").on("loaded", (csn) => csn.nothing.at);`, /@x\/plug fails in "loaded": Cannot read/],
    [
      `require("@sap/cds").on("served", async () => { throw new Error("no"); });`,
      /@x\/plug fails in "served": no;/,
    ],
  ];
  for (const [text, reason] of failing) {
    let lines = "";
    await started(withPlugin(text), async ({ get, said }) => {
      lines = said;
      assert.equal((await get("/odata/v4/cat/Books")).status, 200);
    });
    assert.match(lines, reason);
    if (text.includes("served")) continue; // nobody to log in would stop production before
    await withProject(withPlugin(text), async (folder) => {
      await assert.rejects(() => loadProject(folder, { variables: { NODE_ENV: "production" } }), reason);
    });
  }
});

Deno.test("a plugin that failed has no effect: its other listeners, which may wait for the first, are not called", () => {
  const text = `const cds = require("@sap/cds");
let bootstrapped;
const waiting = new Promise((resolve) => bootstrapped = resolve);
cds.on("bootstrap", async () => { await import("absent-package"); bootstrapped(); });
cds.on("served", () => waiting);`;
  return started(withPlugin(text), async ({ get, said }) => {
    assert.equal((await get("/odata/v4/cat/Books")).status, 200);
    assert.match(
      said,
      /@x\/plug fails in "bootstrap": (?:Error: )?The package "absent-package" is not installed/,
    );
  });
});

Deno.test("what a plugin did to the model before it failed is not there, whatever others did", () => {
  const first =
    `require("@sap/cds").on("loaded", (csn) => { csn.definitions["shop.Books"]["@seen"] = true; });`;
  const failing = `require("@sap/cds").on("loaded", (csn) => {
    delete csn.definitions["CatService.Books"].elements.title;
    throw new Error("half done");
  });`;
  const files = { ...withPlugin(first), "node_modules/plain/cds-plugin.js": failing };
  return started(files, async ({ get, said }) => {
    assert.match(said, /plain fails in "loaded": half done/);
    const response = await get("/odata/v4/cat/Books?$select=title");
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(text, /Persuasion/);
  });
});

Deno.test("plugins in CommonJS import packages that are ES modules", () => {
  const files = withPlugin(`const cds = require("@sap/cds");
cds.on("bootstrap", async () => { cds.env.plug.size = (await import("@x/modern")).size; });`);
  return started({
    ...files,
    "node_modules/@x/modern/package.json": '{ "name": "@x/modern", "type": "module", "main": "index.js" }',
    "node_modules/@x/modern/index.js": "export const size = 7;",
  }, ({ said }) => {
    assert.equal(said, "");
    assert.equal((fw.env.plug as { size?: number }).size, 7);
    return Promise.resolve();
  });
});

Deno.test("plugins are switched off by name, or all of them", async () => {
  for (const plugins of [false, { "@x/plug": false }]) {
    await started(withPlugin(`throw new Error("loaded");`, { plugins }), ({ said }) => {
      assert.equal(said, "");
      return Promise.resolve();
    });
  }
});

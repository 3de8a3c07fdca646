/** The `server.ts` of a project: where it lies, and what becomes of what it exports. */

import assert from "node:assert/strict";
import { bootServer, loadServer, serverFile } from "../../src/deno/boot_server.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { withProject } from "./project.ts";

Deno.test("a server file lies at the root or with the services, in TypeScript before JavaScript", async () => {
  const places = ["server.ts", "server.js", "srv/server.ts", "srv/server.js"];
  for (const first of places.keys()) {
    const files = Object.fromEntries(places.slice(first).map((place) => [place, ""]));
    await withProject(files, (folder) => assert.equal(serverFile(folder), `${folder}/${places[first]}`));
  }
  await withProject({ "server.mjs": "", "lib/server.ts": "", "server.ts/x": "" }, (folder) => {
    assert.equal(serverFile(folder), undefined);
  });
});

Deno.test("a function is called instead of a start, and awaited; other exports are left alone", async () => {
  const seen: unknown[] = [];
  const runtime = { app: { name: "app" } } as unknown as Runtime;
  const boot = async (files: Readonly<Record<string, string>>) => {
    seen.length = 0;
    await withProject(files, async (folder) => {
      await bootServer(folder, runtime);
      for (const one of seen) {
        if (typeof one === "object") assert.equal((one as { root: string }).root, folder);
      }
    });
    return seen.map((one) => typeof one === "object" ? { ...one, root: "…" } : one);
  };
  Object.assign(globalThis, { seenByServer: seen });
  const waits = "await new Promise((resolve) => setTimeout(resolve, 2)); seenByServer.push(options);";
  const options = { root: "…", runtime, app: runtime.app, service: "all", from: "*" };
  try {
    assert.deepEqual(await boot({ "x": "" }), []);
    assert.deepEqual(await boot({ "server.js": `export default async (options) => { ${waits} };` }), [
      options,
    ]);
    assert.deepEqual(await boot({ "server.js": `module.exports = async (options) => { ${waits} };` }), [
      options,
    ]);
    assert.deepEqual(
      await boot({ "server.js": "exports.a = () => seenByServer.push(1); seenByServer.push(2);" }),
      [2],
    );
    assert.deepEqual(await boot({ "server.js": "export default 3; seenByServer.push(4);" }), [4]);
  } finally {
    Reflect.deleteProperty(globalThis, "seenByServer");
  }
});

Deno.test("a server file that cannot be loaded is told with its place", () =>
  withProject({ "server.ts": "\nthrow new Error('no');", "a.ts": "export default 7;" }, async (folder) => {
    await assert.rejects(bootServer(folder, {} as Runtime), {
      name: "ConfigurationError",
      message: /\/server\.ts:2:\d+: The server file cannot be loaded: no$/,
    });
    assert.equal(await loadServer(`${folder}/a.ts`), 7);
  }));

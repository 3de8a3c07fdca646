import assert from "node:assert/strict";
import { loadModules } from "../../src/deno/load_modules.ts";
import { SMALL, withProject } from "./project.ts";

const LOADED = "(globalThis as any).seenByModules";

Deno.test("the modules of a project are loaded, each once, and what they export is not called", () =>
  withProject({
    ...SMALL,
    "srv/more.cds": "service More { action a(); } service Most { action a(); }",
    "srv/more.ts": `${LOADED}.push("more"); const not = () => { throw new Error("called"); };
      export const More = not; export const Most = not;`,
    "server.ts": `${LOADED}.push("server"); export default () => { throw new Error("called"); };`,
    "db/init.ts": `${LOADED}.push("init"); export default () => { throw new Error("called"); };`,
  }, async (folder) => {
    const seen: string[] = [];
    Object.assign(globalThis, { seenByModules: seen });
    try {
      const files = (await loadModules(folder)).map((file) => file.slice(folder.length + 1));
      assert.deepEqual(files, ["srv/cat_service.ts", "srv/more.ts", "server.ts", "db/init.ts"]);
      assert.deepEqual(seen.sort(), ["init", "more", "server"]);
    } finally {
      Reflect.deleteProperty(globalThis, "seenByModules");
    }
  }));

Deno.test("a module that cannot be loaded is told with its place, whatever it is for", async () => {
  const broken = "\nthrow new Error('no');";
  const table: Readonly<Record<string, RegExp>> = {
    "srv/cat_service.ts": /cat_service\.ts:2:\d+: The implementation cannot be loaded: no$/,
    "server.ts": /server\.ts:2:\d+: The server file cannot be loaded: no$/,
    "db/init.ts": /init\.ts:2:\d+: The module cannot be loaded: no$/,
  };
  for (const [file, message] of Object.entries(table)) {
    await withProject({ ...SMALL, [file]: broken }, async (folder) => {
      await assert.rejects(loadModules(folder), { name: "ConfigurationError", message });
    });
  }
  await withProject(SMALL, async (folder) => {
    assert.deepEqual(
      (await loadModules(folder)).length,
      1,
      "there is neither a server file nor one that adds rows",
    );
  });
});

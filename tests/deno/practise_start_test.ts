import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { practiseStart } from "../../src/deno/practise_start.ts";
import { SMALL, withProject } from "./project.ts";

const PRACTISED = {
  ...SMALL,
  "srv/cat_service.ts": `throw new Error("loaded");\n`,
  "srv/server.ts": `throw new Error("booted");\n`,
  ".fwrc.json": JSON.stringify({
    requires: {
      db: { kind: "sqlite", credentials: { url: "db.sqlite" } },
      messaging: { kind: "file-based-messaging", file: "messages" },
    },
  }),
};

Deno.test("a start for practice loads no module of the project, opens no file and prints nothing", () =>
  withProject(PRACTISED, async (folder) => {
    const printed: unknown[] = [];
    const { log, warn, error } = console;
    console.log = console.warn = console.error = (...values: unknown[]) => void printed.push(values);
    try {
      await practiseStart(folder, () => false);
    } finally {
      Object.assign(console, { log, warn, error });
    }
    assert.deepEqual(printed, []);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(names, [".fwrc.json", "db", "srv"]);
  }));

Deno.test("a start for practice is not the one that the application finds", () =>
  withProject(SMALL, async (folder) => {
    const env = { log: { levels: { default: "silent" } }, server: { port: 4321 } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    await practiseStart(folder, () => false);
    assert.equal((fw.env.server as { port?: number }).port, 4321);
    await runtime.close();
  }));

Deno.test("a start for practice ends between two steps when it is urgent, and where the project cannot start", async () => {
  await withProject(SMALL, async (folder) => {
    let asked = 0;
    await practiseStart(folder, () => ++asked > 0);
    assert.equal(asked, 1);
  });
  await withProject({ "srv/cat.cds": "entity" }, (folder) => practiseStart(folder, () => false));
  await practiseStart("/nowhere", () => false);
});

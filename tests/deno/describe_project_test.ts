import assert from "node:assert/strict";
import { describeProject } from "../../src/deno/describe_project.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

/** In production there is no database by itself. */
const SETTINGS = JSON.stringify({
  requires: { auth: { kind: "mocked" } },
  log: { levels: { default: "error" } },
});

Deno.test("a project without database says so at its start, and where a request would need one", () =>
  withProject({ ...SMALL, ".fwrc.json": SETTINGS }, async (folder) => {
    const project = await loadProject(folder, { variables: { FW_ENV: "production" } });
    const { runtime } = project;
    await runtime.start();
    const said = describeProject(project).find((line) => line.startsWith("database"));
    assert.match(said ?? "", /^database: none: "fw.requires.db"/);
    const reading = runtime.services.CatService!.read("Books").then();
    await assert.rejects(reading, { status: 501, message: /"fw.requires.db" names no database/ });
    await runtime.close();
  }));

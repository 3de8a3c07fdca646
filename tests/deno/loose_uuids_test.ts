import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const {
  "srv/cat_service.ts": _handlers,
  "srv/cat_service.cds": _model,
  "db/schema.cds": _schema,
  ...OTHERS
} = SMALL;
const MODEL = "service S { entity Tasks { key ID : UUID; title : String; part : Association to Tasks; } }";
const OPTIONS = { variables: {}, env: { log: { levels: { default: "silent" } } } };

/** The statuses of bodies in a project with this configuration. */
async function statusesOf(cds: unknown): Promise<readonly number[]> {
  const statuses: number[] = [];
  const described = JSON.stringify({ name: "app", ...(cds === undefined ? {} : { cds }) });
  const files = Object.fromEntries(Object.entries(OTHERS).filter(([name]) => !name.endsWith(".csv")));
  await withProject({ ...files, "package.json": described, "srv/s.cds": MODEL }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    const send = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Basic ${btoa("alice:")}`, "content-type": "application/json" };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await runtime.fetch(new Request(`http://localhost/odata/v4/s/${path}`, init));
      await response.body?.cancel();
      statuses.push(response.status);
    };
    await send("POST", "Tasks", { ID: "t1", title: "a" });
    await send("POST", "Tasks", { ID: "t1111111-1111-1111-1111-111111111111", part_ID: "t1" });
    await send("POST", "Tasks", { ID: "x".repeat(37) });
    await send("POST", "Tasks", { ID: "" });
    await send("POST", "Tasks", { ID: 7 });
    await runtime.close();
  });
  return statuses;
}

Deno.test("UUIDs in bodies are any texts in existing projects, unless features.strict_uuid says otherwise", async () => {
  assert.deepEqual(await statusesOf({}), [201, 201, 400, 400, 400]);
  assert.deepEqual(await statusesOf({ features: { strict_uuid: true } }), [400, 400, 400, 400, 400]);
  assert.deepEqual(await statusesOf(undefined), [400, 400, 400, 400, 400]);
});

import assert from "node:assert/strict";
import { writeSoftwareBill } from "../../src/deno/software_bill.ts";
import { withProject } from "./project.ts";

Deno.test("a bill names the group of a package that has a scope, and none of others", async () => {
  const lock = { version: "5", jsr: { "@std/http@1.0.0": {} }, npm: { "vite@5.0.0_sass@1.0.0": {} } };
  const files = { "package.json": '{ "name": "shop" }', "deno.lock": JSON.stringify(lock) };
  await withProject(files, async (folder) => {
    const { components } = JSON.parse(await Deno.readTextFile(await writeSoftwareBill(folder)));
    const [http, vite] = ["pkg:jsr/%40std/http@1.0.0", "pkg:npm/vite@5.0.0"];
    assert.deepEqual(components, [
      { type: "library", "bom-ref": http, group: "@std", name: "http", version: "1.0.0", purl: http },
      { type: "library", "bom-ref": vite, name: "vite", version: "5.0.0", purl: vite },
    ]);
  });
});

/** Files of a new project. */

import assert from "node:assert/strict";
import { cloneFrom, existingFolder, frameFiles } from "../../src/cli/project_files.ts";
import { VERSION } from "../../src/fw/version.ts";
import { REPOSITORY, withProject } from "../deno/project.ts";

Deno.test("a new project imports this package as it is published, and links the clone that made it", () => {
  const files = frameFiles(`${REPOSITORY}shop`, "shop");
  const { imports, links, fw, tasks } = JSON.parse(files["deno.json"]);
  assert.deepEqual(imports, {
    "@fw/runtime": `jsr:@fw/runtime@^${VERSION}`,
    "@fw/runtime/": `jsr:/@fw/runtime@^${VERSION}/`,
  });
  assert.deepEqual(links, [cloneFrom(`${REPOSITORY}shop`)]);
  assert.equal(new URL(links[0]!, `file://${REPOSITORY}shop/`).pathname.replace(/\/?$/, "/"), REPOSITORY);
  assert.deepEqual(fw, { name: "shop", version: "0.1.0", types: "srv/model.ts" });
  assert.match(tasks.start, /^deno run -A --v8-flags=\S+ @fw\/runtime\/cli serve$/);
  assert.match(files["README.md"], /^# shop\n/);
  assert.match(files[".gitignore"], /^gen\/$/m);
});

Deno.test("a folder that must be there is given by its absolute path, or is a mistake", () =>
  withProject({ file: "" }, async (folder) => {
    assert.equal(await existingFolder(`${folder}/`), folder);
    await assert.rejects(existingFolder(`${folder}/file`), {
      text: "Expected a folder",
      file: `${folder}/file`,
    });
    await assert.rejects(existingFolder(`${folder}/none`), { text: "There is no such folder" });
  }));

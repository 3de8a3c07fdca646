import assert from "node:assert/strict";
import { packageFolder, projectRoot } from "../../src/deno/project_root.ts";
import { withProject } from "./project.ts";

Deno.test("the root of a project has one path, from wherever it is named", () => {
  const table = {
    "/srv/shop": "/srv/shop",
    "/srv/shop/": "/srv/shop",
    "/srv/./other/../shop": "/srv/shop",
    "shop": `${Deno.cwd()}/shop`,
    "./shop/": `${Deno.cwd()}/shop`,
    ".": Deno.cwd(),
  };
  for (const [given, root] of Object.entries(table)) assert.equal(projectRoot(given), root, given);
});

Deno.test("a package is found in node_modules of a folder, or of the nearest one around it", () =>
  withProject({
    "node_modules/near/index.js": "",
    "node_modules/@acme/far/index.js": "",
    "node_modules/file": "no folder",
    "apps/shop/node_modules/near/index.js": "",
  }, (root) => {
    const found = (folder: string, name: string) =>
      packageFolder(`${root}${folder}`, name)?.slice(root.length);
    assert.equal(found("/apps/shop", "near"), "/apps/shop/node_modules/near");
    assert.equal(found("/apps", "near"), "/node_modules/near");
    assert.equal(found("", "near"), "/node_modules/near");
    assert.equal(found("/apps/shop", "@acme/far"), "/node_modules/@acme/far");
    assert.equal(found("/apps/shop", "file"), undefined);
    assert.equal(found("/apps/shop", "none"), undefined);
  }));

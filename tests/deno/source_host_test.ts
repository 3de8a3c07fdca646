import assert from "node:assert/strict";
import { sourceHost } from "../../src/deno/source_host.ts";
import { withProject } from "./project.ts";

Deno.test("the compiler reads files, the names of folders, and paths without links; what is not there is undefined or empty", () =>
  withProject({ "in/a.cds": "a", "in/b.cds": "b" }, async (folder) => {
    await Deno.symlink(`${folder}/in`, `${folder}/link`);
    const { readFile, realPath, namesIn, folder: start } = sourceHost();
    assert.equal(start, Deno.cwd());
    assert.deepEqual([readFile(`${folder}/in/a.cds`), readFile(`${folder}/none`)], ["a", undefined]);
    assert.equal(realPath!(`${folder}/link/a.cds`), realPath!(`${folder}/in/a.cds`));
    assert.match(realPath!(`${folder}/link/a.cds`)!, /\/in\/a\.cds$/);
    assert.equal(realPath!(`${folder}/none`), undefined);
    assert.deepEqual([...namesIn!(`${folder}/in`)].sort(), ["a.cds", "b.cds"]);
    assert.deepEqual(namesIn!(`${folder}/none`), []);
    assert.ok(namesIn!("").includes("deno.json"), "without name it is the working directory");
    assert.equal(sourceHost((path) => `own ${path}`).readFile("x"), "own x");
  }));

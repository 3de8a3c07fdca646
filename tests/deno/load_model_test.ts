/** Models from files: those that are compiled already are read without the compiler. */

import assert from "node:assert/strict";
import {
  type Compiler,
  holdCompiler,
  loadCompiler,
  loadModel,
  modelReader,
  readModelWith,
} from "../../src/deno/load_model.ts";
import { withProject } from "./project.ts";

const FILES = {
  "a.cds": "entity A {}",
  "csn.json": '{"definitions": {"Compiled": {"kind": "entity", "elements": {}}}}',
  "wrong.json": '{"definitions": {\n"A": 1}}',
  "broken.json": '{\n"definitions"',
};

Deno.test("one JSON file is a compiled model; anything else is compiled", () =>
  withProject(FILES, (folder) => {
    const [a, csn] = [`${folder}/a.cds`, `${folder}/csn.json`];
    const asked: unknown[] = [];
    const read = readModelWith({
      compileFiles: (files, options) => {
        asked.push(files, options);
        return { definitions: {} };
      },
    });
    assert.deepEqual(Object.keys(read([csn]).definitions!), ["Compiled"]);
    assert.deepEqual(asked, []);
    const options = {};
    read([a], options);
    read([csn, a]);
    read([]);
    assert.deepEqual(asked, [[a], options, [csn, a], undefined, [], undefined]);
  }));

Deno.test("a reader keeps models where it knows the project, and none where it does not", () =>
  withProject({ ...FILES, "cache/x": "" }, async (folder) => {
    const before = Deno.env.get("XDG_CACHE_HOME");
    Deno.env.set("XDG_CACHE_HOME", `${folder}/cache`);
    const kept = () => [...Deno.readDirSync(`${folder}/cache`)].length - 1;
    const files = [`${folder}/a.cds`];
    try {
      (await modelReader([files]))(files);
      assert.equal(kept(), 0);
      (await modelReader([files], folder))(files);
      assert.equal(kept(), 1);
    } finally {
      if (before === undefined) Deno.env.delete("XDG_CACHE_HOME");
      else Deno.env.set("XDG_CACHE_HOME", before);
    }
  }));

Deno.test("a reader of compiled models needs no compiler", () =>
  withProject(FILES, async (folder) => {
    const [a, csn] = [[`${folder}/a.cds`], [`${folder}/csn.json`]];
    const compiled = await modelReader([csn, csn]);
    assert.deepEqual(Object.keys(compiled(csn).definitions!), ["Compiled"]);
    assert.throws(() => compiled(a), "it reads JSON");
    const both = await modelReader([csn, a]);
    assert.deepEqual([...Object.keys(both(csn).definitions!), ...Object.keys(both(a).definitions!)], [
      ...["Compiled", "A"],
    ]);
    assert.deepEqual(Object.keys((await loadModel(a)).definitions!), ["A"]);
    assert.deepEqual(Object.keys((await loadModel(csn)).definitions!), ["Compiled"]);
  }));

Deno.test("a compiled model that is none is told with its place", () =>
  withProject(FILES, async (folder) => {
    for (const [name, line] of [["wrong.json", 2], ["broken.json", 2]] as const) {
      await assert.rejects(loadModel([`${folder}/${name}`]), {
        name: "ConfigurationError",
        file: `${folder}/${name}`,
        line,
      });
    }
  }));

Deno.test("the compiler that somebody imported is the one that all have from then on, at once", async () => {
  const before = await loadCompiler();
  assert.equal(loadCompiler(), before);
  const other = { ...before } as Compiler;
  assert.equal(holdCompiler(other), other);
  assert.equal(loadCompiler(), other);
  assert.equal(holdCompiler(before), before);
});

/** The compiler with access to files, and the models that it is loaded for. */

import assert from "node:assert/strict";
import { compileFiles, compileText, compileTexts } from "../../src/deno/compiler.ts";
import { withProject } from "./project.ts";

const names = (csn: { readonly definitions?: object }) => Object.keys(csn.definitions ?? {}).sort();

Deno.test("texts find each other by their names, and files from the working directory", async () => {
  assert.deepEqual(names(compileText("entity A { key ID : Integer; }")), ["A"]);
  const texts = { "a.cds": "using from './b'; entity A {}", "b.cds": "entity B {}" };
  assert.deepEqual(names(compileTexts(texts)), ["A", "B"]);
  await withProject({ "c.cds": "entity C {}" }, (folder) => {
    assert.deepEqual(names(compileText(`using from '${folder}/c'; entity A {}`)), ["A", "C"]);
    assert.deepEqual(names(compileTexts({ "a.cds": `using from '${folder}/c';` })), ["C"]);
    assert.deepEqual(names(compileFiles([`${folder}/c.cds`])), ["C"]);
  });
});

Deno.test("texts of packages are compiled where others use them", () => {
  const texts = { "@acme/b.cds": "entity B {}", "a.cds": "entity A {}" };
  assert.deepEqual(names(compileTexts(texts)), ["A"]);
});

Deno.test("mistakes in texts have the place of the text", () => {
  assert.throws(() => compileText("entity A {\n  key : Integer\n"), {
    name: "ConfigurationError",
    file: "model.cds",
  });
  assert.throws(() => compileTexts({ "x.cds": "\nentity" }), { name: "ConfigurationError", file: "x.cds" });
});

Deno.test("a module that is not there is told with the nearest name of its folder", () =>
  withProject({ "a.cds": "using from './schemas';", "schema.cds": "" }, (folder) => {
    assert.throws(() => compileFiles([`${folder}/a.cds`]), { name: "ConfigurationError", message: /schema/ });
    assert.throws(() => compileText("using from './src/nowhere/x';"), { name: "ConfigurationError" });
  }));

/** `fw.compile`: what is given, what is loaded, and in which flavor it is answered (api 1). */

import assert from "node:assert/strict";
import { compile } from "../../src/fw/facade_compile.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { withShop } from "./shop.ts";

const SOURCE = "entity A { key ID : Integer; } entity V as projection on A; type Unused : String;";
const MODEL = parseCdl(SOURCE);

Deno.test("fw.compile() infers elements, unless the model is wanted as it is written, and keeps what it was given", () =>
  withShop({}, () => {
    const elements = (csn: Csn) => Object.keys(csn.definitions!.V!.elements ?? {});
    assert.deepEqual(elements(compile(MODEL)), ["ID"]);
    assert.deepEqual(elements(compile(MODEL, { flavor: "inferred" })), ["ID"]);
    assert.deepEqual(elements(compile(MODEL, { flavor: "parsed" })), []);
    assert.deepEqual(elements(compile(linkModel(MODEL))), ["ID"]);
    assert.deepEqual(elements(MODEL), []);
    assert.equal(Object.hasOwn(MODEL, "to"), false);
    assert.equal(typeof compile(MODEL).to.edmx, "function");
  }));

Deno.test("fw.compile() loads names of files by the project, and compiles texts by its compiler", async () => {
  const seen: unknown[] = [];
  const kinds = {
    loadModel: (files: readonly string[]) => (seen.push(files), Promise.resolve(MODEL)),
    compiler: () => (source: unknown) => (seen.push(source), MODEL),
  };
  await withShop({ kinds }, async () => {
    for (const files of ["*", "file:db", ["a.cds", "b.cds"]] as const) {
      const { definitions } = await compile(files as "*");
      assert.ok(definitions!.A, String(files));
    }
    assert.deepEqual(seen.splice(0), [["*"], ["db"], ["a.cds", "b.cds"]]);
    assert.ok(compile(SOURCE).definitions!.A);
    await compile.load();
    assert.deepEqual(seen, [SOURCE]);
  });
  const message = "This runtime holds no compiler: give it CSN, or load the project by ./deno";
  await withShop({}, async () => {
    await assert.rejects(async () => await compile("*"), { name: "ConfigurationError", message });
    await assert.rejects(compile.load(), { name: "ConfigurationError", message });
  });
});

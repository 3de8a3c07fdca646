/** What models are given as: texts, files, CSN, linked models. */

import assert from "node:assert/strict";
import { announced, parsed } from "../../src/fw/model_source.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import { csnOf, withShop } from "./shop.ts";

const MODEL = csnOf("entity A { key ID : Integer; }");

Deno.test("texts and names of files are compiled, CSN is taken as it is", async () => {
  const compiled: unknown[] = [];
  const compiler = () => (source: unknown) => (compiled.push(source), MODEL);
  await withShop({ kinds: { compiler } }, () => {
    const sources: readonly (readonly [Parameters<typeof parsed>[0], boolean])[] = [
      ["entity A {}", true],
      [["a.cds", "b.cds"], true],
      [[], true],
      [{ "a.cds": "entity A {}", "b.cds": "" }, true],
      [MODEL, false],
      [{}, false],
      [{ definitions: {}, $version: "2.0" } as unknown as Csn, false],
    ];
    for (const [source, isCompiled] of sources) {
      compiled.length = 0;
      assert.equal(parsed(source), isCompiled ? MODEL : source);
      assert.deepEqual(compiled, isCompiled ? [source] : []);
    }
    for (
      const [wrong, found] of [[null, "null"], [undefined, "undefined"], [5, "number"], [true, "boolean"]]
    ) {
      assert.throws(() => parsed(wrong as never), {
        name: "TypeError",
        message: `A model is expected: CDL text, files or CSN, but found ${found}`,
      });
    }
  });
});

Deno.test("a text needs a compiler that is loaded; one that cannot be loaded is told to who loads it", async () => {
  await withShop({}, () => {
    assert.throws(() => parsed("entity A {}"), {
      name: "ConfigurationError",
      message: "This runtime holds no compiler: give it CSN, or load the project by ./deno",
    });
    assert.equal(parsed(MODEL), MODEL);
  });
  await withShop({ kinds: { compiler: () => Promise.reject(new Error("no compiler")) } }, () => {
    assert.throws(() => parsed("entity A {}"), {
      name: "ConfigurationError",
      message:
        "The compiler is not loaded, because the model is compiled already: await fw.compile.load() before",
    });
  });
});

Deno.test("listeners of an event change a copy of the model; without any it stays as it is given", () =>
  withShop({}, (runtime) => {
    const linked = linkModel(MODEL);
    assert.equal(announced("compile", MODEL), MODEL);
    assert.equal(announced("compile", linked), linked);
    runtime.events.on("compile", (csn: Csn) => void Object.assign(csn.definitions!, { B: { kind: "type" } }));
    for (const source of [MODEL, linked]) {
      const { definitions } = announced("compile", source) as Csn;
      assert.deepEqual(Object.keys(definitions!), ["A", "B"]);
    }
    assert.deepEqual(Object.keys(MODEL.definitions!), ["A"]);
    assert.equal(announced("other", MODEL), MODEL);
  }));

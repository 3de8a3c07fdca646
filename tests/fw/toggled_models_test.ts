/** Linked models by feature toggles: which one a context has, and how many are kept (design 5). */

import assert from "node:assert/strict";
import { runtimeModels } from "../../src/fw/runtime_models.ts";
import { ToggledModels } from "../../src/fw/toggled_models.ts";
import { VERSION } from "../../src/fw/version.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const MODEL = csnOf("entity A { key ID : Integer; }");
const adding = (name: string) =>
  ({ extensions: [{ extend: "A", elements: { [name]: { type: "cds.String" } } }] }) as unknown as Csn;
const toggles = { one: adding("first"), two: adding("second") };

function modelsOf(limit: number) {
  const configured: string[] = [];
  const configure = (csn: Csn) => (configured.push(Object.keys(csn.definitions!.A!.elements!).join()), csn);
  const models = new ToggledModels({ model: MODEL, toggles, configure, limit });
  const of = (...features: readonly string[]) => models.of(new Set(features));
  const elements = (...features: readonly string[]) =>
    [...of(...features).entity("A")!.elements].map(({ name }) => name).join();
  return { models, of, elements, configured };
}

Deno.test("a set of toggles has the elements that they add, whatever else is among its names", () => {
  const { models, of, elements } = modelsOf(10);
  assert.equal(of(), models.base);
  assert.equal(of("unknown"), models.base);
  const cases: readonly [string[], string][] = [
    [[], "ID"],
    [["one"], "ID,first"],
    [["two", "unknown"], "ID,second"],
    [["two", "one"], "ID,first,second"],
    [["*"], "ID,first,second"],
  ];
  for (const [features, expected] of cases) assert.equal(elements(...features), expected);
  assert.equal(of("one"), of("one", "unknown"));
  assert.equal(of("*"), of("one", "two"));
  assert.deepEqual([...models.deployed.entity("A")!.elements].map(({ name }) => name), [
    "ID",
    "first",
    "second",
  ]);
});

Deno.test("as many models are kept as the limit says; the one used longest ago goes first", () => {
  const { of } = modelsOf(2);
  const [one, two] = [of("one"), of("two")];
  assert.equal(of("one"), one);
  const both = of("*");
  assert.equal(of("one"), one);
  assert.equal(of("*"), both);
  assert.notEqual(of("two"), two);
});

Deno.test("toggles extend a parsed model, not a linked one", () => {
  const model = linkModel(MODEL);
  assert.throws(() => new ToggledModels({ model, toggles, configure: (csn) => csn, limit: 1 }), {
    name: "ConfigurationError",
    message: "Feature toggles extend a parsed model, but the model is linked already",
  });
});

Deno.test("the models of a runtime are those of its toggles, and checked where they are as they were built", () => {
  const settings = (env: object) =>
    ({ env: { requires: {}, ...env }, limits: { toggleModels: 5 } }) as unknown as Parameters<
      typeof runtimeModels
    >[1];
  const features = (...names: readonly string[]) => ({ features: new Set(names) }) as never;
  const plain = runtimeModels({ model: MODEL }, settings({}));
  assert.deepEqual([plain.modelOf, plain.model === plain.deployedModel, plain.isChecked], [
    undefined,
    true,
    false,
  ]);
  const linked = linkModel(MODEL);
  assert.equal(runtimeModels({ model: linked, toggles: {} }, settings({})).model, linked);
  const toggled = runtimeModels({ model: MODEL, toggles }, settings({}));
  assert.equal(toggled.modelOf!(undefined), toggled.model);
  assert.equal(toggled.modelOf!(features()), toggled.model);
  assert.ok(toggled.modelOf!(features("one")).entity("A")!.elements.first);
  assert.ok(toggled.deployedModel.entity("A")!.elements.second);
  const cases: readonly [string | undefined, object, boolean][] = [
    [VERSION, {}, true],
    ["0.0.0", {}, false],
    [undefined, {}, false],
    [VERSION, { odata: { structs: true } }, false],
  ];
  for (const [checked, env, expected] of cases) {
    for (const given of [{}, { toggles }]) {
      assert.equal(runtimeModels({ model: MODEL, checked, ...given }, settings(env)).isChecked, expected);
    }
  }
});

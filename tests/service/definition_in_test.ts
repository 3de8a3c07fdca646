import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { type DefinedService, definitionIn } from "../../src/service/definition_in.ts";

Deno.test("a service is defined by the model of whoever asks, and by its own where that one does not have it", () => {
  const [own, extended, other] = ["S { entity E { key ID : Integer; } }", "S {}", "T {}"]
    .map((text) => linkModel(parseCdl(`service ${text}`)));
  const baseDefinition = own!.service("S")!;
  const host = { model: own! };
  const service = { host, baseDefinition } as DefinedService;
  assert.equal(definitionIn(own!, service), baseDefinition);
  assert.equal(definitionIn(extended!, service), extended!.service("S"));
  assert.equal(definitionIn(other!, service), baseDefinition);
  assert.equal(definitionIn(own!, { host, baseDefinition: undefined } as DefinedService), undefined);
  assert.equal(definitionIn(other!, { host, baseDefinition: undefined } as DefinedService), undefined);
});

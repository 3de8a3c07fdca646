/** Where a service is served, and what `fw.serve` collects (api 5). */

import assert from "node:assert/strict";
import { ApplicationService } from "../../mod.ts";
import { ServeBuilder, servedPaths, serviceNamed } from "../../src/fw/serve_service.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

class Books extends ApplicationService {}
class Other extends ApplicationService {}

const MODEL = linkModel(csnOf(`
  service my.Cat { entity A { key ID : Integer; } }
  @rest @path: 'dogs' service my.Dog { entity B { key ID : Integer; } }
  @protocol: ['odata', 'rest'] service my.Both { entity C { key ID : Integer; } }
  @protocol: 'none' service my.HiddenService { entity D { key ID : Integer; } }
`));

Deno.test("a service is served where the options say, else where the model does", () => {
  const cases: readonly [string, Parameters<typeof servedPaths>[1], string][] = [
    ["Cat", {}, "odata /odata/v4/cat"],
    ["Cat", { at: "/own" }, "odata /own"],
    ["Cat", { at: "own" }, "odata /odata/v4/own"],
    ["Cat", { to: "rest" }, "rest /rest/cat"],
    ["Cat", { to: "rest", at: "own" }, "rest /rest/own"],
    ["Cat", { to: "odata" }, "odata /odata/v4/cat"],
    ["Dog", {}, "rest /rest/dogs"],
    ["Dog", { at: "x" }, "rest /rest/x"],
    ["Dog", { to: "odata" }, "odata /odata/v4/dogs"],
    ["Both", {}, "odata /odata/v4/both, rest /rest/both"],
    ["Both", { to: "rest" }, "rest /rest/both"],
    ["Both", { to: "rest", at: "/r" }, "rest /r"],
    ["Both", { at: "/r" }, "odata /r"],
    ["HiddenService", {}, "odata /odata/v4/my.hiddenservice"],
    ["HiddenService", { at: "/h" }, "odata /h"],
    ["HiddenService", { to: "rest" }, "rest /rest/my.hiddenservice"],
  ];
  for (const [name, options, expected] of cases) {
    const paths = servedPaths(serviceNamed(MODEL, name), options);
    assert.equal(paths.map(({ protocol, path }) => `${protocol} ${path}`).join(", "), expected, name);
  }
});

Deno.test("a service is named in full or by its last part", () => {
  for (const name of ["my.Cat", "Cat"]) assert.equal(serviceNamed(MODEL, name).name, "my.Cat");
  const cases: Readonly<Record<string, string>> = {
    "my.Catt": '; did you mean "my.Cat"?',
    at: "",
    "y.Cat": '; did you mean "my.Cat"?',
    Unrelated: "",
  };
  for (const [name, hint] of Object.entries(cases)) {
    assert.throws(() => serviceNamed(MODEL, name), {
      name: "ConfigurationError",
      message: `The model has no service "${name}"${hint}`,
    });
  }
});

Deno.test("fw.serve collects what is said, and serves when it is awaited", async () => {
  const served: unknown[] = [];
  const provider = {
    model: MODEL,
    serve: (name: string, options: object) => {
      served.push([name, options]);
      return name === "fails" ? Promise.reject(new Error("no")) : Promise.resolve("served" as never);
    },
  };
  const builder = (...given: readonly unknown[]) =>
    new ServeBuilder(provider, ...given as [string, Record<string, never>]);
  const cases: readonly [ServeBuilder, string, object][] = [
    [builder("Cat"), "Cat", {}],
    [builder("all"), "all", {}],
    [builder(Books), "Books", { with: Books }],
    [builder(Books, { with: Other }), "Books", { with: Other }],
    [builder({ service: "Cat", at: "/x" }), "Cat", { service: "Cat", at: "/x" }],
    [builder({ at: "/x" }), "all", { at: "/x" }],
    [builder("Cat", { to: "rest" }), "Cat", { to: "rest" }],
    [builder("Cat").to("rest").at("/y").with(Books).in("app"), "Cat", { to: "rest", at: "/y", with: Books }],
    [builder("Cat", { at: "/x", to: "odata" }).at("/y"), "Cat", { at: "/y", to: "odata" }],
    [builder("Cat").from("srv").from(["a", "b"]).from(MODEL), "Cat", {}],
    [builder("Cat").from({ definitions: MODEL.definitions }), "Cat", {}],
  ];
  assert.deepEqual(served, []);
  for (const [made, name, options] of cases) {
    assert.equal(await made, "served");
    assert.deepEqual(served.pop(), [name, options]);
  }
  for (const model of [undefined, {}, { definitions: {} }, linkModel(csnOf("service Else {}"))]) {
    assert.throws(() => builder("Cat").from(model), /A runtime serves its own model/);
  }
  assert.equal(await builder("fails").catch((error) => (error as Error).message), "no");
  let ended = 0;
  await builder("Cat").finally(() => ended++);
  await assert.rejects(builder("fails").finally(() => ended++), /no/);
  assert.equal(ended, 2);
});

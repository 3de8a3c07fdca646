import assert from "node:assert/strict";
import fw, { ConfigurationError } from "../../mod.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { withProject } from "../deno/project.ts";
import { createShop, csnOf, SHOP, withShop } from "./shop.ts";

Deno.test("model.each, all, find and foreach go through definitions by kind or function", () =>
  withShop({}, () => {
    const services = ["shop.CatalogService", "shop.AdminService"];
    assert.deepEqual([...fw.model.each("service")].map(({ name }) => name), services);
    assert.deepEqual(fw.model.all("service").map(({ name }) => name), services);
    assert.equal(fw.model.find((one) => one.name.endsWith("order"))?.kind, "action");
    assert.equal(fw.model.find("aspect"), undefined);
    const visited: string[] = [];
    fw.model.foreach("event", (_definition, name) => visited.push(name));
    assert.deepEqual(visited, ["shop.CatalogService.ordered"]);
  }));

Deno.test("req.user.tokenInfo is what the strategy verified", () => {
  const authInfo = { sub: "alice" };
  assert.equal(new fw.User({ id: "alice", authInfo }).tokenInfo, authInfo);
});

Deno.test("own protocols are known to @protocol and serve their services", async () => {
  const protocols = {
    plain: () => () => ({
      kind: "plain",
      handle: () => Promise.resolve(new Response("plain")),
    }),
  };
  const model = csnOf(SHOP.replace("service Admin", "@protocol: 'plain' service Admin"));
  const runtime = createShop({ model, kinds: { protocols } });
  const response = await runtime.fetch(new Request("http://localhost/plain/admin/x"));
  assert.equal(await response.text(), "plain");
  await runtime.close();
  const unknown = createShop({ model });
  await assert.rejects(unknown.start(), ConfigurationError);
  await unknown.close();
});

Deno.test("fw.env.for() gives the configuration of another component", () =>
  withProject({
    "package.json": JSON.stringify({
      fw: { name: "mine" },
      other: { a: 1, "[test]": { a: 2 }, b: { c: 3 } },
    }),
  }, (folder) => {
    const { env } = readConfiguration(folder, { variables: { FW_ENV: "test" } });
    assert.deepEqual(env.for!("other"), { a: 2, b: { c: 3 } });
    assert.deepEqual(env.for!("missing"), {});
    assert.equal(env.for!("fw"), env);
    assert.ok(!Object.keys(env).includes("for"));
  }));

Deno.test("linked models are searched by kinds that stand for several, also within elements (api 9)", () =>
  withShop({}, () => {
    const { model } = fw;
    assert.equal(model.is_linked, true);
    assert.equal(model.services.CatalogService, model.service("shop.CatalogService"));
    assert.equal(model.services["shop.CatalogService"], model.services[0]);
    const { Books } = fw.entities("shop");
    assert.deepEqual(model.all("Association", Books.elements).map(({ name }) => name), [
      "author",
      "texts",
      "localized",
    ]);
    assert.ok(model.all("struct").includes(Books));
    const all: string[] = [];
    model.foreach(({ name }) => all.push(name));
    assert.deepEqual(all, model.all("any").map(({ name }) => name));
    const service = model.services.CatalogService;
    assert.equal(service.actions, service.operations);
    assert.equal(Books.elements.author.foreignKeys!.ID, fw.entities("shop").Authors.elements.ID);
  }));

Deno.test("classes tell elements of built-in types apart (api 9)", () =>
  withShop({}, () => {
    const { string, number, date, scalar } = fw.linked.classes;
    const { ID, title, author } = fw.entities("shop").Books.elements;
    const isOne = (one: object) => [string, number, date, scalar].map((Class) => one instanceof Class);
    assert.deepEqual(isOne(ID), [false, true, false, true]);
    assert.deepEqual(isOne(title), [true, false, false, true]);
    assert.deepEqual(isOne(author), [false, false, false, false]);
  }));

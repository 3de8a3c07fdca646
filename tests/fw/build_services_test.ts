/** Which services are created, and at which paths: conflicts, mocked ones, configured paths. */

import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { csnOf, withShop } from "./shop.ts";

Deno.test("implementations are for services that the model has", async () => {
  const cases: readonly [string, string][] = [
    ["shop.CatalogServic", '; did you mean "shop.CatalogService"?'],
    ["unrelated", ""],
  ];
  for (const [name, hint] of cases) {
    await assert.rejects(withShop({ handlers: { [name]: () => {} } }, () => {}), {
      name: "ConfigurationError",
      message: `There is an implementation of "${name}", but no such service in the model${hint}`,
    });
  }
});

const TWO = `
  @path: '/same' service One { entity A { key ID : Integer; } }
  @path: '/same' service Two { entity B { key ID : Integer; } }
`;

Deno.test("two services at one path are refused; a mocked one gives way and says so", async () => {
  await assert.rejects(withShop({ model: csnOf(TWO), data: undefined }, () => {}), {
    name: "ConfigurationError",
    message: /: Two and One are both served at \/same: give one of them another @path$/,
  });
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (...texts: readonly unknown[]) => void warnings.push(texts.join(" "));
  const env = { requires: { One: { kind: "odata" } }, log: { levels: { default: "warn" } } };
  try {
    await withShop({ model: csnOf(TWO), data: undefined, env }, (runtime: Runtime) => {
      assert.deepEqual(runtime.endpoints.map(({ service, path }) => [service.name, path]), [[
        "Two",
        "/same",
      ]]);
      assert.deepEqual([...fw.services].map(({ name }) => name), ["db", "Two", "One"]);
    });
  } finally {
    console.warn = warn;
  }
  assert.equal(warnings.filter((text) => text.includes("is mocked")).length, 1);
  assert.match(
    warnings.join("\n"),
    /One and Two are both served at \/same: One, which is mocked, is called in this process only/,
  );
});

Deno.test("paths of services are those of the configuration before those of the model", () =>
  withShop({ env: { services: { "shop.AdminService": { path: "/own" } } } }, (runtime) => {
    assert.deepEqual(runtime.endpoints.map(({ protocol, path }) => `${protocol} ${path}`), [
      ...["odata /odata/v4/catalog", "odata /own"],
    ]);
  }));

Deno.test("a service that is served by code says which of its handlers never run", async () => {
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (...texts: readonly unknown[]) => void warnings.push(texts.join(" "));
  try {
    await withShop({ env: { log: { levels: { default: "warn" } } } }, async () => {
      warnings.length = 0;
      await fw.serve("shop.AdminService").at("/again").with((srv) => void srv.on("READ", "Bocks", () => []));
    });
  } finally {
    console.warn = warn;
  }
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(
    warnings[0]!,
    /shop\.AdminService: The handler on READ of "shop\.AdminService\.Bocks" never runs: there is no entity/,
  );
});

Deno.test("external services, and those that are required from elsewhere, are not served, unless they are mocked", () => {
  const model = csnOf(`
    service Own { entity A { key ID : Integer; } }
    service Required { entity B { key ID : Integer; } }
    service Mocked { entity C { key ID : Integer; } }
    @cds.external service Far { entity D { key ID : Integer; } }
    @cds.external service Imported { entity E { key ID : Integer; } }
  `);
  const url = { credentials: { url: "https://other.example" } };
  const requires = {
    Required: { kind: "odata", ...url },
    Mocked: { kind: "odata" },
    Imported: { kind: "rest", ...url },
  };
  return withShop({ model, data: undefined, env: { requires } }, (runtime) => {
    assert.deepEqual(runtime.endpoints.map(({ service }) => service.name), ["Own", "Mocked"]);
    assert.deepEqual([...fw.services].map(({ name }) => name), ["db", "Own", "Mocked"]);
  });
});

Deno.test("an implementation that is given for several services is for those that it names", async () => {
  const seen: string[] = [];
  const module = { CatalogService: (srv: { name: string }) => void seen.push(srv.name) };
  const handlers = { "shop.CatalogService": module, "shop.AdminService": module };
  await withShop({ handlers }, () => {});
  assert.deepEqual(seen, ["shop.CatalogService"]);
  await assert.rejects(withShop({ handlers: { "shop.AdminService": module } }, () => {}), {
    name: "ConfigurationError",
    message: /The implementation of shop\.AdminService must export/,
  });
});

Deno.test("declared events of all services go to messaging, once each service is ready", async () => {
  const { forward } = MessagingService.prototype;
  const forwarded: string[] = [];
  MessagingService.prototype.forward = function ({ name }) {
    forwarded.push(name);
  };
  const env = { requires: { messaging: { kind: "local-messaging" }, queue: false } };
  try {
    await withShop({ env }, async () => {
      assert.deepEqual(forwarded, ["shop.CatalogService", "shop.AdminService"]);
      await fw.serve("shop.AdminService").at("/again").with(() => {});
      assert.equal(forwarded.at(-1), "shop.AdminService");
      assert.equal(forwarded.length, 3);
    });
  } finally {
    MessagingService.prototype.forward = forward;
  }
});

import assert from "node:assert/strict";
import fw, { ConfigurationError } from "../../mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { Service } from "../../src/service/service.ts";
import { createShop, withShop } from "./shop.ts";

async function get(runtime: Runtime, path: string): Promise<{ status: number; body: unknown }> {
  const response = await runtime.fetch(new Request(`http://localhost${path}`));
  return { status: response.status, body: await response.json() };
}

Deno.test("lifecycle events come in the order bootstrap, loaded, connect, serving, served, shutdown", async () => {
  const runtime = createShop();
  const seen: unknown[] = [];
  fw.on("bootstrap", (app: unknown) => seen.push("bootstrap", app === runtime.app));
  fw.on("loaded", (model: unknown) => seen.push("loaded", model === runtime.model));
  fw.on("connect", (service: Service) => seen.push("connect", service.name));
  fw.on("serving", (service: Service) => seen.push("serving", service.name));
  fw.once("served", async (services: unknown) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    seen.push("served", services === runtime.services);
  });
  fw.on("shutdown", () => seen.push("shutdown"));
  await runtime.start();
  await fw.exit();
  assert.deepEqual(seen, [
    ...["bootstrap", true, "loaded", true, "connect", "db"],
    ...["serving", "shop.CatalogService", "serving", "shop.AdminService", "served", true, "shutdown"],
  ]);
});

Deno.test("fw.serve(name).at().with() sets path and implementation before the start", async () => {
  const runtime = createShop();
  const service = await fw.serve("CatalogService").from("*").at("/browse").in(fw.app)
    .with((srv) => srv.on("hello", () => "served")) as Service;
  assert.equal(service.name, "shop.CatalogService");
  assert.deepEqual((await get(runtime, "/browse/hello(name='x')")).body, {
    "@odata.context": "$metadata#Edm.String",
    value: "served",
  });
  assert.equal((await get(runtime, "/odata/v4/catalog/hello(name='x')")).status, 404);
  await runtime.close();
});

Deno.test("fw.serve(name).to(protocol) adds an endpoint to a running service", () =>
  withShop({}, async (runtime) => {
    await fw.serve("shop.CatalogService").to("rest");
    assert.equal((await get(runtime, "/rest/catalog/Books/1")).status, 200);
    assert.equal((await get(runtime, "/odata/v4/catalog/Books(1)")).status, 200);
  }));

Deno.test("fw.serve() refuses unknown services, other models and taken paths", () =>
  withShop({}, async () => {
    await assert.rejects(async () => await fw.serve("CatalogServic"), /no service "CatalogServic"/);
    assert.throws(() => fw.serve("CatalogService").from({ definitions: {} }), ConfigurationError);
    const { name } = await fw.serve("CatalogService").from(["srv", "./srv/cat-service"]) as Service;
    assert.equal(name, "shop.CatalogService");
    await assert.rejects(
      async () => await fw.serve("CatalogService").at("/odata/v4/admin"),
      /both served at \/odata\/v4\/admin/,
    );
  }));

Deno.test("fw.serve('all') starts the runtime and gives all services", async () => {
  const runtime = createShop();
  const services = await fw.serve("all") as Iterable<Service>;
  assert.deepEqual([...services].map(({ name }) => name), ["db", "shop.CatalogService", "shop.AdminService"]);
  await runtime.close();
});

Deno.test("fw.serve() in bootstrap serves the service once", async () => {
  const runtime = createShop();
  fw.on("bootstrap", async () => {
    await fw.serve("CatalogService").at("/early");
  });
  await runtime.start();
  assert.deepEqual(runtime.endpoints.map(({ path }) => path), ["/early", "/odata/v4/admin"]);
  await runtime.close();
});

Deno.test("fw.server() goes on with the start a server file holds up", async () => {
  const seen: string[] = [];
  const runtime = createShop({
    boot: async (given) => {
      seen.push("boot");
      fw.on("bootstrap", () => seen.push("bootstrap"));
      assert.equal(await fw.server({}), given);
      seen.push("served");
    },
  });
  await runtime.start();
  assert.deepEqual(seen, ["boot", "bootstrap", "served"]);
  await runtime.close();
});

Deno.test("fw.middlewares run around authentication, and may answer", async () => {
  const runtime = createShop({
    handlers: { "shop.CatalogService": (srv) => srv.on("hello", (req) => req.user.id) },
  });
  const seen: string[] = [];
  fw.middlewares.add((_req, _res, next) => {
    seen.push(`behind ${fw.context?.user.id}`);
    next();
  });
  fw.middlewares.add((req, res, next) => {
    seen.push("before auth");
    if (req.get("x-stop")) return res.status(418).json({ stopped: true });
    next();
  }, { before: "auth" });
  fw.middlewares.add((req, _res, next) => {
    if (req.get("x-user")) fw.context!.user = req.get("x-user")!;
    next();
  }, { after: "auth" });
  const hello = (headers: Record<string, string>) =>
    runtime.fetch(new Request("http://localhost/odata/v4/catalog/hello(name='x')", { headers }));
  assert.equal((await (await hello({ "x-user": "carol" })).json()).value, "carol");
  assert.deepEqual(seen, ["before auth", "behind carol"]);
  const stopped = await hello({ "x-stop": "1" });
  assert.deepEqual([stopped.status, await stopped.json()], [418, { stopped: true }]);
  await runtime.close();
});

Deno.test("fw.middlewares errors become error answers, and authentication cannot be left out", async () => {
  const runtime = createShop();
  fw.middlewares.add((_req, _res, next) => next(new fw.error(429, "Slow down")), { at: 0 });
  const { status, body } = await get(runtime, "/odata/v4/catalog/Books");
  assert.deepEqual([status, (body as { error: { message: string } }).error.message], [429, "Slow down"]);
  assert.throws(() => fw.middlewares.before = [() => {}], ConfigurationError);
  await runtime.close();
});

Deno.test("fw.connect.to({kind}) creates a service that no configuration knows", () =>
  withShop({}, async () => {
    const channel = await fw.connect.to({ kind: "local-messaging" });
    assert.ok(channel instanceof fw.MessagingService);
    const database = await fw.connect.to({ kind: "memory" });
    assert.ok(database instanceof fw.DatabaseService);
    assert.deepEqual(await database.run({ SELECT: { from: { ref: ["shop.Books"] } } }), []);
    await assert.rejects(fw.connect.to({}), ConfigurationError);
    await assert.rejects(fw.connect.to({ kind: "unknown" }), /'unknown'/);
  }));

Deno.test("fw.connect.to({impl}) creates a service of a class of the project", () =>
  withShop({
    kinds: {
      importModule: () => Promise.resolve({ default: Mine }),
    },
  }, async () => {
    const mine = await fw.connect.to({ impl: "srv/mine.ts", credentials: { url: "x" } });
    assert.ok(mine instanceof Mine);
    assert.equal(await mine.send("ping"), "pong x");
  }));

Deno.test("fw.connect.to({impl}) names a file that cannot be loaded, and one without a class of services", () =>
  withShop({
    kinds: {
      importModule: (path) =>
        path === "a.ts" ? import("./no_such_file.ts" as string) : Promise.resolve({ default: class {} }),
    },
  }, async () => {
    await assert.rejects(fw.connect.to({ impl: "a.ts" }), {
      name: "ConfigurationError",
      message: /^a\.ts: The service cannot be loaded: /,
    });
    await assert.rejects(fw.connect.to({ impl: "b.ts" }), {
      name: "ConfigurationError",
      message: '"b.ts" must export a class derived from fw.Service',
    });
  }));

class Mine extends fw.Service {
  override init(): void {
    this.on("ping", () => `pong ${(this.options.credentials as { url: string }).url}`);
  }
}

Deno.test("fw.app.serve().from() says where there are no files", () =>
  withShop({}, () => {
    assert.throws(() => fw.app.serve("/ui").from("app"), /Static files need a file system/);
  }));

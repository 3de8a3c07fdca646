import assert from "node:assert/strict";
import standard, { fw, INSERT, SELECT, type ServiceFunction } from "../../mod.ts";
import { createShop, send } from "../http/fixture.ts";

/** Runs code in a handler of a shop and gives what it returns. */
async function inHandler(run: ServiceFunction, user?: string): Promise<unknown> {
  const shop = createShop({
    handlers: {
      OpenService: (srv) => srv.on("seen", async () => JSON.stringify(await run.call(srv, srv) ?? null)),
    },
  });
  const { status, body } = await send(shop, "/odata/v4/open/seen()", { user });
  await shop.close();
  assert.equal(status, 200, JSON.stringify(body));
  return JSON.parse(body.value);
}

Deno.test("fw is the named and the default export", () => {
  assert.equal(standard, fw);
});

Deno.test("all work of a request sees one time as $now [2.1.timestamp.b]", async () => {
  const [first, second, same] = await inHandler(async () => {
    const now = async () => {
      const row = await SELECT.one.from("shop.Books").columns("$now as now") as { now: string };
      return new Date(row.now).getTime();
    };
    const one = await now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return [one, await now(), fw.context!.timestamp.getTime()];
  }) as number[];
  assert.equal(first, second);
  assert.equal(first, same);
});

Deno.test("fw gives model, environment, services, database and entities of the runtime", async () => {
  const seen = await inHandler(async () => [
    fw.env === fw.runtime.env,
    fw.requires.auth?.kind,
    fw.model === fw.runtime.model,
    fw.services.db === fw.db,
    [...fw.services].map((service) => service.name),
    Object.keys(fw.entities("shop")),
    fw.entities.Books?.name,
    [...fw.entities].length > 3,
    (await fw.connect.to("db")) === fw.db,
  ]);
  const services = ["db", "OpenService", "AnyService", "ClosedService"];
  assert.deepEqual(seen, [
    true,
    "mocked",
    true,
    true,
    services,
    ["Books", "Authors"],
    "shop.Books",
    true,
    true,
  ]);
});

Deno.test("fw.run and fw.tx work on the database, in one transaction", async () => {
  const shop = createShop();
  await shop.start();
  const count = async () => (await fw.run(SELECT.from("shop.Books")) as unknown[]).length;
  const add = async () => void await INSERT.into("shop.Books").entries({ ID: 1 });
  assert.equal(await count(), 2);
  const failing = fw.tx(async () => {
    await add();
    throw new Error("no");
  }) as Promise<unknown>;
  await assert.rejects(failing, /no/);
  assert.equal(await count(), 2);
  await fw.tx(add);
  assert.equal(await count(), 3);
  await shop.close();
});

Deno.test("fw.error throws, new fw.error builds", () => {
  assert.throws(() => fw.error(404, "GONE", "it"), { status: 404, message: "GONE", target: "it" });
  assert.throws(() => fw.error({ status: 400, code: "X", message: "Wrong" }), { status: 400, code: "X" });
  const built = new fw.error(409, "TAKEN", ["x"]) as Error & { status: number; args: unknown };
  assert.deepEqual([built.status, built.message, built.args], [409, "TAKEN", ["x"]]);
});

Deno.test("fw.log gives one logger by name, fw.utils.uuid new ids, fw.parse.cql queries", async () => {
  const shop = createShop();
  assert.equal(fw.log("x"), fw.log("x"));
  assert.equal(fw.log("x").id, "x");
  assert.notEqual(fw.utils.uuid(), fw.utils.uuid());
  assert.deepEqual(fw.parse.cql("SELECT from shop.Books"), { SELECT: { from: { ref: ["shop.Books"] } } });
  await shop.close();
});

Deno.test("fw.spawn runs a job for itself, not as the user of the request", async () => {
  const seen = await inHandler(() =>
    new Promise((resolve) => {
      fw.spawn({ user: "job" }, () => resolve([fw.context!.user.id, Object.keys(fw.entities("shop"))]));
    }), "alice");
  assert.deepEqual(seen, ["job", ["Books", "Authors"]]);
});

Deno.test("errors and texts follow Accept-Language [4.1.h.lang]", async () => {
  const shop = createShop({
    texts: new Map([["", new Map([["NO", "No {0}"]])], ["de", new Map([["NO", "Nein {0}"]])]]),
    handlers: {
      OpenService: (srv) =>
        srv.on("seen", (req) => req.reject(409, "NO", [fw.i18n.messages.at("NO", undefined, [1])])),
    },
  });
  const cases = [["de", "Nein Nein 1"], ["de-CH,en;q=0.5", "Nein Nein 1"], ["en", "No No 1"], [
    "xx",
    "No No 1",
  ]];
  for (const [language, message] of cases) {
    const { body } = await send(shop, "/odata/v4/open/seen()", { headers: { "accept-language": language } });
    assert.deepEqual([body.error.code, body.error.message], ["NO", message]);
  }
  await shop.close();
});

Deno.test("listeners that are registered before there is a runtime belong to the first one", async () => {
  const code = `
    import { createRuntime, fw } from "./mod.ts";
    const seen = [];
    fw.on("bootstrap", (app) => app.get("/early", (c) => c.text("early")));
    fw.once("served", (services) => seen.push(Object.keys(services)));
    const env = { log: { levels: { default: "silent" } } };
    const one = createRuntime({ model: { definitions: { S: { kind: "service" } } }, env });
    const two = createRuntime({ model: { definitions: { T: { kind: "service" } } }, env });
    await two.start();
    await one.start();
    const headers = { authorization: "Basic " + btoa("alice:") };
    const answer = await one.fetch(new Request("http://localhost/early", { headers }));
    console.log(JSON.stringify([seen, await answer.text()]));
  `;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", code],
    cwd: new URL("../..", import.meta.url).pathname,
    stderr: "inherit",
  }).output();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), [[["db", "S"]], "early"]);
});

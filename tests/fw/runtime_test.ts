import assert from "node:assert/strict";
import { createRuntime, type Csn, fw, type Runtime, SELECT, type ServiceFunction } from "../../mod.ts";
import type { DatabaseService } from "../../src/service/database_service.ts";
import { createShop, send } from "../http/fixture.ts";
import { csnOf } from "./shop.ts";

const SILENT = { log: { levels: { default: "silent" } } };

/** A model of one service with one function, and one entity of the given name. */
function modelOf(entity: string): Csn {
  return {
    definitions: {
      [`db.${entity}`]: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
      "Main": { kind: "service" },
      "Main.ask": { kind: "function", returns: { type: "cds.String" } },
    },
  };
}

/** Tells what `fw` shows in handlers, at once and after waiting, before and after replacing the context. */
const TELLER: ServiceFunction = (srv) =>
  srv.on("ask", async (req) => {
    const names = () => Object.keys(fw.entities("db")).join();
    const seen = [names()];
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(names(), String((await SELECT.from(`db.${names()}`) as unknown[]).length));
    fw.context = { user: "x" };
    seen.push(names(), fw.context!.user.id, req.user.id);
    return seen.join(" ");
  });

function runtimeOf(entity: string, rows: number) {
  const data = new Map([[`db.${entity}`, Array.from({ length: rows }, (_, ID) => ({ ID }))]]);
  return createRuntime({ model: modelOf(entity), data, handlers: { Main: TELLER }, env: SILENT });
}

Deno.test("two runtimes with different models live in one process without touching each other", async () => {
  const [first, second] = [runtimeOf("Apples", 2), runtimeOf("Pears", 3)];
  const ask = async (runtime: typeof first) => (await send(runtime, "/odata/v4/main/ask()")).body.value;
  const answers = await Promise.all([ask(first), ask(second), ask(first), ask(second)]);
  const apples = "Apples Apples 2 Apples x anonymous";
  const pears = "Pears Pears 3 Pears x anonymous";
  assert.deepEqual(answers, [apples, pears, apples, pears]);
  await first.close();
  assert.equal(await ask(second), pears);
  await second.close();
});

Deno.test("fw is the own runtime while services are initialized, whichever runtime was created last", async () => {
  const seen: string[] = [];
  const teller: ServiceFunction = (srv) => {
    seen.push(Object.keys(fw.entities("db")).join(), String(srv === fw.services.Main), String(fw.context));
  };
  const first = createRuntime({ model: modelOf("Apples"), handlers: { Main: teller }, env: SILENT });
  const second = createRuntime({ model: modelOf("Pears"), env: SILENT });
  await first.start();
  assert.deepEqual(seen, ["Apples", "true", "undefined"]);
  assert.equal(fw.runtime, second);
  await Promise.all([first.close(), second.close()]);
});

Deno.test("every service of the model is served as OData v4 [1.1a]", async () => {
  const shop = createShop();
  for (const name of ["open", "any", "closed"]) {
    const answer = await send(shop, `/odata/v4/${name}/$metadata`, { user: "alice" });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("odata-version"), "4.0");
    assert.match(answer.body, /<edmx:Edmx Version="4\.0/);
  }
  await shop.close();
});

Deno.test("the service path follows from the name of the service [4.1.spath]", async () => {
  const names = ["CatalogService", "my.deep.OrderItems", "conf.MyOrder_EntryV2Service"];
  const definitions = Object.fromEntries(
    names.map((name) => [name, { kind: "service" }]),
  ) as Csn["definitions"];
  const runtime = createRuntime({ model: { definitions }, env: SILENT });
  await runtime.start();
  assert.deepEqual(runtime.endpoints.map(({ path }) => path).sort(), [
    "/odata/v4/catalog",
    "/odata/v4/my-order-entry-v2",
    "/odata/v4/order-items",
  ]);
  for (const { path } of runtime.endpoints) assert.equal((await send(runtime, path)).status, 200, path);
  await runtime.close();
});

Deno.test("each request is resolved to a user with id, roles, attributes, tenant and features [1.2a]", async () => {
  const zoe = { roles: ["admin"], attr: { country: ["DE"] }, tenant: "t9", features: ["isbn"] };
  const shop = createShop({
    env: { requires: { multitenancy: true, auth: { users: { zoe } } } },
    handlers: {
      OpenService: (srv) =>
        srv.on("seen", (req) => {
          const { id, roles, attr, tenant, features } = req.user;
          return JSON.stringify({ id, roles, country: attr.country, tenant, isbn: features.has("isbn") });
        }),
    },
  });
  const seen = async (user?: string) =>
    JSON.parse((await send(shop, "/odata/v4/open/seen()", { user })).body.value);
  const known = { id: "mock/zoe", roles: ["admin"], country: ["DE"], tenant: "t9", isbn: true };
  assert.deepEqual(await seen("zoe"), known);
  assert.deepEqual(await seen(), { id: "anonymous", roles: [], isbn: false });
  await shop.close();
});

Deno.test("handlers get context, request, messages, errors and the events around the commit [1.4]", async () => {
  const seen: string[] = [];
  const shop = createShop({
    handlers: {
      OpenService: (srv) =>
        srv.on("seen", (req) => {
          seen.push(`${fw.context!.id} ${req.id} ${req.event}`);
          req.before("commit", () => void seen.push("commit"));
          req.on("succeeded", () => void seen.push("succeeded"));
          req.on("failed", () => void seen.push("failed"));
          req.on("done", () => void seen.push("done"));
          if (req.headers["x-fail"]) req.error(409, "NO", "it");
          req.notify("WELL");
          return "x";
        }),
    },
  });
  const headers = { "x-correlation-id": "c-1" };
  const good = await send(shop, "/odata/v4/open/seen()", { headers });
  assert.equal(good.status, 200);
  assert.equal(JSON.parse(good.headers.get("fw-messages") ?? "[]")[0].message, "WELL");
  assert.deepEqual(seen.splice(0), ["c-1 c-1 seen", "commit", "succeeded", "done"]);
  const bad = await send(shop, "/odata/v4/open/seen()", { headers: { ...headers, "x-fail": "1" } });
  assert.equal(bad.status, 409);
  assert.equal(bad.body.error.target, "it");
  assert.deepEqual(seen, ["c-1 c-1 seen", "failed", "done"]);
  await shop.close();
});

Deno.test("errors are rendered per protocol, those of the server without their text [1.5]", async () => {
  const definitions = {
    "Main": { kind: "service", "@protocol": ["odata", "rest"] },
    "Main.ask": {
      kind: "function",
      params: { how: { type: "cds.String" } },
      returns: { type: "cds.String" },
    },
  } as Csn["definitions"];
  const runtime = createRuntime({
    model: { definitions },
    handlers: {
      Main: (srv) =>
        srv.on("ask", (req) => {
          if ((req.data as { how: string }).how === "crash") throw new Error("secret");
          req.reject({ status: 400, message: "Wrong", hint: "x" });
        }),
    },
    env: SILENT,
  });
  const odata = await send(runtime, "/odata/v4/main/ask(how='reject')");
  assert.deepEqual(odata.body.error, { code: "400", message: "Wrong", "@Common.numericSeverity": 4 });
  const rest = await send(runtime, "/rest/main/ask?how=reject");
  assert.deepEqual(rest.body.error, { code: "400", message: "Wrong", hint: "x" });
  for (const path of ["/odata/v4/main/ask(how='crash')", "/rest/main/ask?how=crash"]) {
    const { status, body } = await send(runtime, path);
    assert.equal(status, 500);
    assert.equal(body.error.message, "Internal Server Error");
    assert.doesNotMatch(JSON.stringify(body), /secret/);
  }
  await runtime.close();
});

Deno.test("lifecycle events come in order, and served is awaited before the first answer", async () => {
  const seen: string[] = [];
  const shop = createShop();
  shop.events.on("bootstrap", async (app: typeof shop.app) => {
    app.get("/early", (c) => c.text("early"));
    await Promise.resolve();
    seen.push("bootstrap");
  });
  shop.events.on("serving", (srv: { name: string }) => void seen.push(srv.name));
  shop.events.once("served", async (services: Record<string, unknown>) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(`served ${Object.keys(services).join()}`);
  });
  shop.events.on("shutdown", () => void seen.push("shutdown"));
  assert.deepEqual(seen, []);
  assert.equal((await send(shop, "/early", { user: "alice" })).body, "early");
  await Promise.all([shop.close(), shop.close()]);
  assert.deepEqual(seen, [
    "bootstrap",
    "OpenService",
    "AnyService",
    "ClosedService",
    "served db,OpenService,AnyService,ClosedService",
    "shutdown",
  ]);
});

Deno.test("services may connect to each other while they are initialized, in any order", async () => {
  const names: string[] = [];
  const connects = (other: string): ServiceFunction => async () => {
    const service = await fw.connect.to(other);
    names.push(`${service.name} ${service === fw.services[other]}`);
  };
  const shop = createShop({
    handlers: { OpenService: connects("ClosedService"), ClosedService: connects("OpenService") },
  });
  await shop.start();
  assert.deepEqual(names, ["ClosedService true", "OpenService true"]);
  assert.equal(await shop.connect("OpenService"), shop.services.OpenService);
  assert.equal(shop.endpoints[0]!.service, shop.services.OpenService);
  await shop.close();
});

Deno.test("a start that fails says why, each time, and closes what was opened", async () => {
  const cases: readonly [Parameters<typeof createShop>[0], RegExp][] = [
    [
      { env: { requires: { db: { kind: "sqlit" } } } },
      /"fw\.requires\.db\.kind" is "sqlit", but only memory can be used here/,
    ],
    [{ env: { requires: { auth: { kind: "mockd" } } } }, /did you mean "mocked"\?/],
    [{ handlers: { OpenServce: () => {} } }, /implementation of "OpenServce".*did you mean "OpenService"\?/],
    [
      { handlers: { OpenService: { other: () => {} } } },
      /must export a class or function "OpenService" or a default, but exports other/,
    ],
    [
      { handlers: { OpenService: class Plain {} as never } },
      /OpenService must be a function or a class derived from fw\.ApplicationService, but the class Plain is not/,
    ],
    [{ handlers: { OpenService: () => fw.connect.to("Nowhere") } }, /There is no service "Nowhere"/],
    [
      { env: { services: { OpenService: { path: "/same" }, AnyService: { path: "/same/" } } } },
      /AnyService and OpenService are both served at \/same/,
    ],
    [
      { env: { server: { rate_limits: { redis: { url: "nowhere" } } } } },
      /redis\.url" is missing, or no address/,
    ],
    [
      {
        env: {
          security: { authentication: { mode: "standard" } },
          requires: { auth: { restrict_all_services: false } },
        },
      },
      /"fw\.security\.authentication\.mode" is "standard", which contradicts/,
    ],
    [{ env: { server: { base_url: "nowhere" } } }, /"fw\.server\.base_url" must be a URL, but is "nowhere"/],
  ];
  for (const [options, message] of cases) {
    const shop = createShop(options);
    for (let i = 0; i < 2; i++) {
      await assert.rejects(shop.start(), { name: "ConfigurationError", message });
    }
    await shop.close();
  }
  assert.throws(() => createShop({ env: { requires: { auth: { knd: 1 } } } }), /fw\.requires\.auth\.knd/);
});

Deno.test("reset() restores the initial data", async () => {
  const shop = createShop();
  await send(shop, "/odata/v4/open/Books(201)", { method: "DELETE" });
  assert.equal((await send(shop, "/odata/v4/open/Books/$count")).body, "1");
  await shop.reset();
  assert.equal((await send(shop, "/odata/v4/open/Books/$count")).body, "2");
  await shop.close();
});

Deno.test("reset() starts a runtime that has not started", async () => {
  const shop = createShop();
  const told: string[] = [];
  for (const event of ["served", "reset"]) shop.events.on(event, () => void told.push(event));
  await shop.reset();
  assert.deepEqual(told, ["served", "reset"]);
  assert.deepEqual(shop.filled.length > 0, true);
  await shop.close();
});

Deno.test("what is passed over is said before the next step of a start, which may end it", async () => {
  const { warn } = console;
  const said: string[] = [];
  const steps: [string, ...string[]][] = [];
  console.warn = (text: unknown) => void said.push(String(text).replace(/^.*(?=passed over)/s, ""));
  // what was said before a step, which passes something over itself
  const step = (runtime: Runtime, name: string) => {
    steps.push([name, ...said.splice(0)]);
    runtime.env.remarks.add(`passed over by ${name}`);
  };
  const runtime: Runtime = createRuntime({
    model: modelOf("Apples"),
    env: {},
    data: () => (step(runtime, "data"), new Map()),
    boot: (one) => Promise.resolve(step(one, "boot")),
    handlers: (one) => (step(one, "handlers"), Promise.resolve({})),
  });
  runtime.events.on("served", () => step(runtime, "served"));
  try {
    await runtime.start();
  } finally {
    console.warn = warn;
    await runtime.close();
  }
  assert.deepEqual(steps, [
    ["boot"],
    ["data", "passed over by boot"],
    ["handlers", "passed over by data"],
    ["served", "passed over by handlers"],
  ]);
});

Deno.test("what is passed over is said where the model ends the start", async () => {
  const { warn } = console;
  const said: string[] = [];
  console.warn = (text: unknown) => void said.push(String(text));
  const definitions = { Main: { kind: "service", "@requires": 5 } } as unknown as Csn["definitions"];
  const boot = (one: Runtime) => Promise.resolve(one.env.remarks.add("passed over"));
  try {
    const runtime = createRuntime({ model: { definitions }, env: {}, boot });
    await assert.rejects(runtime.start(), { name: "ConfigurationError" });
  } finally {
    console.warn = warn;
  }
  assert.equal(said.filter((text) => text.includes("passed over")).length, 1);
});

Deno.test("a runtime that is closed while it starts ends when it has started", async () => {
  const shop = createShop();
  const told: string[] = [];
  for (const event of ["served", "shutdown"]) shop.events.on(event, () => void told.push(event));
  const started = shop.start();
  await shop.close();
  assert.deepEqual(told, ["served", "shutdown"]);
  await started;
});

Deno.test("the database is told to listeners of connect once it is open and has its rows", async () => {
  const data = new Map([["db.Apples", [{ ID: 1 }]]]);
  const runtime = createRuntime({ model: modelOf("Apples"), data, env: { ...SILENT, outbox: false } });
  const seen: unknown[] = [];
  runtime.events.on("connect", (service: DatabaseService) => {
    seen.push(service === runtime.db, service.opened(undefined) !== undefined, runtime.filled);
  });
  await runtime.start();
  assert.deepEqual(seen, [true, true, ["db.Apples"]]);
  await runtime.close();
});

const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("a start waits for boot, and for adapters that take a while", async () => {
  const seen: string[] = [];
  const runtime = createRuntime({
    model: { definitions: { Main: { kind: "service", "@protocol": "slow" } } } as unknown as Csn,
    env: SILENT,
    kinds: {
      protocols: {
        slow: async () => {
          await turn();
          return () => ({ kind: "slow", handle: () => Promise.resolve(new Response("slow")) });
        },
      },
    },
    boot: async () => {
      await turn();
      seen.push("boot");
    },
  });
  runtime.events.on("bootstrap", () => void seen.push("bootstrap"));
  await runtime.start();
  const { path } = runtime.endpoints[0]!;
  assert.equal((await send(runtime, path)).body, "slow");
  assert.deepEqual(seen, ["boot", "bootstrap"]);
  await runtime.close();
});

Deno.test("services that are served by boot, or in place of a start, are served once all is there", async () => {
  const served: string[][] = [];
  const note = (services: unknown) =>
    void served.push([...services as Iterable<{ name: string }>].map(({ name }) => name));
  const all = ["db", "Main"];
  const options = { model: modelOf("Apples"), env: SILENT };
  const starts: readonly ((runtime: Runtime) => Promise<unknown>)[] = [
    (runtime) => runtime.serve("all"),
    (runtime) => runtime.serve("Main").then(() => runtime.services),
  ];
  for (const start of starts) {
    const within = createRuntime({ ...options, boot: async (runtime) => note(await start(runtime)) });
    await within.start();
    await within.close();
    let boots = 0;
    const instead = createRuntime({ ...options, boot: () => Promise.resolve(void boots++) });
    note(await start(instead));
    assert.equal(boots, 1, "it is a start");
    await instead.close();
  }
  assert.deepEqual(served, [all, all, all, all]);
});

Deno.test("listeners of connect and loaded are awaited before what comes next", async () => {
  const seen: string[] = [];
  const shop = createShop({ handlers: () => (seen.push("handlers"), Promise.resolve({})) });
  for (const event of ["bootstrap", "loaded", "connect"]) {
    shop.events.on(event, async () => {
      await turn();
      seen.push(event);
    });
  }
  await shop.start();
  assert.deepEqual(seen, ["bootstrap", "loaded", "connect", "handlers"]);
  await shop.close();
});

Deno.test("a start that fails, and an end, are told when everything is closed", async () => {
  for (const fails of [true, false]) {
    const seen: string[] = [];
    const shop = createShop({
      handlers: () => {
        if (fails) throw new Error("no handlers");
        return Promise.resolve({});
      },
    });
    shop.events.on("connect", async (service: DatabaseService) => {
      const database = await service.database(undefined);
      const close = database.close.bind(database);
      database.close = async () => {
        await turn();
        await close();
        seen.push("closed");
      };
    });
    if (fails) await assert.rejects(shop.start(), /no handlers/);
    else {
      await shop.start();
      await shop.close();
    }
    assert.deepEqual(seen, ["closed"]);
  }
});

Deno.test("a start tells which views replace the restrictions of what they show", async () => {
  const { log } = console;
  const lines: string[] = [];
  console.log = (...values: readonly unknown[]) => void lines.push(values.join(" "));
  const source = `@restrict: [{ grant: 'READ', to: 'a' }] entity A { key ID : Integer; }
    service S { @restrict: [{ grant: 'READ', to: 'b' }] entity V as projection on A; }`;
  const env = { log: { levels: { default: "silent", auth: "info" } } };
  const runtime = createRuntime({ model: csnOf(source), env });
  try {
    await runtime.start();
  } finally {
    console.log = log;
    await runtime.close();
  }
  assert.match(lines.join("\n"), /S\.V carries a restriction of its own in place of those of A/);
});

Deno.test("texts without locale are those of the default language of the configuration", () => {
  const of = (i18n: unknown) =>
    createRuntime({ model: { definitions: {} }, env: { ...SILENT, i18n } as never }).texts;
  assert.deepEqual(
    [of(undefined), of({}), of({ default_language: "de" })].map((texts) => texts.defaultLocale),
    [
      ...["en", "en", "de"],
    ],
  );
});

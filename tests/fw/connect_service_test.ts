/** Which service a name stands for, and what is said where there is none (api 1, `fw.connect`). */

import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";
import { RemoteService } from "../../src/odata/remote/remote_service.ts";
import { DatabaseService } from "../../src/service/database_service.ts";
import { Service, type ServiceOptions } from "../../src/service/service.ts";
import { within } from "../contract/within.ts";
import { createShop, csnOf, SHOP, withShop } from "./shop.ts";

const MODEL = csnOf(`${SHOP}
  @cds.external service Reviews { entity Reviews { key ID : Integer; } event reviewed { ID : Integer; } }
  @cds.external service Other { entity Things { key ID : Integer; } }
`);
const REMOTE = { kind: "odata", credentials: { url: "https://other.example/odata" } };

/** What others do in the meantime. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

class Own extends Service {
  inits = 0;
  override async init(): Promise<void> {
    await turn();
    this.inits++;
  }
}

const KINDS: Kinds = {
  ...denoKinds,
  services: { special: () => (options: ServiceOptions) => new Own(options) },
  importModule: (path) => {
    if (path === "missing.ts") return Promise.reject(new Error("no such file"));
    if (path === "text.ts") return Promise.reject("only a text");
    const modules: Record<string, Record<string, unknown>> = {
      "default.ts": { default: Own, other: 1 },
      "named.ts": { Own },
      "value.ts": { default: 5 },
      "function.ts": { default: () => {} },
      "empty.ts": {},
    };
    return Promise.resolve(modules[path]!);
  },
};

/** A shop with these services below `requires`. */
function withRequired(
  requires: Readonly<Record<string, unknown>>,
  test: () => Promise<void>,
  kinds: Kinds = KINDS,
): Promise<void> {
  return withShop({ model: MODEL, kinds, env: { requires: { queue: false, ...requires } } }, test);
}

Deno.test("a service is connected once, is told to listeners of connect, and stands among fw.services", () =>
  withRequired({
    one: REMOTE,
    special: { kind: "special", credentials: { own: 1 } },
    mine: { impl: "default.ts" },
  }, async () => {
    const seen: string[] = [];
    fw.on("connect", async (service) => {
      await turn();
      seen.push((service as Service).name);
    });
    for (const name of ["one", "special", "mine"]) {
      const [first, second] = await Promise.all([fw.connect.to(name), fw.connect.to(name)]);
      assert.equal(first, second, name);
      assert.equal(await fw.connect.to(name), first, name);
      assert.equal(fw.services[name], first, name);
    }
    assert.deepEqual(seen, ["one", "special", "mine"]);
    const [special, mine] = [fw.services.special as Own, fw.services.mine as Own];
    assert.deepEqual([special.inits, mine.inits], [1, 1]);
    assert.deepEqual(special.options.credentials, { own: 1 });
    assert.ok(fw.services.one instanceof RemoteService);
    assert.equal(await fw.connect.to("shop.CatalogService"), fw.services["shop.CatalogService"]);
    assert.equal(await fw.connect.to("db"), fw.db);
    assert.equal(await fw.connect(), fw.db);
    assert.equal(seen.length, 3, "what is served is connected already");
  }));

Deno.test("a service that no configuration knows is another one each time, and told to listeners, but not kept", () =>
  withRequired({ one: REMOTE }, async () => {
    const seen: unknown[] = [];
    fw.on("connect", async (service) => {
      await turn();
      seen.push(service);
    });
    const cases: readonly [Record<string, unknown>, string, new (...given: never[]) => Service][] = [
      [REMOTE, "odata", RemoteService],
      [{ kind: "special" }, "special", Own],
      [{ impl: "named.ts" }, "named.ts", Own],
      [{ kind: "any", impl: "default.ts" }, "any", Own],
      [{ kind: "memory" }, "memory", DatabaseService],
      [{ kind: "local-messaging" }, "local-messaging", MessagingService],
    ];
    for (const [entry, name, Class] of cases) {
      const service = await fw.connect.to(entry as never);
      assert.deepEqual([service.name, service instanceof Class, seen.at(-1) === service], [name, true, true]);
      assert.equal(Object.hasOwn(fw.services, name), false, name);
      assert.notEqual(await fw.connect.to(entry as never), service);
    }
    assert.equal(seen.length, 2 * cases.length);
    const more = await fw.connect.to("one", { credentials: { url: "https://else.example" } });
    assert.deepEqual([more.name, (more.options.credentials as { url: string }).url, more.options.kind], [
      ...["one", "https://else.example", "odata"],
    ]);
    assert.notEqual(await fw.connect.to("one"), more);
  }));

Deno.test("what cannot be connected says why", () =>
  withRequired({ off: false, gone: null, one: REMOTE, wrong: { kind: "nothing" } }, async () => {
    const cases: readonly (readonly [string | Record<string, unknown>, string | RegExp])[] = [
      ["Nothing", 'There is no service "Nothing", served or below "fw.requires"'],
      [
        "shop.CatalogServic",
        'There is no service "shop.CatalogServic", served or below "fw.requires"; did you mean "shop.CatalogService"?',
      ],
      ["onee", 'There is no service "onee", served or below "fw.requires"; did you mean "one"?'],
      ["off", 'The service "off" is switched off: "fw.requires.off" is false'],
      ["gone", 'The service "gone" is switched off: "fw.requires.gone" is null'],
      [{}, "An ad hoc service needs kind or impl"],
      [{ kind: 5 }, "An ad hoc service needs kind or impl"],
      [{ credentials: {} }, "An ad hoc service needs kind or impl"],
      ...[null, 5, true, undefined].map((entry) =>
        [entry as never, "An ad hoc service needs kind or impl"] as const
      ),
      [
        { kind: "odata" },
        /^"fw\.requires\.odata" has no credentials, and no model to mock the service from: use its model/,
      ],
      [{ impl: "missing.ts" }, "missing.ts: The service cannot be loaded: no such file"],
      [{ impl: "text.ts" }, "text.ts: The service cannot be loaded: only a text"],
      ...["value.ts", "function.ts", "empty.ts"].map((impl) =>
        [{ impl }, `"${impl}" must export a class derived from fw.Service`] as const
      ),
    ];
    for (const [service, message] of cases) {
      await assert.rejects(async () => await fw.connect.to(service as string), (error: Error) => {
        assert.equal(error.name, "ConfigurationError");
        if (typeof message === "string") assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      });
    }
  }));

Deno.test("nothing is imported where there is no importer", () =>
  withRequired({}, async () => {
    await assert.rejects(fw.connect.to({ impl: "own.ts" } as never), {
      message: '"own.ts" cannot be imported here',
    });
  }, { ...KINDS, importModule: undefined }));

Deno.test("services of the model that run elsewhere are called there, or mocked while nobody says where that is", () =>
  withRequired({
    "shop.Other": REMOTE,
    reviews: { kind: "odata", service: "shop.Reviews" },
    bare: { kind: "odata", service: "shop.Other", credentials: { url: "https://bare.example" } },
  }, async () => {
    const other = await fw.connect.to("shop.Other");
    assert.deepEqual([other instanceof RemoteService, other.definition?.name], [true, "shop.Other"]);
    const bare = await fw.connect.to("bare");
    assert.deepEqual([bare instanceof RemoteService, bare.name, bare.definition?.name], [
      true,
      "bare",
      "shop.Other",
    ]);
    assert.equal(await fw.connect.to("reviews"), fw.services["shop.Reviews"]);
    assert.equal(fw.services["shop.Reviews"] instanceof RemoteService, false);
  }));

Deno.test("a table of kinds wins over remote services, and needs neither credentials nor a model", async () => {
  const kinds = { ...KINDS, services: { odata: () => (options: ServiceOptions) => new Own(options) } };
  await withRequired({ own: { kind: "odata" } }, async () => {
    assert.ok(await fw.connect.to("own") instanceof Own);
    assert.ok(await fw.connect.to({ kind: "odata" }) instanceof Own);
  }, kinds);
});

Deno.test("services that ask for the outbox are queued, where they carry no messages", () =>
  withRequired({
    queue: { kind: "persistent-queue" },
    queued: { ...REMOTE, outboxed: true },
    optioned: { ...REMOTE, outboxed: { maxAttempts: 3 } },
    plain: { ...REMOTE, outboxed: false },
    carrier: { kind: "local-messaging", outboxed: true },
  }, async () => {
    const cases = [["queued", true], ["optioned", true], ["plain", false]] as const;
    assert.equal(Object.getPrototypeOf(await fw.connect.to("carrier")), MessagingService.prototype);
    for (const [name, isQueued] of cases) {
      const service = await fw.connect.to(name);
      assert.equal(fw.unqueued(service) !== service, isQueued, name);
    }
  }));

Deno.test("the queue is in use where messages go through outbox or inbox", async () => {
  const cases: readonly [object, boolean][] = [
    [{ outboxed: false }, false],
    [{ outboxed: false, inboxed: false }, false],
    [{ outboxed: false, inboxed: true }, true],
    [{ outboxed: true }, true],
    [{ outboxed: true, inboxed: true }, true],
  ];
  for (const [settings, isUsed] of cases) {
    const news = { kind: "local-messaging", ...settings };
    const env = { requires: { queue: { kind: "persistent-queue" }, news } };
    await withShop({ kinds: KINDS, env }, async ({ queue }) => {
      let uses = 0;
      const use = queue!.use.bind(queue);
      queue!.use = () => (uses++, use());
      await fw.connect.to("news");
      assert.equal(uses > 0, isUsed, JSON.stringify(settings));
    });
  }
});

Deno.test("messages are not stored where there is no database", async () => {
  for (const settings of [{ outboxed: true }, { outboxed: { maxAttempts: 3 } }, { inboxed: true }]) {
    await withShop({ data: undefined, kinds: denoKinds, env: { requires: { db: null } } }, async () => {
      await assert.rejects(fw.connect.to({ kind: "local-messaging", ...settings } as never, undefined), {
        message:
          '"fw.requires.local-messaging" asks for outbox or inbox, which need a database ("fw.requires.db")',
      });
      for (const fine of [{ outboxed: false }, { outboxed: null }, { inboxed: false }]) {
        assert.ok(
          await fw.connect.to({ kind: "local-messaging", ...fine } as never) instanceof MessagingService,
        );
      }
    });
  }
});

Deno.test("destinations are entries of the configuration, else those that a module or the table of kinds finds", async () => {
  const asked: string[] = [];
  const sent: string[] = [];
  const resolver = (name: string) => {
    asked.push(name);
    return Promise.resolve({ url: `https://${name}.resolved.example` });
  };
  const base: Kinds = {
    ...KINDS,
    fetch: (request) => {
      sent.push(new URL(request.url).hostname);
      return Promise.resolve(Response.json({ value: [] }));
    },
    importModule: (path) =>
      Promise.resolve(path === "resolver.ts" ? { default: resolver } : { default: { no: "function" } }),
  };
  const own = { url: "https://own.example" };
  const cases: readonly [Kinds, Record<string, unknown>, string, string | RegExp][] = [
    [base, { own }, "own", "own.example"],
    [base, { own, impl: "resolver.ts" }, "own", "own.example"],
    [base, { own, impl: "resolver.ts" }, "far", "far.resolved.example"],
    [{ ...base, destinations: resolver }, { own }, "own", "own.resolved.example"],
    [
      base,
      { impl: "wrong.ts" },
      "far",
      /"wrong\.ts" must export a function by default that looks up destinations/,
    ],
    [{ ...base, importModule: undefined }, { impl: "x.ts" }, "far", /"x\.ts" cannot be imported here/],
    [base, { own }, "toString", /toString/],
  ];
  for (const [kinds, destinations, destination, expected] of cases) {
    sent.length = 0;
    const requires = { far: { kind: "rest", credentials: { destination } } };
    const env = { destinations, requires: { ...requires, queue: false } };
    await withShop({ kinds, env }, async () => {
      const far = await fw.connect.to("far");
      const calling = async () => await far.send({ method: "GET", path: "/things" } as never);
      if (typeof expected !== "string") {
        return void await assert.rejects(calling, (error: Error) => {
          assert.match(`${error.message} ${error.cause}`, expected);
          return true;
        });
      }
      for (let times = 0; times < 2; times++) await calling();
      assert.deepEqual(sent, [expected, expected], destination);
    });
  }
  assert.ok(asked.length > 0 && asked.every((name) => name === "far" || name === "own"));
});

Deno.test("messaging services receive from the start on, whether they are connected before or after it", () =>
  withRequired({ queue: { kind: "persistent-queue" }, late: { kind: "local-messaging" } }, async () => {
    const late = await fw.connect.to("late");
    const other = await fw.connect.to({ kind: "local-messaging" } as never);
    for (const [topic, messaging] of [["sold", late], ["bought", other]] as const) {
      const received = new Promise((resolve) => messaging.on(topic, ({ data }) => resolve(data)));
      await messaging.emit(topic, { book: 1 });
      assert.deepEqual(await within(received, `a message on ${topic}`), { book: 1 });
    }
    for (const outboxed of [true, {}]) {
      await assert.rejects(fw.connect.to({ kind: "local-messaging", outboxed } as never), {
        name: "ConfigurationError",
        message:
          '"outboxed" of local-messaging needs an entry below "fw.requires": only from there it is found after the commit',
      });
    }
  }));

Deno.test("in production remote services need their URL when the runtime starts, elsewhere when they are called", async () => {
  const auth = { kind: "basic", users: { a: { password: "b" } } };
  const start = async (profiles: readonly string[], kinds: Kinds, entry: object | false) => {
    const requires = { auth, queue: false, db: { kind: "memory" }, far: entry };
    await withShop({ model: MODEL, kinds, profiles, env: { requires } }, () => {});
  };
  const production = ["production"];
  const wrong = { kind: "rest", credentials: {} };
  await assert.rejects(start(production, KINDS, wrong), /fw\.requires\.far/);
  await start([], KINDS, wrong);
  await start(production, KINDS, false);
  await start(production, KINDS, { ...wrong, impl: "default.ts" });
  await start(production, KINDS, { kind: "rest", credentials: { destination: "else" } });
  await start(production, KINDS, { kind: "special", credentials: {} });
  await start(production, { ...KINDS, services: { rest: () => (options) => new Own(options) } }, wrong);
});

Deno.test("messages that do not tell their tenant are warned of, where there are several tenants", async () => {
  const { warn } = console;
  const texts: string[] = [];
  console.warn = (...values: readonly unknown[]) => void texts.push(values.join(" "));
  try {
    const settings = { kind: "local-messaging" };
    for (const [multitenancy, header] of [[true, undefined], [true, "tenant"], [false, undefined]] as const) {
      const requires = { multitenancy, queue: false, news: { ...settings, tenantHeader: header } };
      await withShop({ kinds: KINDS, env: { requires, log: { levels: { default: "warn" } } } }, async () => {
        await fw.connect.to("news");
      });
    }
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(
    texts.filter((text) => text.includes("news:")).map((text) => text.replace(/^.*?news:/, "")),
    [
      " messages do not tell their tenant, and handlers that need its database fail: " +
      '"fw.requires.news.tenantHeader" names no header for it',
    ],
  );
});

Deno.test("a start waits for messaging services to receive, an end for them and for databases to close", async () => {
  const seen: string[] = [];
  const slowly = (what: string) => async () => {
    await turn();
    seen.push(what);
  };
  await withShop({
    model: MODEL,
    kinds: KINDS,
    env: { requires: { queue: false, news: { kind: "local-messaging" } } },
  }, async (runtime) => {
    const stock = await fw.connect.to({ kind: "memory" } as never) as DatabaseService;
    (await stock.database(undefined)).close = slowly("stock closed");
    const news = await fw.connect.to("news") as MessagingService;
    news.close = () => turn().then(turn).then(slowly("news closed"));
    await runtime.close();
    assert.deepEqual(seen.splice(0), ["news closed", "stock closed"]);
  });
  const runtime = createShop({
    kinds: KINDS,
    env: { requires: { queue: false, news: { kind: "local-messaging" } } },
  });
  runtime.events.on("served", async () => {
    (await runtime.connect("news") as MessagingService).start = slowly("news started");
  });
  await runtime.start();
  assert.deepEqual(seen.splice(0), ["news started"]);
  await runtime.close();
});

Deno.test("a database beside the primary one is open when its connection is told", async () => {
  const seen: string[] = [];
  const databases: Kinds["databases"] = {
    ...KINDS.databases,
    slow: () => async () => {
      await turn();
      seen.push("opened");
      return { deploy: () => Promise.resolve({ filled: [] }), close: () => Promise.resolve() } as never;
    },
  };
  await withRequired({}, async () => {
    fw.on("connect", () => void seen.push("told"));
    await fw.connect.to({ kind: "slow" } as never);
    assert.deepEqual(seen, ["opened", "told"]);
  }, { ...KINDS, databases });
});

Deno.test("a messaging service that is connected after the start receives when its connection is told", () =>
  withRequired({}, async () => {
    const { start } = MessagingService.prototype;
    const seen: string[] = [];
    MessagingService.prototype.start = async function () {
      await turn();
      seen.push("started");
    };
    try {
      await fw.connect.to({ kind: "local-messaging" } as never);
      seen.push("connected");
    } finally {
      MessagingService.prototype.start = start;
    }
    assert.deepEqual(seen, ["started", "connected"]);
  }));

Deno.test("events of services of the model that run elsewhere arrive by messaging, those of other services do not", () =>
  withRequired({
    messaging: { kind: "local-messaging" },
    "shop.Reviews": { impl: "default.ts" },
    mine: { impl: "default.ts" },
  }, async () => {
    const received: string[] = [];
    const messaging = await fw.connect.to("messaging") as MessagingService;
    messaging.receive = ({ name }) => void received.push(name);
    await fw.connect.to("mine");
    const reviews = await fw.connect.to("shop.Reviews") as Own;
    assert.deepEqual([received, reviews.inits], [["shop.Reviews"], 1]);
  }));

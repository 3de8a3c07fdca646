/** How requests are taken to services: what is built around them, and which adapters answer at which path. */

import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { ownerOf } from "../../src/context/event_context.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { buildStrategy, mountEndpoint } from "../../src/fw/build_pipeline.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { Runtime, RuntimeOptions } from "../../src/fw/runtime.ts";
import type { Endpoint, RuntimeParts } from "../../src/fw/runtime_parts.ts";
import type { ProtocolAdapter } from "../../src/service/wire/protocol_adapter.ts";
import { createShop, withShop } from "./shop.ts";

/** Status and some headers of an answer. */
async function answer(runtime: Runtime, path: string, headers: Record<string, string> = {}) {
  const response = await runtime.fetch(new Request(`http://localhost${path}`, { headers }));
  await response.body?.cancel();
  const { status } = response;
  const isTimed = response.headers.get("server-timing")?.startsWith("total;dur=") ?? false;
  return { status, isTimed, isExplained: response.headers.get("preference-applied") === "fw.explain" };
}

Deno.test("requests are timed and explained as the configuration says, each without the other", async () => {
  const explain = { requires: "dev" };
  const users = { ann: { password: "", roles: ["dev"] } };
  const cases: readonly [object, boolean, boolean][] = [
    [{}, false, false],
    [{ timing: true }, true, false],
    [{ explain }, false, true],
    [{ timing: true, explain }, true, true],
  ];
  for (const [server, isTimed, isExplained] of cases) {
    const requires = { auth: { kind: "mocked", users } };
    await withShop({ env: { server, requires } }, async (runtime) => {
      const headers = { authorization: `Basic ${btoa("ann:")}`, prefer: "fw.explain" };
      const path = "/odata/v4/catalog/Books?$top=1";
      assert.deepEqual(await answer(runtime, path, headers), { status: 200, isTimed, isExplained });
      const { prefer: _prefer, ...plain } = headers;
      assert.deepEqual(await answer(runtime, path, plain), { status: 200, isTimed, isExplained: false });
    });
  }
});

Deno.test("services know the runtime of a request, whoever sees its context before", async () => {
  for (const server of [{}, { timing: true }]) {
    await withShop({
      env: { server },
      handlers: {
        "shop.CatalogService": (srv) =>
          srv.on(
            "hello",
            () => String(ownerOf(fw.context) === fw.services["shop.CatalogService"].host),
          ),
      },
      name: "mine",
    }, async (runtime) => {
      const latest = createShop({ name: "latest" });
      const response = await runtime.fetch(new Request("http://localhost/odata/v4/catalog/hello(name='x')"));
      assert.equal((await response.json()).value, "true");
      await latest.close();
    });
  }
});

Deno.test("the strategy is that of the table of kinds, else of the configuration, and tells of users where the log shows it", async () => {
  const strategy = { kind: "own" } as unknown as Kinds["strategy"];
  const of = (kinds: Kinds, isTraced: boolean) => {
    const told: unknown[][] = [];
    const log = {
      _trace: isTraced,
      trace: (...values: unknown[]) => told.push(values),
      warn: (...values: unknown[]) => told.push(["warn", ...values]),
    };
    const auth = { kind: "basic", users: { ann: { password: "x", roles: ["r"] }, bob: { password: "" } } };
    const runtime = { kinds, env: { requires: { auth } }, log: () => log, production: true, limits: {} };
    return { told, built: buildStrategy(runtime as unknown as RuntimeParts) };
  };
  assert.equal(await of({ strategy }, true).built, strategy);
  for (const isTraced of [true, false]) {
    const { told, built } = of({}, isTraced);
    const request = new Request("http://localhost/", {
      headers: { authorization: `Basic ${btoa("ann:x")}` },
    });
    const result = await (await built).authenticate(request, {} as never, undefined as never);
    assert.ok("user" in result);
    const [first, ...more] = told;
    assert.match(String(first), /^warn,.*bob/, "a password that is empty");
    assert.deepEqual(
      more.map(([what, record]) => [what, (record as { roles: unknown }).roles]),
      isTraced ? [["user", ["r"]]] : [],
    );
  }
});

/** An adapter that answers with its root, and tells what it is asked to do. */
function adapting(done: string[], options: { readonly forgets?: boolean } = {}): Kinds["protocols"] {
  return {
    own: () => ({ root }) => ({
      kind: "own",
      handle: (_request, _context, path) => Promise.resolve(new Response(`${root} ${path}`)),
      close: async () => {
        await new Promise((resolve) => setTimeout(resolve));
        done.push("closed");
      },
      ...options.forgets && { forget: () => void done.push("forgot") },
    } as ProtocolAdapter),
  };
}

Deno.test("adapters come from the protocols of the framework and of the table of kinds; unknown ones are refused", async () => {
  const done: string[] = [];
  const runtime = createShop({ kinds: { ...denoKinds, protocols: adapting(done) } });
  await runtime.start();
  const service = runtime.services["shop.CatalogService"]!;
  const mounts = new Map<string, ProtocolAdapter>();
  for (const protocol of ["odata", "rest", "own"]) {
    await mountEndpoint(runtime, mounts, { service, protocol, path: `/${protocol}` } as Endpoint);
  }
  assert.deepEqual([...mounts].map(([path, { kind }]) => `${path} ${kind}`), [
    "/odata odata",
    "/rest rest",
    "/own own",
  ]);
  await assert.rejects(
    mountEndpoint(runtime, mounts, { service, protocol: "graphql", path: "/g" } as Endpoint),
    {
      name: "ConfigurationError",
      message: 'shop.CatalogService asks for protocol "graphql", which is unknown',
    },
  );
  await runtime.close();
});

Deno.test("adapters forget when the runtime is reset, and are closed with it, before the databases", async () => {
  const done: string[] = [];
  const options: Partial<RuntimeOptions> = {
    kinds: { ...denoKinds, protocols: adapting(done, { forgets: true }) },
  };
  await withShop(options, async (runtime) => {
    await runtime.serve("shop.AdminService", { to: "own", at: "/own" });
    const response = await runtime.fetch(new Request("http://localhost/own/x/y?z"));
    assert.equal(await response.text(), "/own x/y?z");
    await runtime.reset();
    assert.deepEqual(done, ["forgot"]);
    const database = await runtime.db!.database(undefined);
    const close = database.close.bind(database);
    database.close = () => (done.push("database"), close());
    await runtime.close();
    assert.deepEqual(done, ["forgot", "closed", "database"]);
  });
});

Deno.test("spans of requests are named by the path of their service, its longest one, or by what is looked at often", async () => {
  const names: string[] = [];
  const telemetry = {
    span: (name: string, options: { kind?: string }, work: (span: object) => unknown) => {
      if (options.kind === "server") names.push(name);
      return work({ set: () => {}, rename: () => {}, fail: () => {} });
    },
    headers: () => ({}),
    record: () => {},
    observe: () => {},
  };
  const key = Symbol.for("opentelemetry.js.api.1");
  const before = Object.getOwnPropertyDescriptor(globalThis, key);
  Object.defineProperty(globalThis, key, { value: {}, configurable: true });
  try {
    const env = { services: { "shop.AdminService": { path: "/odata/v4/catalog/admin" } } };
    const kinds: Kinds = { ...denoKinds, telemetry: () => Promise.resolve(() => telemetry as never) };
    await withShop({ kinds, env }, async (runtime) => {
      const paths = [
        ...["/health", "/ready", "/healthy", "/odata/v4/catalog", "/odata/v4/catalog/Books(1)"],
        ...["/odata/v4/catalogue", "/odata/v4/catalog/admin/Books", "/odata/v4/catalog/administrators", "/x"],
      ];
      for (const path of paths) await answer(runtime, path);
    });
  } finally {
    if (before) Object.defineProperty(globalThis, key, before);
    else delete (globalThis as Record<symbol, unknown>)[key];
  }
  assert.deepEqual(names, [
    ...["GET /health", "GET /ready", "GET /", "GET /odata/v4/catalog", "GET /odata/v4/catalog"],
    ...["GET /", "GET /odata/v4/catalog/admin", "GET /odata/v4/catalog", "GET /"],
  ]);
});

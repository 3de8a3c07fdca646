/** Who watches a runtime, and what is told of engines and messages whenever somebody asks. */

import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { observeEngines, observeMessages, watchersOf } from "../../src/fw/telemetry_of.ts";
import type { MessageState } from "../../src/messaging/given_up_messages.ts";
import type { Database, EngineState } from "../../src/service/database.ts";
import type { OpenMetrics } from "../../src/telemetry/open_metrics.ts";
import type { Observation, Telemetry } from "../../src/telemetry/telemetry.ts";
import { createShop } from "./shop.ts";

/** Who watches and what is told when it asks. */
function gauges() {
  const reads = new Map<string, () => Promise<readonly Observation[]>>();
  const telemetry = {
    observe: (name: string, read: () => Promise<readonly Observation[]>) => void reads.set(name, read),
  } as Telemetry;
  const all = async () => {
    const read = [...reads].map(async ([name, one]) => [name, await one()] as const);
    return Object.fromEntries(await Promise.all(read));
  };
  return { telemetry, all };
}

const stateOf = (members: object) => members as unknown as MessageState;

Deno.test("the state of messages is summed by target: waiting and age by place, dead letters of both", async () => {
  const { telemetry, all } = gauges();
  let asked = 0;
  observeMessages(telemetry, {
    states: () => {
      asked++;
      return Promise.resolve([
        stateOf({ place: "outbox", target: "mail", waiting: 3, oldestAgeMs: 1500, dead: 1 }),
        stateOf({ place: "channel", target: "mail", waiting: 4, oldestAgeMs: undefined, dead: 2 }),
        stateOf({ place: "outbox", target: "mail", waiting: 2, oldestAgeMs: 500, dead: 0 }),
        stateOf({ place: "channel", target: "news", waiting: undefined, oldestAgeMs: 0, dead: undefined }),
      ]);
    },
  });
  const mail = { target: "mail" };
  const expected = {
    "fw.outbox.messages": [{ value: 5, attributes: mail }],
    "fw.outbox.oldest_age": [{ value: 2, attributes: mail }],
    "fw.channel.messages": [{ value: 4, attributes: mail }],
    "fw.channel.oldest_age": [{ value: 0, attributes: { target: "news" } }],
    "fw.dead_letters": [{ value: 3, attributes: mail }],
  };
  assert.deepEqual(await all(), expected);
  assert.equal(asked, 1, "what is asked together is read once");
  assert.deepEqual(await all(), expected);
  assert.equal(asked, 2);
});

Deno.test("a state that could not be read is read anew the next time", async () => {
  const { telemetry, all } = gauges();
  let asked = 0;
  observeMessages(telemetry, {
    states: () => ++asked === 1 ? Promise.reject(new Error("away")) : Promise.resolve([]),
  });
  await assert.rejects(all(), /away/);
  assert.deepEqual(Object.values(await all()), [[], [], [], [], []]);
});

const engine = (state?: Partial<EngineState>): Database =>
  ({ state: state && (() => Promise.resolve({ templates: 0, ...state })) }) as unknown as Database;

Deno.test("the state of engines is that of all tenants together, of replicas that of each", async () => {
  const { telemetry, all } = gauges();
  let engines: Database[] = [];
  let asked = 0;
  observeEngines(telemetry, () => {
    asked++;
    return engines;
  });
  const connections = (used: number, idle: number, most: number, waiting: number) => ({
    connections: { used, idle, most, waiting },
  });
  const nothing = {
    "db.client.connection.max": [],
    "db.client.connection.pending_requests": [],
    "db.client.connection.count": [],
    "fw.cache.entries": [{ value: 0, attributes: { cache: "queries" } }],
    "fw.replica.used": [],
    "fw.replica.lag": [],
  };
  assert.deepEqual(await all(), nothing);
  assert.equal(asked, 1);
  engines = [engine(), engine({ templates: 2 })];
  assert.deepEqual(await all(), {
    ...nothing,
    "fw.cache.entries": [{ value: 2, attributes: { cache: "queries" } }],
  });
  engines = [
    engine({ ...connections(1, 2, 10, 3), templates: 5 }),
    engine({ ...connections(4, 1, 20, 1), templates: 2 }),
    engine({
      templates: 1,
      replicas: [{ server: "a", isUsed: true, lagMs: 1500 }, {
        server: "b",
        isUsed: false,
        lagMs: undefined,
      }],
    }),
  ];
  const address = (server: string) => ({ "server.address": server });
  assert.deepEqual(await all(), {
    "db.client.connection.max": [{ value: 30 }],
    "db.client.connection.pending_requests": [{ value: 4 }],
    "db.client.connection.count": [
      { value: 5, attributes: { "db.client.connection.state": "used" } },
      { value: 3, attributes: { "db.client.connection.state": "idle" } },
    ],
    "fw.cache.entries": [{ value: 8, attributes: { cache: "queries" } }],
    "fw.replica.used": [{ value: 1, attributes: address("a") }, { value: 0, attributes: address("b") }],
    "fw.replica.lag": [{ value: 1.5, attributes: address("a") }],
  });
});

const OPEN = Symbol.for("opentelemetry.js.api.1");

/** Traces and measurements that note what they are told. */
function kindsOf(told: unknown[]): Kinds {
  const noting = (who: string) => ({
    record: (...values: readonly unknown[]) => void told.push([who, "record", ...values]),
    observe: (...values: readonly unknown[]) => void told.push([who, "observe", ...values]),
  });
  const traces = {
    ...noting("traces"),
    span: (name: string, options: unknown, work: (span: unknown) => unknown) => {
      told.push(["traces", "span", name, options]);
      return work("span");
    },
    headers: () => ({ traceparent: "t" }),
  } as unknown as Telemetry;
  const metrics = { ...noting("metrics"), render: () => ({}) } as unknown as OpenMetrics;
  return {
    ...denoKinds,
    telemetry: () => (name, version) => {
      told.push(["begin", name, version]);
      return traces;
    },
    metrics: () => () => metrics,
  };
}

Deno.test("OpenTelemetry watches where it is there and not switched off, measurements where they are asked for", async () => {
  const had = Object.getOwnPropertyDescriptor(globalThis, OPEN);
  const metrics = { server: { metrics: { requires: "operator" } } };
  const begun = ["begin", "shop", "1.2"];
  const record = ["record", "http.server.request.duration", 1, {}];
  const observe = ["observe", "fw.dead_letters", undefined];
  const cases: readonly [boolean, object, readonly unknown[] | undefined, object][] = [
    [false, {}, undefined, {}],
    [true, { telemetry: false }, undefined, {}],
    [true, {}, [begun, ["traces", "span", "n", {}], ["traces", ...record], ["traces", ...observe]], {
      traceparent: "t",
    }],
    [false, metrics, [["metrics", ...record], ["metrics", ...observe]], {}],
    [true, { ...metrics, telemetry: false }, [["metrics", ...record], ["metrics", ...observe]], {}],
    [
      ...[true, metrics] as const,
      [
        ...[begun, ["traces", "span", "n", {}], ["traces", ...record], ["metrics", ...record]],
        ...[["traces", ...observe], ["metrics", ...observe]],
      ],
      { traceparent: "t" },
    ],
  ];
  try {
    for (const [isThere, env, expected, headers] of cases) {
      if (isThere) Object.defineProperty(globalThis, OPEN, { value: {}, configurable: true });
      else delete (globalThis as Record<symbol, unknown>)[OPEN];
      const told: unknown[] = [];
      const kinds = kindsOf(told);
      const runtime = createShop({
        kinds,
        env: env as Record<string, unknown>,
        name: "shop",
        version: "1.2",
      });
      const { telemetry, metrics: scraped, kinds: seen } = await watchersOf(runtime);
      assert.equal(telemetry !== undefined, expected !== undefined, JSON.stringify(env));
      assert.equal(scraped !== undefined, "server" in env);
      assert.equal(seen.fetch !== kinds.fetch, expected !== undefined);
      if (telemetry) {
        assert.equal(telemetry.span("n", {}, () => "done"), "done");
        telemetry.record("http.server.request.duration", 1, {});
        telemetry.observe("fw.dead_letters", undefined as never);
        assert.deepEqual(telemetry.headers(), headers);
      }
      assert.deepEqual(told, expected ?? []);
      await runtime.close();
    }
  } finally {
    delete (globalThis as Record<symbol, unknown>)[OPEN];
    if (had) Object.defineProperty(globalThis, OPEN, had);
  }
});

const PRODUCTION = {
  auth: { kind: "basic", users: { op: { password: "p", roles: ["operator"] }, bob: { password: "p" } } },
};

Deno.test("measurements have a route for their role; at a port of their own only where a role is named", async () => {
  const cases: readonly [object, string, string | undefined, number][] = [
    [{ requires: "operator" }, "/metrics", "op", 200],
    [{ requires: "operator" }, "/metrics", "bob", 403],
    [{ requires: "operator" }, "/metrics", undefined, 401],
    [{ requires: "operator", path: "/own" }, "/own", "op", 200],
    [{ requires: "operator", path: "/own" }, "/metrics", "op", 404],
    [{ port: 9 }, "/metrics", "op", 404],
    [{ port: 9, requires: "operator" }, "/metrics", "op", 200],
  ];
  for (const [metrics, path, user, status] of cases) {
    const env = { server: { metrics }, requires: PRODUCTION };
    const runtime = createShop({ kinds: denoKinds, data: undefined, env });
    const headers: HeadersInit = user ? { authorization: `Basic ${btoa(`${user}:p`)}` } : {};
    const response = await runtime.fetch(new Request(`http://localhost${path}`, { headers }));
    assert.equal(response.status, status, JSON.stringify([metrics, path, user]));
    if (status === 200) assert.match(response.headers.get("content-type")!, /^application\/openmetrics-text/);
    await response.body?.cancel();
    await runtime.close();
  }
});

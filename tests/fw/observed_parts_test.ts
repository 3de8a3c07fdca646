/** What somebody who watches is told of requests, statements and messages, in process: names, attributes, failures. */

import assert from "node:assert/strict";
import type { AuthenticationStrategy } from "../../src/auth/strategy.ts";
import { EventContext } from "../../src/context/event_context.ts";
import {
  observedChannel,
  observedDatabase,
  observedHandler,
  observedSender,
  observedStrategy,
} from "../../src/fw/observed_parts.ts";
import type { Channel, Delivery } from "../../src/messaging/channel.ts";
import { type Database, type DatabaseTransaction, JsonRows } from "../../src/service/database.ts";
import type { Attributes, SpanOptions, Telemetry } from "../../src/telemetry/telemetry.ts";

interface SeenSpan {
  readonly name: string;
  readonly kind: SpanOptions["kind"];
  readonly isPart: boolean | undefined;
  readonly attributes: Attributes;
  readonly parent: string | undefined;
  readonly failed: string | undefined;
}

/** Notes spans as they begin, with what they are told later, and measurements without their times. */
function watcher() {
  const spans: SeenSpan[] = [];
  const records: [string, Attributes][] = [];
  const telemetry: Telemetry = {
    span(name, { kind, isPart, attributes = {}, parent }, work) {
      const at = spans.push({
        ...{ name, kind, isPart, attributes, parent: parent?.("traceparent"), failed: undefined },
      }) - 1;
      return work({
        set: (more) =>
          void (spans[at] = { ...spans[at]!, attributes: { ...spans[at]!.attributes, ...more } }),
        rename: () => {},
        fail: (failed) => void (spans[at] = { ...spans[at]!, failed }),
      });
    },
    headers: () => ({ traceparent: "mine" }),
    record(name, seconds, attributes) {
      assert.ok(seconds >= 0 && seconds < 60, `${seconds} s`);
      records.push([name, attributes]);
    },
    observe: () => {},
  };
  return { telemetry, spans, records };
}

Deno.test("a request is a span of its route, which a status from 500 on marks as failed", async () => {
  const cases: readonly [string, number, string, string | undefined][] = [
    ["GET", 200, "GET", undefined],
    ["POST", 404, "POST", undefined],
    ["PUT", 499, "PUT", undefined],
    ["PATCH", 500, "PATCH", "500"],
    ["DELETE", 503, "DELETE", "503"],
    ["OPTIONS", 204, "OPTIONS", undefined],
    ["HEAD", 200, "HEAD", undefined],
    ["BREW", 501, "_OTHER", "501"],
  ];
  for (const [method, status, shown, failed] of cases) {
    const { telemetry, spans, records } = watcher();
    const routes: string[] = [];
    const handler = observedHandler(
      (_request, info) => Promise.resolve(new Response(null, { status, headers: { info: String(info) } })),
      telemetry,
      (pathname) => {
        routes.push(pathname);
        return "/cat";
      },
    );
    const headers = { traceparent: "theirs" };
    const response = await handler(new Request("https://host/cat/Books?x=1", { method, headers }), "peer");
    assert.deepEqual([response.status, response.headers.get("info"), routes], [status, "peer", [
      "/cat/Books",
    ]]);
    const attributes = {
      ...{ "http.request.method": shown, "http.route": "/cat", "url.scheme": "https" },
      "http.response.status_code": status,
    };
    assert.deepEqual(spans, [{
      ...{ name: `${shown} /cat`, kind: "server", isPart: undefined, attributes, parent: "theirs", failed },
    }]);
    assert.deepEqual(records, [["http.server.request.duration", attributes]]);
  }
});

Deno.test("authentication is a span with the kind of its strategy, and does what the strategy does", () => {
  const { telemetry, spans } = watcher();
  const context = new EventContext();
  const strategy = {
    kind: "jwt",
    challenge: "Bearer",
    authenticate: (...given: unknown[]) => given,
  } as unknown as AuthenticationStrategy;
  const observed = observedStrategy(strategy, telemetry);
  assert.equal(observed.challenge, "Bearer");
  const given = ["request", context, "client"] as unknown as Parameters<typeof observed.authenticate>;
  assert.deepEqual(observed.authenticate(...given), given);
  assert.deepEqual(spans.map(({ name, attributes }) => [name, attributes]), [
    ["authenticate", { "fw.auth.kind": "jwt" }],
  ]);
});

Deno.test("a request to others takes the trace along, and fails with its status from 400 on or with its error", async () => {
  const cases: readonly [number | Error, string | undefined, Attributes][] = [
    [204, undefined, { "http.response.status_code": 204 }],
    [399, undefined, { "http.response.status_code": 399 }],
    [400, "400", { "http.response.status_code": 400 }],
    [502, "502", { "http.response.status_code": 502 }],
    [Object.assign(new Error("no"), { code: "ECONNREFUSED" }), undefined, { "error.type": "ECONNREFUSED" }],
    [new TypeError("no"), undefined, { "error.type": "TypeError" }],
  ];
  for (const [outcome, failed, more] of cases) {
    const { telemetry, spans, records } = watcher();
    const sent: unknown[] = [];
    const send = observedSender((request, keyPair) => {
      sent.push([request.headers.get("traceparent"), request.headers.get("accept"), keyPair]);
      if (typeof outcome !== "number") return Promise.reject(outcome);
      return Promise.resolve({ status: outcome } as Response);
    }, telemetry);
    const answer = send(
      new Request("https://other:8443/x", { method: "POST", headers: { accept: "a/b" } }),
      "pair" as never,
    );
    if (typeof outcome === "number") assert.equal((await answer).status, outcome);
    else await assert.rejects(answer, outcome);
    assert.deepEqual(sent, [["mine", "a/b", "pair"]]);
    const attributes = { "http.request.method": "POST", "server.address": "other" };
    const told = typeof outcome === "number" ? { ...attributes, ...more } : attributes;
    assert.deepEqual(spans.map((one) => [one.name, one.kind, one.attributes, one.failed]), [
      ["POST", "client", told, failed],
    ]);
    assert.deepEqual(records, [["http.client.request.duration", { ...attributes, ...more }]]);
  }
});

/** A database whose transactions give what they are asked, as the tests want. */
function databaseOf(kind: string, members: Partial<Record<keyof DatabaseTransaction, unknown>>): Database {
  const transaction = { commit: () => {}, rollback: () => {}, ...members } as unknown as DatabaseTransaction;
  return { kind, begin: () => transaction } as unknown as Database;
}

const books = { ref: ["shop.Books"] };

Deno.test("a statement is a span with its entity and the number of its rows", async () => {
  const cases: readonly [object, unknown, string, number | undefined][] = [
    [{ SELECT: { from: books } }, [{ ID: 1 }, { ID: 2 }], "SELECT shop.Books", 2],
    [{ SELECT: { from: books } }, Promise.resolve([{ ID: 1 }]), "SELECT shop.Books", 1],
    [{ SELECT: { from: books } }, [], "SELECT shop.Books", 0],
    [{ SELECT: { from: books } }, new JsonRows("[]", 7), "SELECT shop.Books", 7],
    [{ SELECT: { from: books } }, null, "SELECT shop.Books", undefined],
    [
      { SELECT: { from: { ref: [{ id: "shop.Books", where: [] }, "author"] } } },
      {},
      "SELECT shop.Books",
      undefined,
    ],
    [{ SELECT: { from: { SELECT: { from: books } } } }, [], "SELECT shop.Books", 0],
    [{ SELECT: { from: { join: "left", args: [] } } }, [], "SELECT", 0],
    [{ SELECT: { from: { ref: [] } } }, [], "SELECT", 0],
    [{ INSERT: { into: "shop.Books", entries: [] } }, 3, "INSERT shop.Books", 3],
    [{ UPDATE: { entity: "shop.Books" } }, 0, "UPDATE shop.Books", 0],
    [{ DELETE: { from: "shop.Books" } }, 1, "DELETE shop.Books", 1],
    [{ note: 1, SET: { op: "union", args: [] } }, [], "SET", 0],
    [{ other: {} }, "text", "QUERY", undefined],
  ];
  for (const [query, result, name, rows] of cases) {
    const { telemetry, spans, records } = watcher();
    const database = observedDatabase(databaseOf("postgres", { run: () => result }), telemetry);
    const found = database.begin(new EventContext()).run(query as never);
    assert.equal(await found, await result);
    const [operation, entity] = name.split(" ");
    const attributes = {
      ...{ "db.system.name": "postgresql", "db.operation.name": operation },
      ...entity && { "db.collection.name": entity },
    };
    const told = { ...attributes, ...rows !== undefined && { "db.response.returned_rows": rows } };
    assert.deepEqual(spans, [{
      ...{ name, kind: "client", isPart: true, attributes: told, parent: undefined, failed: undefined },
    }], JSON.stringify(query));
    assert.deepEqual(records, [["db.client.operation.duration", attributes]]);
  }
});

Deno.test("each way to run a statement is seen, with its engine, and is only there where the engine has it", async () => {
  const { telemetry, spans } = watcher();
  const seen = (...given: readonly unknown[]) => given;
  const names = ["run", "readJson", "openCursor", "enqueue", "define", "sql"] as const;
  const inner = Object.fromEntries(
    names.map((name) => [name, (...given: unknown[]) => seen(name, ...given)]),
  );
  const all = { ...inner, within: () => ({ ...inner, commit: () => "inner" }) };
  const claim = (request: unknown) => [request];
  const base = { ...databaseOf("sqlite", all), claim } as unknown as Database;
  const database = observedDatabase(base, telemetry);
  const transaction = database.begin(new EventContext()) as Required<DatabaseTransaction>;
  const query = { SELECT: { from: books } } as never;
  const row = { ID: 1 };
  const found = [
    transaction.run(query, "p" as never),
    transaction.readJson(query, "p" as never),
    transaction.openCursor(query, "p" as never, "o" as never),
    transaction.enqueue("Queue", row as never),
    transaction.define({ CREATE: { entity: "x" } } as never),
    transaction.sql("SELECT 1", [1]),
    transaction.within(new EventContext()).run(query, "q" as never),
    await database.claim!({ entity: "Queue" } as never),
  ];
  assert.deepEqual(found, [
    ["run", query, "p"],
    ["readJson", query, "p"],
    ["openCursor", query, "p", "o"],
    ["enqueue", "Queue", row],
    ["define", { CREATE: { entity: "x" } }],
    ["sql", "SELECT 1", [1]],
    ["run", query, "q"],
    [{ entity: "Queue" }],
  ]);
  assert.deepEqual(spans.map(({ name }) => name), [
    ...["SELECT shop.Books", "SELECT shop.Books", "SELECT shop.Books", "INSERT Queue", "CREATE", "SQL"],
    ...["SELECT shop.Books", "CLAIM Queue"],
  ]);
  assert.ok(spans.every(({ attributes }) => attributes["db.system.name"] === "sqlite"));
  const bare = observedDatabase(databaseOf("memory", { run: () => [] }), watcher().telemetry);
  const none = bare.begin(new EventContext());
  assert.deepEqual(names.slice(1).map((name) => none[name as "sql"]), names.slice(1).map(() => undefined));
  assert.deepEqual([none.within, bare.claim], [undefined, undefined]);
});

Deno.test("a statement that fails is recorded with the type of its error", async () => {
  const failures: readonly [() => unknown, string][] = [
    [() => Promise.reject(Object.assign(new Error("no"), { code: "23505" })), "23505"],
    [() => {
      throw new RangeError("no");
    }, "RangeError"],
  ];
  for (const [run, type] of failures) {
    const { telemetry, records } = watcher();
    const database = observedDatabase(databaseOf("sqlite", { run }), telemetry);
    const running = async () =>
      await database.begin(new EventContext()).run({ SELECT: { from: books } } as never);
    await assert.rejects(running, /no/);
    assert.deepEqual(records.map(([name, attributes]) => [name, attributes["error.type"]]), [
      ["db.client.operation.duration", type],
    ]);
  }
});

Deno.test("messages that are sent and handled are spans, whose parents their headers name", async () => {
  const { telemetry, spans, records } = watcher();
  let deliver: ((delivery: Delivery) => unknown) | undefined;
  const published: unknown[] = [];
  const channel = {
    kind: "local-messaging",
    publish: (messages: readonly unknown[]) => Promise.resolve(void published.push(messages)),
    subscribe: (subscription: unknown, onDelivery: typeof deliver) => {
      deliver = onDelivery;
      return subscription;
    },
  } as unknown as Channel;
  const observed = observedChannel(channel, telemetry);
  const message = (headers: object) => ({ topic: "shop/sold", headers, data: {} });
  const several = [message({ traceparent: "first" }), message({ traceparent: "second" })] as never;
  await observed.publish(several);
  await observed.publish([message({ traceparent: 7 })] as never);
  assert.equal(published[0], several);
  assert.equal(observed.subscribe("sub" as never, (delivery) => delivery as never), "sub");
  const delivery = { message: message({ traceparent: "sender" }) } as unknown as Delivery;
  assert.equal(await deliver!(delivery), delivery);
  const common = { "messaging.system": "local-messaging", "messaging.destination.name": "shop/sold" };
  const sending = { ...common, "messaging.operation.name": "send" };
  const processing = { ...common, "messaging.operation.name": "process" };
  assert.deepEqual(spans.map((one) => [one.name, one.kind, one.parent, one.attributes]), [
    ["send shop/sold", "producer", "first", { ...sending, "messaging.batch.message_count": 2 }],
    ["send shop/sold", "producer", undefined, { ...sending, "messaging.batch.message_count": 1 }],
    ["process shop/sold", "consumer", "sender", processing],
  ]);
  assert.deepEqual(records, [
    ["messaging.client.operation.duration", sending],
    ["messaging.client.operation.duration", sending],
    ["messaging.process.duration", processing],
  ]);
});

Deno.test("the time of a request is told in seconds, once it is answered", async () => {
  const { now } = performance;
  let at = 1_000;
  performance.now = () => at;
  const told: unknown[] = [];
  const { telemetry } = watcher();
  try {
    const observed = observedHandler(
      () => {
        at += 2_500;
        return Promise.resolve(new Response("x", { status: 202 }));
      },
      { ...telemetry, record: (...given) => void told.push(given) },
      () => "/route",
    );
    await (await observed(new Request("https://a/b"))).body?.cancel();
  } finally {
    performance.now = now;
  }
  assert.deepEqual(told, [["http.server.request.duration", 2.5, {
    ...{ "http.request.method": "GET", "http.route": "/route", "url.scheme": "https" },
    "http.response.status_code": 202,
  }]]);
});

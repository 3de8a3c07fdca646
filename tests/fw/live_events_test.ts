/** Which events are kept for clients that follow them, and when old ones are removed. */

import assert from "node:assert/strict";
import fw, { EventContext } from "../../mod.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { Emitter } from "../../src/fw/emitter.ts";
import { openLiveEvents } from "../../src/fw/live_events.ts";
import { csnOf, withShop } from "./shop.ts";

const MODEL = csnOf(`
  service News { event told { n : Integer; } action tell(); }
  @protocol: 'none' service Inner { event quiet { n : Integer; } }
`);

type Live = NonNullable<RuntimeParts["live"]>;

interface Given {
  readonly live: Live;
  readonly warnings: string[];
  /** Emits an event of a service in a transaction of a tenant. */
  emit(event: string, data: unknown, tenant?: string): Promise<void>;
  /** Payloads that are kept. */
  kept(tenant?: string): Promise<readonly unknown[]>;
}

async function withNews(
  test: (given: Given) => Promise<void>,
  limits: Readonly<Record<string, number>> = {},
): Promise<void> {
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (...values: readonly unknown[]) => void warnings.push(values.map(String).join(" "));
  try {
    const env = { limits, log: { levels: { default: "warn" } }, requires: { queue: false } };
    await withShop({ model: MODEL, data: undefined, env }, async (runtime) => {
      const live = runtime.live!;
      await test({
        ...{ live, warnings },
        async emit(event, data, tenant) {
          const [name, local] = event.split(".") as [string, string];
          await fw.tx({ tenant }, (tx) => fw.services[name]!.tx(tx.context).emit(local, data as object));
        },
        async kept(tenant) {
          return (await live.feed(tenant).read(0)).map(({ event, data }) => [event, JSON.parse(data)]);
        },
      });
    });
  } finally {
    console.warn = warn;
  }
}

Deno.test("events of services that have a protocol are kept by tenant as they are committed", () =>
  withNews(async ({ emit, kept, live }) => {
    await emit("News.told", { n: 1 });
    await emit("News.told", { n: 2 }, "t1");
    await emit("News.told", undefined);
    await emit("Inner.quiet", { n: 3 });
    await assert.rejects(fw.tx(async (tx) => {
      await fw.services.News!.tx(tx.context).emit("told", { n: 4 });
      throw new Error("no");
    }));
    const all = await kept();
    assert.deepEqual(all[0], ["News.told", { n: 1 }]);
    assert.equal(all.length, 2);
    assert.deepEqual(await kept("t1"), [["News.told", { n: 2 }]]);
    assert.deepEqual(await kept("t2"), []);
    assert.equal(live.feed("t1"), live.feed("t1"));
    assert.notEqual(live.feed("t1"), live.feed(undefined));
  }));

Deno.test("payloads that are too long, or no JSON, are kept from clients and warned of", () =>
  withNews(async ({ emit, kept, warnings }) => {
    const fitting = { text: "x".repeat(89) }; // with the member around it 100 characters
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    await emit("News.told", fitting);
    await emit("News.told", { text: "x".repeat(90) });
    await emit("News.told", circle);
    assert.deepEqual(await kept(), [["News.told", fitting]]);
    assert.deepEqual(
      warnings.map((text) => /News\.told: clients do not get .*?(?=:| \(|$)/.exec(text)?.[0]),
      [
        "News.told: clients do not get a payload of 101 characters",
        "News.told: clients do not get a payload that is no JSON",
      ],
    );
    assert.match(warnings[0]!, /\("fw\.limits\.liveEventLength"\)/);
    assert.match(warnings[1]!, /circular/i);
  }, { liveEventLength: 100 }));

Deno.test("old events are looked for after a tenth of the events, or of the time, that are kept", async () => {
  const { now } = Date;
  let at = now();
  Date.now = () => at;
  try {
    await withNews(async ({ emit, live }) => {
      const feed = live.feed(undefined) as unknown as { trim(): Promise<void> };
      let trims = 0;
      feed.trim = () => Promise.resolve(void trims++);
      const counts = async (times: number, passed = 0) => {
        const found: number[] = [];
        for (let time = 0; time < times; time++) {
          at += passed;
          await emit("News.told", { n: 1 });
          await new Promise((resolve) => setTimeout(resolve)); // nobody waits for it
          found.push(trims);
        }
        return found;
      };
      assert.deepEqual(await counts(9), [1, 1, 1, 1, 2, 2, 2, 2, 3], "a tenth of 30 events is 3");
      assert.deepEqual(await counts(4, 5_000), [3, 3, 4, 4], "a tenth of 100 seconds is 10");
      await emit("News.told", { n: 1 }, "t1");
      assert.equal(trims, 4, "other tenants have other events");
    }, { liveEvents: 30, liveEventMs: 100_000 });
  } finally {
    Date.now = now;
  }
});

Deno.test("a reset and the end of a tenant forget what was kept, and end its streams", () =>
  withNews(async ({ emit, kept, live }) => {
    const ended: unknown[] = [];
    const { streams } = live as unknown as { streams: { end(tenant?: string): void } };
    const end = streams.end.bind(streams);
    streams.end = (...tenant) => {
      ended.push(tenant);
      end(...tenant);
    };
    for (const tenant of [undefined, "t1", "t2"]) await emit("News.told", { n: 1 }, tenant);
    const feed = live.feed("t1");
    await live.leave("t1");
    assert.deepEqual(ended, [["t1"]]);
    assert.notEqual(live.feed("t1"), feed);
    assert.deepEqual([(await kept()).length, (await kept("t1")).length, (await kept("t2")).length], [
      1,
      0,
      1,
    ]);
    await fw.runtime.reset();
    assert.deepEqual(ended, [["t1"], []]);
    assert.deepEqual([(await kept()).length, (await kept("t2")).length], [0, 0]);
  }));

Deno.test("nothing is kept where fw.server.live is false", () =>
  withShop({ model: MODEL, data: undefined, env: { server: { live: false } } }, async (runtime) => {
    assert.equal(runtime.live, undefined);
    await fw.services.News!.emit("told", { n: 1 });
  }));

Deno.test("events are stored where there is an outbox for their tenant, and a database that outlives the process", async () => {
  const stored = new Error("asks the database");
  const cases: readonly [string, boolean, object | undefined, boolean | undefined, boolean][] = [
    ["no database", false, undefined, undefined, false],
    ["no outbox", true, undefined, false, false],
    ["no outbox of the tenant", true, { isFor: () => false }, false, false],
    ["a database in memory", true, { isFor: () => true }, true, false],
    ["a database", true, { isFor: () => true }, false, true],
    ["a database that is not open yet", true, { isFor: () => true }, undefined, true],
  ];
  for (const [what, hasDatabase, queue, isVolatile, isStored] of cases) {
    const db = hasDatabase
      ? {
        opened: () => isVolatile === undefined ? undefined : { isVolatile },
        withEngine: () => Promise.reject(stored),
        rootOptions: { log: { error: () => {} } },
      }
      : undefined;
    const runtime = {
      ...{ env: {}, db, queue, name: "app", limits: { liveEvents: 10, liveEventMs: 1_000 } },
      ...{ events: new Emitter(), log: () => ({}) },
    };
    const live = openLiveEvents(runtime as unknown as RuntimeParts)!;
    const reading = live.feed("t1").read(0);
    if (isStored) await assert.rejects(reading, stored, what);
    else assert.deepEqual(await reading, [], what);
  }
});

Deno.test("who waits for events is woken by their commit", () =>
  withNews(async ({ emit, live }) => {
    let woken = 0;
    const wake = () => void woken++;
    await live.feed(undefined).enter(wake);
    await emit("News.told", { n: 1 });
    await new Promise((resolve) => setTimeout(resolve));
    live.feed(undefined).leave(wake);
    assert.ok(woken > 0);
  }));

Deno.test("the end waits for what is under way: removing old events, and looking for new ones", () =>
  withNews(async ({ emit, live }) => {
    const done: string[] = [];
    const slowly = (what: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      done.push(what);
    };
    const feed = live.feed(undefined) as unknown as { trim(): Promise<void>; idle(): Promise<void> };
    Object.assign(feed, { trim: slowly("trimmed"), idle: slowly("idle") });
    await emit("News.told", { n: 1 });
    await live.leave(undefined as unknown as string);
    assert.deepEqual(done.splice(0), ["trimmed", "idle"]);
    const next = live.feed(undefined) as unknown as { trim(): Promise<void>; idle(): Promise<void> };
    Object.assign(next, { trim: slowly("trimmed"), idle: slowly("idle") });
    await emit("News.told", { n: 1 });
    await fw.runtime.reset();
    assert.deepEqual(done.splice(0), ["trimmed", "idle"]);
    const last = live.feed(undefined) as unknown as { trim(): Promise<void>; idle(): Promise<void> };
    Object.assign(last, { trim: slowly("trimmed"), idle: slowly("idle") });
    await emit("News.told", { n: 1 });
    const { streams } = live as unknown as { streams: { close(): void } };
    const close = streams.close.bind(streams);
    streams.close = () => (done.push("streams"), close());
    await live.close();
    assert.deepEqual(done, ["streams", "trimmed", "idle"]);
  }));

Deno.test("conditions of events decide about payloads", () =>
  withNews(async ({ live }) => {
    const event = fw.model.definitions["News.told"] as Parameters<Live["condition"]>[0];
    const condition = live.condition(event, [{ ref: ["n"] }, ">", { val: 1 }]);
    const context = new EventContext();
    assert.deepEqual([await condition({ n: 2 }, context), await condition({ n: 1 }, context)], [true, false]);
  }));

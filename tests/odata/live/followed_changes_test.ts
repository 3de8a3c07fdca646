/** How a stream of changes looks for news, and when it says that there are none (fw.limits.liveSilenceMs). */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { runWithContext } from "../../../src/context/store.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { createExchange } from "../../../src/odata/exchange.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";
import { followChanges } from "../../../src/odata/live/followed_changes.ts";
import type { Following } from "../../../src/odata/live/following.ts";
import { createScopes } from "../../../src/odata/odata_adapter.ts";
import { withClock } from "../../security/clock.ts";

const MODEL = parseCdl(`service S {
  @odata.trackChanges @cds.persistence.skip entity Items { key ID : Integer; name : String; }
  @cds.persistence.skip entity Others { key ID : Integer; }
}`);

/** A clock that is set forward by those who wait, at once. */
async function withTimers(run: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  await withClock(async (forward) => {
    globalThis.setTimeout = ((done: () => void, ms: number) => {
      forward(ms);
      return setTimeout(done);
    }) as typeof setTimeout;
    try {
      await run(forward);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  });
}

/** Follows a collection whose rows are `rows`; each look at them takes `lookMs`. */
async function follow(forward: (ms: number) => void, { url = "Items", lookMs = 0, last }: {
  readonly url?: string;
  readonly lookMs?: number;
  readonly last?: string;
} = {}) {
  const rows: Row[] = [{ ID: 1, name: "one" }];
  const runtime = createRuntime({
    model: MODEL,
    env: {
      limits: { liveSilenceMs: 5_000 },
      requires: { db: false },
      log: { levels: { default: "silent" } },
    },
    handlers: {
      S: (srv) => {
        srv.on("READ", () => {
          forward(lookMs);
          return rows.map((row) => ({ ...row }));
        });
      },
    },
  });
  await runtime.start();
  const slept: number[] = [];
  const stream = {
    isOver: false,
    sleep: (ms: number) => {
      slept.push(ms);
      forward(ms);
      return Promise.resolve();
    },
  };
  const watched: unknown[] = [];
  const looks = { take: (_: unknown, look: () => unknown): unknown => look() };
  const live = { streams: { watch: (one: unknown) => void watched.push(one), looks } };
  const context = new EventContext();
  const scope = createScopes({ service: runtime.services.S!, host: runtime, root: "/s" })(context);
  const request = { method: "GET", headers: new HeaderList(), body: null };
  const exchange = createExchange(scope, { request, context, rawUrl: url });
  const following = { live, stream, last } as unknown as Following;
  try {
    const { parts } = await runWithContext(context, () => followChanges(exchange, following));
    assert.deepEqual(watched, [stream]);
    return { parts, rows, slept, stream, live, runtime };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

Deno.test("where nothing happens it is looked now and then, and said at last", () =>
  withTimers(async (forward) => {
    const { parts, slept, runtime } = await follow(forward);
    const first = (await parts.next()).value!;
    assert.match(first, /^retry: 1000\n:\nid: (.+)\n\n$/);
    const silence = first.slice(first.indexOf(":\nid"));
    assert.equal((await parts.next()).value, silence);
    assert.deepEqual(slept, [2_000, 2_000, 800]);
    assert.equal((await parts.next()).value, silence);
    assert.deepEqual(slept.slice(3), [2_000, 2_000, 800]);
    await runtime.close();
  }));

Deno.test("looks that take long take no more than their part of the time", () =>
  withTimers(async (forward) => {
    const { parts, slept, runtime } = await follow(forward, { lookMs: 150 });
    await parts.next();
    await parts.next();
    assert.deepEqual(slept, [3_000, 1_600]);
    await runtime.close();
  }));

Deno.test("news are told as they are found, and the silence begins anew", () =>
  withTimers(async (forward) => {
    const { parts, rows, slept, stream, runtime } = await follow(forward);
    const id = (text: string | void) => /^id: (.+)$/m.exec(text!)![1]!;
    const start = id((await parts.next()).value);
    rows.push({ ID: 2, name: "two" });
    const news = (await parts.next()).value!;
    const [, data] = /^id: .+\ndata: (.+)\n\n$/.exec(news)!;
    assert.deepEqual(JSON.parse(data!).value, [{ ID: 2, name: "two" }]);
    assert.notEqual(id(news), start);
    assert.deepEqual(slept, []);
    assert.equal(id((await parts.next()).value), id(news));
    assert.deepEqual(slept, [2_000, 2_000, 800]);
    stream.isOver = true;
    assert.deepEqual(await parts.next(), { done: true, value: undefined });
    await runtime.close();
  }));

Deno.test("a stream ends where it gets no turn to look any more", () =>
  withTimers(async (forward) => {
    const { parts, live, runtime } = await follow(forward);
    await parts.next();
    live.streams.looks.take = () => undefined;
    assert.deepEqual(await parts.next(), { done: true, value: undefined });
    await runtime.close();
  }));

Deno.test("what cannot be followed is refused at once (Protocol 11.3)", () =>
  withTimers(async (forward) => {
    await assert.rejects(follow(forward, { url: "Others" }), {
      status: 406,
      message:
        'There is nothing to follow at "Others": neither an event, nor a collection whose changes are tracked (@odata.trackChanges)',
    });
    await assert.rejects(follow(forward, { last: "nothing" }), { status: 410 });
    await assert.rejects(follow(forward, { url: "Items?$deltatoken=nothing" }), { status: 410 });
  }));

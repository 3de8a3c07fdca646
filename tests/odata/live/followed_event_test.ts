/** What a stream of an event tells of its feed, and what answers that begin a stream are like. */

import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { runWithContext } from "../../../src/context/store.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { createExchange } from "../../../src/odata/exchange.ts";
import { type HeaderEntry, HeaderList } from "../../../src/odata/header_list.ts";
import { followEvent } from "../../../src/odata/live/followed_event.ts";
import type { Following } from "../../../src/odata/live/following.ts";
import { answerLive, asksForEvents, type LiveOptions } from "../../../src/odata/live/live_answer.ts";
import { createScopes } from "../../../src/odata/odata_adapter.ts";
import type { FeedEntry } from "../../../src/service/live/live_data.ts";
import { withClock } from "../../security/clock.ts";

const MODEL = parseCdl(`service S {
  type Spot { city : String; floor : Integer; }
  @cds.persistence.skip entity Items { key ID : Integer; name : String; }
  event Ordered { ID : Integer; spot : Spot; spots : many Spot; tags : many String; item : Association to Items; }
  event Bare;
  @requires: 'admin' event Closed { ID : Integer; }
  @restrict: [{ grant: 'READ', to: 'any', where: 'ID > 1' }] event Picked { ID : Integer; }
}`);

interface Given {
  readonly url?: string;
  readonly last?: string;
  readonly entries?: readonly FeedEntry[];
  readonly headers?: readonly HeaderEntry[];
  readonly method?: string;
  readonly isFromOtherSite?: boolean;
  readonly hasLive?: boolean;
  readonly isMet?: (payload: unknown) => boolean;
}

/** A request for events whose feed knows `entries` behind position 3, and whose stream sleeps once. */
async function requested(forward: (ms: number) => void, given: Given) {
  const { url = "Ordered", last, entries = [], headers = [], method = "GET", isMet = () => true } = given;
  const runtime = createRuntime({
    model: MODEL,
    env: {
      limits: { liveSilenceMs: 5_000 },
      requires: { db: false },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  const done: string[] = [];
  const stream = {
    isOver: false,
    wake: () => {},
    sleep: (ms: number) => {
      done.push(`slept ${ms}`);
      return new Promise<void>((resolve) =>
        setTimeout(() => {
          forward(ms);
          resolve();
        })
      );
    },
  };
  const bounds = { removed: 3, last: 8 };
  const feed = {
    enter: (wake: unknown) => Promise.resolve().then(() => wake === stream.wake ? bounds : undefined),
    leave: (wake: unknown) => void done.push(wake === stream.wake ? "left" : "left another"),
    read: (after: number) =>
      Promise.resolve().then(() => entries.filter(({ position }) => position > after).slice(0, 2)),
  };
  const live = {
    streams: {
      open: () => stream,
      remove: (one: unknown) => void done.push(one === stream ? "removed" : "removed another"),
    },
    close: () => {},
    feed: () => feed,
    condition: () => (payload: unknown) => Promise.resolve().then(() => isMet(payload)),
  };
  Object.defineProperty(runtime, "live", { value: given.hasLive === false ? undefined : live });
  const context = new EventContext();
  const scope = createScopes({ service: runtime.services.S!, host: runtime, root: "/s" })(context);
  const request = {
    method,
    headers: new HeaderList(headers),
    body: null,
    isFromOtherSite: given.isFromOtherSite ?? false,
  };
  const exchange = createExchange(scope, { request, context, rawUrl: url });
  return {
    runtime,
    exchange,
    done,
    stream,
    following: { live, stream, last } as unknown as Following,
    context,
  };
}

/** The first texts of a stream of an event, and what was done with it. */
async function told(count: number, given: Given) {
  const texts: string[] = [];
  let done: readonly string[] = [];
  await withClock(async (forward) => {
    const { runtime, exchange, following, context, stream, ...others } = await requested(forward, given);
    done = others.done;
    const event = exchange.scope.definition.events[given.url ?? "Ordered"]!;
    const { parts, close } = await runWithContext(context, () => followEvent(exchange, event, following));
    while (texts.length < count) texts.push((await parts.next()).value!);
    stream.isOver = true;
    close();
    await runtime.close();
  });
  return { texts, done };
}

const entry = (position: number, event: string, data: object): FeedEntry => {
  return { position, event: `S.${event}`, data: JSON.stringify(data) };
};

Deno.test("a stream tells the payloads of its event, and each position that it has come to (HTML 9.2.6)", async () => {
  const entries = [
    entry(9, "Ordered", { ID: 1 }),
    entry(10, "Bare", { ID: 2 }),
    entry(11, "Ordered", { ID: 3 }),
    entry(12, "Ordered", { ID: 4 }),
    entry(13, "Bare", {}),
    entry(14, "Bare", {}),
    entry(15, "Ordered", { ID: 5 }),
  ];
  assert.deepEqual(await told(5, { entries }), {
    texts: [
      "retry: 1000\n:\nid: 8\n\n",
      'id: 9\ndata: {"ID":1}\n\n',
      'id: 11\ndata: {"ID":3}\n\nid: 12\ndata: {"ID":4}\n\n',
      'id: 15\ndata: {"ID":5}\n\n',
      ":\nid: 15\n\n",
    ],
    done: ["slept 5000", "left"],
  });
});

Deno.test("a stream goes on behind what the client has, unless that is gone (fw.limits)", async () => {
  for (const [last, id] of [[undefined, 8], ["", 8], ["3", 3], ["5", 5], ["8", 8]] as const) {
    assert.deepEqual((await told(1, { last })).texts, [`retry: 1000\n:\nid: ${id}\n\n`], last);
  }
  for (const last of ["2", "9", "x", "-4", "5.5", "12345678901234567"]) {
    await withClock(async (forward) => {
      const { exchange, following, runtime, done } = await requested(forward, { last });
      const event = exchange.scope.definition.events.Ordered!;
      await assert.rejects(
        followEvent(exchange, event, following),
        { status: 410, code: "EVENTS_GONE" },
        last,
      );
      assert.deepEqual(done, ["left"]);
      await runtime.close();
    });
  }
});

Deno.test("payloads have the declared members of their event, at any depth; without declaration they are whole", async () => {
  const data = {
    ID: 1,
    secret: 2,
    spot: { city: "x", secret: 1 },
    spots: [{ floor: 1, secret: 2 }, null],
    tags: ["a"],
    item: { ID: 5, name: "y", secret: 3 },
    item_ID: 5,
    spot_city: "z",
    tags_more: 1,
    toString: 1,
  };
  const shown = {
    ID: 1,
    spot: { city: "x" },
    spots: [{ floor: 1 }, null],
    tags: ["a"],
    item: { ID: 5, name: "y" },
    item_ID: 5,
    spot_city: "z",
  };
  const payload = async (url: string) => {
    const { texts } = await told(2, { url, entries: [entry(9, url, data)] });
    return JSON.parse(texts[1]!.replace(/^id: 9\ndata: /, ""));
  };
  assert.deepEqual(await payload("Ordered"), shown);
  assert.deepEqual(await payload("Bare"), data);
  const { texts } = await told(2, { entries: [{ position: 9, event: "S.Ordered", data: "[1]" }] });
  assert.equal(texts[1], "id: 9\ndata: [1]\n\n");
});

Deno.test("a stream tells what meets the restrictions of the user only (spec 6.3)", async () => {
  const entries = [entry(9, "Picked", { ID: 1 }), entry(10, "Picked", { ID: 2 })];
  const isMet = (payload: unknown) => (payload as { ID: number }).ID > 1;
  assert.deepEqual((await told(2, { url: "Picked", entries, isMet })).texts[1], 'id: 10\ndata: {"ID":2}\n\n');
});

/** Status and headers of the answer to a request for events, or why there is none. */
async function answered(given: Given, options?: LiveOptions) {
  let answer: unknown;
  let done: readonly string[] = [];
  await withClock(async (forward) => {
    const { exchange, runtime, stream, ...others } = await requested(forward, given);
    done = others.done;
    try {
      const { status, headers, stream: body } = await answerLive(exchange, options);
      stream.isOver = true;
      await (body as ReadableStream | undefined)?.cancel();
      answer = [status, new Headers([...headers] as [string, string][]).get("content-type")];
    } catch (error) {
      assert.ok(isServiceError(error), String(error));
      answer = `${error.status} ${error.message}`;
    }
    await runtime.close();
  });
  return { answer, done };
}

Deno.test("events are asked for by their local or full name, without options; nothing stays open where they are refused", async () => {
  const stream = { answer: [200, "text/event-stream"], done: ["removed", "left"] };
  assert.deepEqual(await answered({}), stream);
  assert.deepEqual(await answered({ url: "S.Ordered" }), stream);
  assert.deepEqual(await answered({ url: "%4Frdered" }), stream);
  assert.deepEqual(await answered({ url: "Ordered?x=1" }, { followsChanges: false }), stream);
  const refused = async (given: Given, options?: LiveOptions) => {
    const { answer, done } = await answered(given, options);
    assert.deepEqual(done.filter((one) => one !== "removed"), []);
    return String(answer).slice(0, 3);
  };
  assert.equal(await refused({ url: "Ordered?$top=1" }), "400");
  assert.equal(await refused({ url: "Ordered?x=1&%24top=1" }), "400");
  assert.equal(await refused({ isFromOtherSite: true }), "403");
  assert.equal(await refused({ hasLive: false }), "406");
  assert.equal(await refused({ url: "Items" }), "406");
  assert.equal(await refused({ url: "Items" }, { followsChanges: false }), "404");
  assert.equal(await refused({ url: "%zz" }, { followsChanges: false }), "404");
  assert.equal(await refused({ url: "toString" }, { followsChanges: false }), "404");
  assert.deepEqual((await answered({ headers: [["last-event-id", "1"]] })).done, ["left", "removed"]);
});

Deno.test("a client wants events where it accepts them before JSON (RFC 9110 12.5.1)", async () => {
  const wants = async (accept: string, method = "GET") => {
    let found: boolean | undefined;
    await withClock(async (forward) => {
      const { exchange, runtime } = await requested(forward, { method, headers: [["accept", accept]] });
      found = asksForEvents(exchange);
      await runtime.close();
    });
    return found;
  };
  assert.equal(await wants("text/event-stream"), true);
  assert.equal(await wants("text/event-stream", "POST"), false);
  assert.equal(await wants("text/event-stream,application/json"), true);
  assert.equal(await wants("application/json,text/event-stream"), false);
  assert.equal(await wants("application/json;q=0.5,text/event-stream"), true);
  assert.equal(await wants("text/html,text/event-stream"), true);
  assert.equal(await wants("text/event-stream;q=0"), false);
  assert.equal(await wants("application/json"), false);
});

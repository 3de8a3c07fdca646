/*
 * Bounds of streams of events, and how they end: docs/guides/live.md.
 */

import assert from "node:assert/strict";
import { createRuntime, type Runtime } from "../../mod.ts";
import { CustomTokens } from "./token_app.ts";
import { eventually } from "../contract/channel.ts";
import { optionsOf, withApp } from "../service/rules/on_engines.ts";
import { following, openStream } from "./event_source.ts";
import { newsApp, tell } from "./news.ts";

const TOLD = "/odata/v4/news/Told";

async function codeOf(runtime: Runtime, user: string): Promise<string> {
  const { response } = await openStream(runtime, TOLD, { user });
  return (await response.json()).error.code;
}

Deno.test("a user holds no more streams than liveStreamsOfUser, all together no more than liveStreams", async () => {
  await withApp(newsApp({ liveStreams: 3, liveStreamsOfUser: 2 }), "memory", async ({ runtime }) => {
    const open = async (user: string) => await (await openStream(runtime, TOLD, { user })).begun();
    const bobs = [await open("bob"), await open("bob")];
    assert.equal(await codeOf(runtime, "bob"), "TOO_MANY_STREAMS");
    const eves = await open("eve");
    assert.equal(await codeOf(runtime, "eve"), "TOO_MANY_STREAMS");
    await bobs[0]!.close();
    assert.equal(runtime.live!.streams.size, 2, "a stream that its client left counts no more");
    const again = await open("bob");
    for (const stream of [bobs[1]!, eves, again]) await stream.close();
    assert.equal(runtime.live!.streams.size, 0);
  });
});

Deno.test("silence is broken by comments that take the client on", async () => {
  await withApp(newsApp({ liveSilenceMs: 20 }), "memory", async (app) => {
    await following(app.runtime, TOLD, {
      user: "alice",
      run: async (events) => {
        const first = events.lastEventId;
        await tell(app, "hide", { n: 1 });
        while (events.lastEventId === first) await events.begun();
        assert.ok(Number(events.lastEventId) > Number(first), "it passes events that are not its own");
      },
    });
  });
});

Deno.test("a reader that takes nothing is cut off", async () => {
  await withApp(newsApp({ stalledStreamMs: 30, liveSilenceMs: 5 }), "memory", async (app) => {
    const stream = await openStream(app.runtime, TOLD, { user: "bob" });
    await eventually(() => app.runtime.live!.streams.size === 0);
    await assert.rejects(async () => {
      while (await stream.next());
    }, /does not take the next part/);
  });
});

Deno.test("streams end with the token of their user", async () => {
  const runtime = createRuntime({
    ...optionsOf(newsApp()),
    kinds: { ...optionsOf(newsApp()).kinds, strategies: CustomTokens },
    env: {
      ...newsApp().env,
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "test-tokens" } },
    },
  });
  try {
    await following(runtime, TOLD, {
      run: async (events) => assert.equal(await events.next(), undefined),
    });
  } finally {
    await runtime.close();
  }
});

Deno.test("streams end when the process drains, and when it ends", async () => {
  const runtime = createRuntime(optionsOf(newsApp(), "sqlite"));
  try {
    const first = await (await openStream(runtime, TOLD, { user: "bob" })).begun();
    runtime.readiness.drain();
    assert.equal(await first.next(), undefined);
    // until the load balancer knows, clients come again
    const second = await (await openStream(runtime, TOLD, { user: "bob" })).begun();
    const closing = runtime.close();
    assert.equal(await second.next(), undefined);
    await closing;
    const late = await (await openStream(runtime, TOLD, { user: "bob" })).begun();
    assert.equal(await late.next(), undefined);
  } finally {
    await runtime.close();
  }
});

Deno.test("initial rows that are restored end streams, whose positions are gone then", async () => {
  await withApp(newsApp(), "sqlite", async (app) => {
    const stream = await (await openStream(app.runtime, TOLD, { user: "bob" })).begun();
    await tell(app, "tell", { n: 1 });
    await stream.next();
    await app.runtime.reset();
    assert.equal(await stream.next(), undefined);
    const { response } = await openStream(app.runtime, TOLD, {
      user: "bob",
      lastEventId: stream.lastEventId,
    });
    assert.equal(response.status, 410);
    await response.body?.cancel();
  });
});

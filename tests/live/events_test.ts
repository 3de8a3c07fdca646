/*
 * Declared events as server-sent events (HTML Living Standard 9.2): `GET <service>/<event>` with `Accept:
 * text/event-stream`. Rules: docs/guides/live.md.
 */

import assert from "node:assert/strict";
import { optionsOf, testOnEngines, withApp } from "../service/rules/on_engines.ts";
import { following, openStream } from "./event_source.ts";
import { newsApp, tell } from "./news.ts";

const TOLD = "/odata/v4/news/Told";

testOnEngines("a client gets what is emitted, and what it missed meanwhile", newsApp(), async (app) => {
  const { runtime } = app;
  assert.equal(await tell(app, "tell", { n: 0, text: "before anybody listens" }), 204);
  let last = "";
  await following(runtime, TOLD, {
    user: "bob",
    run: async (events) => {
      assert.equal(events.response.headers.get("cache-control"), "no-store, no-transform");
      for (const n of [1, 2]) assert.equal(await tell(app, "tell", { n, text: "line\nbreak" }), 204);
      assert.deepEqual(await events.take(2), [
        { n: 1, text: "line\nbreak", inner: { a: 1 } },
        { n: 2, text: "line\nbreak", inner: { a: 1 } },
      ]);
      last = events.lastEventId;
    },
  });
  await tell(app, "tell", { n: 3 });
  assert.equal(await tell(app, "fail", { n: 99 }), 409);
  await tell(app, "tell", { n: 4 });
  await following(runtime, TOLD, {
    user: "bob",
    lastEventId: last,
    run: async (events) => {
      await tell(app, "tell", { n: 5 });
      const received = await events.take(3) as { n: number }[];
      assert.deepEqual(received.map(({ n }) => n), [3, 4, 5], "a rollback sends nothing");
    },
  });
});

testOnEngines(
  "a stream that has sent nothing yet can be resumed from its beginning",
  newsApp(),
  async (app) => {
    let last = "";
    await following(app.runtime, TOLD, {
      user: "bob",
      run: (events) => void (last = events.lastEventId) as never,
    });
    assert.match(last, /^\d+$/);
    await tell(app, "tell", { n: 1 });
    await following(app.runtime, TOLD, {
      user: "bob",
      lastEventId: last,
      run: async (events) => assert.deepEqual(await events.take(1), [{ n: 1, inner: { a: 1 } }]),
    });
  },
);

testOnEngines("events keep the restrictions of the caller", newsApp(), async (app) => {
  const { runtime } = app;
  assert.equal((await openStream(runtime, TOLD)).response.status, 401);
  const refused = await openStream(runtime, "/odata/v4/news/Secret", { user: "bob" });
  assert.equal(refused.response.status, 403);
  assert.deepEqual(await refused.response.json(), {
    error: { code: "403", message: "Forbidden", "@Common.numericSeverity": 4 },
  });
  await following(runtime, "/odata/v4/news/Secret", {
    user: "alice",
    run: async (events) => {
      await tell(app, "hide", { n: 7 });
      assert.deepEqual(await events.take(1), [{ n: 7 }]);
    },
  });
  const parcels = [["eve", 1], ["bob", 50], ["bob", 2], [null, 3], ["alice", 4]]
    .map(([owner, size]) => ({ owner, size }));
  const seenBy = async (user: string, count: number) => {
    let seen: unknown[] = [];
    await following(runtime, "/odata/v4/news/Parcels", {
      user,
      run: async (events) => {
        for (const parcel of parcels) await tell(app, "ship", parcel);
        await tell(app, "ship", { owner: user, size: 9 });
        seen = await events.take(count);
      },
    });
    return seen;
  };
  assert.deepEqual(await seenBy("bob", 2), [{ owner: "bob", size: 2 }, { owner: "bob", size: 9 }]);
  assert.deepEqual(await seenBy("eve", 2), [{ owner: "eve", size: 1 }, { owner: "eve", size: 9 }]);
  assert.deepEqual(await seenBy("carl", 6), [...parcels, { owner: "carl", size: 9 }]);
  assert.deepEqual(await seenBy("alice", 6), [...parcels, { owner: "alice", size: 9 }]);
});

testOnEngines(
  "a client that has too little to go on is told so",
  newsApp({ liveEvents: 10 }),
  async (app) => {
    const { runtime } = app;
    let last = "";
    await following(runtime, TOLD, {
      user: "bob",
      run: (events) => void (last = events.lastEventId) as never,
    });
    for (const lastEventId of ["17", "x", `${last}0`]) {
      const { response } = await openStream(runtime, TOLD, { user: "bob", lastEventId });
      assert.equal(response.status, 410, lastEventId);
      assert.deepEqual(await response.json(), {
        error: {
          code: "EVENTS_GONE",
          message: "Events behind the last one you have are not kept any more, read the data again",
          "@Common.numericSeverity": 4,
        },
      });
    }
    for (let n = 0; n < 20; n++) await tell(app, "tell", { n });
    await runtime.live!.close();
    const { response } = await openStream(runtime, TOLD, { user: "bob", lastEventId: last });
    assert.equal(response.status, 410);
    await response.body?.cancel();
  },
);

Deno.test("REST and HCQL serve events as well, services without protocol do not keep them", async () => {
  await withApp(newsApp(), "sqlite", async (app) => {
    const { runtime } = app;
    for (const path of ["/rest/news/Told", "/hcql/news/Told", "/odata/v4/news/News.Told"]) {
      await following(runtime, path, {
        user: "bob",
        run: async (events) => {
          assert.equal(
            events.response.headers.get("odata-version"),
            path.startsWith("/odata") ? "4.0" : null,
          );
          await tell(app, "tell", { n: 1 });
          assert.deepEqual(await events.take(1), [{ n: 1, inner: { a: 1 } }]);
        },
      });
    }
    await runtime.services.Inner!.emit("Quiet", { n: 1 });
    const kept = await runtime.live!.feed(undefined).read(0);
    assert.deepEqual([...new Set(kept.map(({ event }) => event))], ["News.Told"]);
  });
});

Deno.test("the name of an event is percent-encoded where URLs need it (RFC 3986, 2.1)", async () => {
  await withApp(newsApp(), "memory", async ({ runtime }) => {
    for (const name of ["Geh%C3%B6rt", "Square.Geh%c3%b6rt", "%47ehört"]) {
      await following(runtime, `/odata/v4/square/${name}`, {
        run: async (events) => {
          await runtime.services.Square!.emit("Gehört", { n: 1 });
          assert.deepEqual(await events.take(1), [{ n: 1 }], name);
        },
      });
    }
    for (const [name, status] of [["Geh%25C3%25B6rt", 404], ["Geh%C3rt", 400], ["Shouted%", 400]] as const) {
      const { response } = await openStream(runtime, `/odata/v4/square/${name}`);
      await response.body?.cancel();
      assert.equal(response.status, status, name);
    }
  });
});

Deno.test("events in a file are there for clients that come back after a restart", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw-live-" });
  const app = newsApp();
  const { auth } = (optionsOf(app).env as { requires: { auth: object } }).requires;
  const db = { kind: "sqlite", credentials: { url: `${folder}/news.sqlite` } };
  const stored = { ...app, env: { ...app.env, requires: { auth, db } } };
  let last = "";
  try {
    await withApp(stored, "sqlite", async (running) => {
      await following(running.runtime, TOLD, {
        user: "bob",
        run: async (events) => {
          await tell(running, "tell", { n: 1 });
          await events.take(1);
          last = events.lastEventId;
        },
      });
      await tell(running, "tell", { n: 2 });
    });
    await withApp(stored, "sqlite", ({ runtime }) =>
      following(runtime, TOLD, {
        user: "bob",
        lastEventId: last,
        run: async (events) => assert.equal((await events.take(1) as { n: number }[])[0]!.n, 2),
      }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an event that anybody may follow opens no other one beside it [5.2.7]", async () => {
  await withApp(newsApp(), "memory", async ({ runtime }) => {
    const statusOf = async (event: string, user?: string) => {
      const events = await openStream(runtime, `/odata/v4/square/${event}`, { user });
      await events.close();
      return events.response.status;
    };
    assert.deepEqual([await statusOf("Shouted"), await statusOf("Whispered")], [200, 401]);
    assert.equal(await statusOf("Whispered", "bob"), 200);
  });
});

Deno.test("what is no event is answered as such", async () => {
  await withApp(newsApp(), "memory", async ({ runtime }) => {
    const statusOf = async (path: string, headers: Record<string, string> = {}) => {
      const events = await openStream(runtime, path, { user: "bob", headers });
      await (events.response.status === 200 ? events.close() : events.response.body?.cancel());
      return events.response.status;
    };
    assert.equal(await statusOf("/odata/v4/news/Nothing"), 404);
    assert.equal(await statusOf("/rest/news/Items"), 404);
    assert.equal(await statusOf(`${TOLD}?$filter=n eq 1`), 400);
    assert.equal(await statusOf(TOLD, { accept: "application/json" }), 404);
    assert.equal(await statusOf(TOLD, { accept: "text/event-stream;q=0" }), 404);
    assert.equal(await statusOf(TOLD, { accept: "text/event-stream;q=0.5, application/json;q=0.4" }), 200);
    assert.equal(await statusOf(TOLD, { accept: "text/event-stream;q=0.5, application/json" }), 404);
    assert.equal(
      await statusOf("/odata/v4/news/Items", { accept: "application/json, text/event-stream" }),
      200,
    );
    assert.equal(await statusOf("/odata/v4/news/PlainItems"), 406);
    assert.equal(await statusOf("/odata/v4/news/Items(1)"), 406);
  });
});

Deno.test("fw.server.live: false keeps and sends nothing", async () => {
  const app = newsApp();
  await withApp({ ...app, env: { ...app.env, server: { live: false } } }, "sqlite", async (running) => {
    await tell(running, "tell", { n: 1 });
    const kept = await running.runtime.db!.run({ SELECT: { from: { ref: ["fw.outbox.Events"] } } });
    assert.deepEqual(kept, []);
    const { response } = await openStream(running.runtime, TOLD, { user: "bob" });
    assert.equal(response.status, 406);
    await response.body?.cancel();
  });
});

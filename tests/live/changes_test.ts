/*
 * Changes of collections as server-sent events, with the payloads of delta links (OData Protocol 11.3).
 */

import assert from "node:assert/strict";
import { testOnEngines, withApp } from "../service/rules/on_engines.ts";
import { following, openStream } from "./event_source.ts";
import { newsApp } from "./news.ts";

const ITEMS = "/odata/v4/news/Items";

interface Delta {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.deltaLink": string;
}

testOnEngines("a client follows a collection, and gets on with its delta link", newsApp(), async (app) => {
  const { runtime, send } = app;
  const patch = (id: number, body: object) => send("PATCH", `${ITEMS}(${id})`, body, { user: "alice" });
  let last: Delta | undefined;
  let lastEventId = "";
  await following(runtime, `${ITEMS}?$filter=name ne 'hidden'&$select=name`, {
    user: "bob",
    run: async (events) => {
      await patch(1, { name: "uno" });
      const first = (await events.next())!.data as Delta;
      assert.deepEqual(first.value.map(({ ID, name }) => ({ ID, name })), [{ ID: 1, name: "uno" }]);
      await patch(2, { name: "hidden" });
      last = (await events.next())!.data as Delta;
      assert.deepEqual(last.value.map((row) => row.reason), ["changed"]);
      lastEventId = events.lastEventId;
    },
  });
  await send("POST", ITEMS, { ID: 3, name: "three" }, { user: "alice" });
  const path = `/odata/v4/news/${last!["@odata.deltaLink"]}`;
  const { body } = await send("GET", path, undefined, { user: "bob" });
  assert.deepEqual((body.value as unknown as { ID: number }[]).map(({ ID }) => ID), [3]);
  for (
    const [from, sent] of [[path, {}], [`${ITEMS}?$filter=name ne 'hidden'&$select=name`, {
      lastEventId,
    }]] as const
  ) {
    await following(runtime, from, {
      user: "bob",
      ...sent,
      run: async (events) => {
        const missed = (await events.next())!.data as Delta;
        assert.deepEqual(missed.value.map(({ ID }) => ID), [3]);
      },
    });
  }
});

testOnEngines("changes of rows that a user may not see stay hidden", newsApp(), async ({ runtime, send }) => {
  await following(runtime, "/odata/v4/news/OwnItems", {
    user: "bob",
    run: async (events) => {
      await send("PATCH", `${ITEMS}(1)`, { name: "not for bob" }, { user: "alice" });
      await send("PATCH", `${ITEMS}(2)`, { name: "for bob" }, { user: "alice" });
      const { value } = (await events.next())!.data as Delta;
      assert.deepEqual(value.map(({ name }) => name), ["for bob"]);
    },
  });
});

Deno.test("tokens of others, and those that are gone, are refused", async () => {
  await withApp(newsApp(), "memory", async ({ runtime }) => {
    let lastEventId = "";
    await following(runtime, ITEMS, {
      user: "bob",
      run: (events) => Promise.resolve(void (lastEventId = events.lastEventId)),
    });
    for (
      const [user, id, path] of [["eve", lastEventId, ITEMS], ["bob", "nothing", ITEMS], [
        "bob",
        lastEventId,
        "/odata/v4/news/OwnItems",
      ]]
    ) {
      const { response } = await openStream(runtime, path!, { user, lastEventId: id });
      assert.equal(response.status, 410, `${user} ${path}`);
      await response.body?.cancel();
    }
    assert.equal((await openStream(runtime, ITEMS)).response.status, 401);
  });
});

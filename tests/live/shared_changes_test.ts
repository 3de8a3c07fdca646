/*
 * Delta links and streams of changes of several processes that share a database (OData Protocol 11.3): whichever answers.
 */

import assert from "node:assert/strict";
import type { Runtime } from "../../mod.ts";
import { SNAPSHOTS } from "../../src/odata/kept_for_clients.ts";
import { type Answer, sendTo, type Sent } from "../send_to.ts";
import { following, openStream } from "./event_source.ts";
import { newsApp } from "./news.ts";
import { SHARED, withProcesses } from "./processes.ts";

const ROOT = "/odata/v4/news/";
const TRACKED = { prefer: "track-changes" };

interface Delta {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.deltaLink": string;
}

async function ask(
  runtime: Runtime,
  method: string,
  path: string,
  sent: Sent & { readonly body?: unknown } = {},
): Promise<Answer> {
  return await sendTo(runtime, { method, path: ROOT + path, user: "bob", ...sent });
}

async function read(runtime: Runtime, path: string, sent: Sent = {}): Promise<Delta> {
  const { status, body, text } = await ask(runtime, "GET", path, sent);
  assert.equal(status, 200, text);
  return body as unknown as Delta;
}

/** States of one millisecond are equally old, and any of them may go first. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await new Promise((resolve) => setTimeout(resolve));
}

const rename = (runtime: Runtime, ID: number, name: string) =>
  ask(runtime, "PATCH", `Items(${ID})`, { body: { name } });

const snapshots = async (runtime: Runtime) =>
  await runtime.db!.run({ SELECT: { from: { ref: [SNAPSHOTS] } } }) as readonly Record<string, unknown>[];

for (const engine of SHARED) {
  Deno.test(`a delta link counts at every process (${engine})`, () =>
    withProcesses(engine, [newsApp(), newsApp(), newsApp()], async (one, other, third) => {
      const first = await read(one!, "Items?$select=name", { headers: TRACKED });
      await rename(third!, 1, "uno");
      const second = await read(other!, first["@odata.deltaLink"]);
      assert.deepEqual(second.value.map(({ ID, name }) => ({ ID, name })), [{ ID: 1, name: "uno" }]);
      await ask(one!, "DELETE", "Items(2)");
      await ask(one!, "POST", "Items", { body: { ID: 3, name: "three" } });
      const third3 = await read(third!, second["@odata.deltaLink"]);
      assert.deepEqual(third3.value.map(({ ID, id }) => ID ?? id), [3, "Items(2)"]);
      // an answer may get lost: the link before counts, too
      assert.equal((await read(one!, second["@odata.deltaLink"])).value.length, 2);
      assert.deepEqual((await read(one!, third3["@odata.deltaLink"])).value, []);
    }));

  Deno.test(`a delta link is that of one user and one collection at every process (${engine})`, () =>
    withProcesses(engine, [newsApp(), newsApp()], async (one, other) => {
      const link = (await read(one!, "Items", { headers: TRACKED }))["@odata.deltaLink"];
      assert.equal((await ask(other!, "GET", link, { user: "eve" })).status, 410);
      assert.equal((await ask(other!, "GET", link.replace("Items", "OwnItems"))).status, 410);
      assert.equal((await ask(other!, "GET", `${link.slice(0, -1)}x`)).status, 410);
      assert.equal((await ask(other!, "GET", link)).status, 200);
    }));

  Deno.test(`a stream of changes goes on at another process, which tells what both have written (${engine})`, () =>
    withProcesses(engine, [newsApp(), newsApp()], async (one, other) => {
      let lastEventId = "";
      await following(one!, `${ROOT}Items`, {
        user: "bob",
        run: async (events) => {
          await rename(other!, 1, "by the other");
          const { value } = (await events.next())!.data as Delta;
          assert.deepEqual(value.map(({ name }) => name), ["by the other"]);
          lastEventId = events.lastEventId;
        },
      });
      await rename(one!, 2, "by the first");
      await following(other!, `${ROOT}Items`, {
        user: "bob",
        lastEventId,
        run: async (events) => {
          const { value } = (await events.next())!.data as Delta;
          assert.deepEqual(value.map(({ name }) => name), ["by the first"]);
        },
      });
    }));

  Deno.test(`delta links outlive processes, and a model with other keys does not know them (${engine})`, () => {
    const [before, after] = [newsApp(), newsApp()];
    const changed = {
      ...after,
      cdl: after.cdl.replace("owner: String; }", "owner: String; more: Integer default 7; }"),
    };
    const rekeyed = {
      ...after,
      cdl: after.cdl.replace(
        "entity OwnItems as projection on db.Items;",
        "entity OwnItems as projection on db.Others;",
      )
        .replace("entity db.Items", "entity db.Others { key no: Integer; owner: String; }\nentity db.Items"),
    };
    return withProcesses(engine, [before, changed, rekeyed], async (old, wider, other) => {
      const items = (await read(old!, "Items", { headers: TRACKED }))["@odata.deltaLink"];
      const own = (await read(old!, "OwnItems", { headers: TRACKED }))["@odata.deltaLink"];
      const { value } = await read(wider!, items);
      // all rows have more now
      assert.deepEqual(value.map(({ ID, more }) => [ID, more]), [[1, 7], [2, 7]]);
      assert.deepEqual((await read(old!, items)).value, []);
      assert.equal((await ask(other!, "GET", own)).status, 410);
    });
  });

  Deno.test(`a long series of changes keeps few states, and each of them counts (${engine})`, () =>
    withProcesses(engine, [newsApp(), newsApp()], async (one, other) => {
      let { "@odata.deltaLink": link } = await read(one!, "Items", { headers: TRACKED });
      const links: string[] = [];
      for (let count = 0; count < 60; count++) {
        await rename(one!, 1 + count % 2, `name ${count}`);
        const delta = await read(count % 3 === 0 ? one! : other!, link);
        assert.deepEqual(delta.value.map(({ name }) => name), [`name ${count}`]);
        links.push(link = delta["@odata.deltaLink"]);
      }
      const kept = (await snapshots(one!)).length;
      assert.ok(kept >= 16 && kept <= 30, `${kept} are kept`);
      const late = await read(other!, links.at(-3)!);
      assert.deepEqual(late.value.map(({ name }) => name).sort(), ["name 58", "name 59"]);
      assert.equal((await ask(one!, "GET", links[0]!)).status, 410);
    }));

  Deno.test(`what is kept is bounded over all processes, and old states go (${engine})`, () => {
    const app = () => newsApp({ deltaSnapshotsOfUser: 3, deltaSnapshots: 5, deltaMs: 60_000 });
    return withProcesses(engine, [app(), app()], async (one, other) => {
      const links: string[] = [];
      for (let count = 0; count < 5; count++) {
        links.push(
          (await read(count % 2 === 0 ? one! : other!, "Items", { headers: TRACKED }))["@odata.deltaLink"],
        );
        await nextMillisecond();
      }
      const statuses = [];
      for (const link of links) statuses.push((await ask(one!, "GET", link)).status);
      assert.deepEqual(statuses, [410, 410, 200, 200, 200]);
      for (const user of ["alice", "carl", "eve"]) await read(one!, "Items", { headers: TRACKED, user });
      assert.equal((await snapshots(one!)).length, 5);
      assert.equal((await ask(other!, "GET", links[2]!)).status, 410);
      const old = { at: "2020-01-01T00:00:00Z" };
      await one!.db!.run({ UPDATE: { entity: SNAPSHOTS, data: old } });
      assert.equal((await ask(other!, "GET", links[4]!)).status, 410);
      await read(other!, "Items", { headers: TRACKED });
      assert.equal((await snapshots(one!)).length, 1);
    });
  });

  Deno.test(`a delta link in a group of a batch is answered within its transaction (${engine})`, () =>
    withProcesses(engine, [newsApp()], async (one) => {
      const link = (await read(one!, "Items", { headers: TRACKED }))["@odata.deltaLink"];
      const requests = [
        { id: "1", atomicityGroup: "g", method: "PATCH", url: "Items(1)", body: { name: "grouped" } },
        { id: "2", atomicityGroup: "g", method: "GET", url: link, dependsOn: ["1"] },
        { id: "3", atomicityGroup: "g", method: "GET", url: "Items", headers: TRACKED, dependsOn: ["1"] },
      ];
      const { body, text } = await ask(one!, "POST", "$batch", { body: { requests } });
      const [, delta, all] = (body as unknown as { responses: { status: number; body: Delta }[] }).responses;
      assert.deepEqual([delta?.status, all?.status], [200, 200], text);
      assert.deepEqual(delta!.body.value.map(({ name }) => name), ["grouped"]);
      for (const { "@odata.deltaLink": next } of [delta!.body, all!.body]) {
        assert.deepEqual((await read(one!, next)).value, []);
      }
    }));
}

Deno.test("states leave the database after their time, also where nobody comes back", () =>
  withProcesses("sqlite file", [newsApp({ deltaMs: 300 })], async (one) => {
    await read(one!, "Items", { headers: TRACKED });
    await read(one!, "Items?$select=name", { headers: TRACKED });
    while ((await snapshots(one!)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await snapshots(one!), []);
  }));

Deno.test("streams of one user do not push each other out, nor a delta link that is polled", () =>
  withProcesses("sqlite file", [newsApp()], async (one) => {
    const { "@odata.deltaLink": link } = await read(one!, "Items", { headers: TRACKED });
    const streams = [];
    for (let count = 0; count < 20; count++) {
      streams.push(await (await openStream(one!, `${ROOT}Items`, { user: "bob" })).begun());
    }
    for (let count = 0; count < 3; count++) {
      await rename(one!, 1, `name ${count}`);
      for (const events of streams) {
        const { value } = (await events.next())!.data as Delta;
        assert.deepEqual(value.map(({ name }) => name), [`name ${count}`]);
      }
    }
    assert.equal((await read(one!, link)).value.length, 1);
    for (const events of streams) await events.close();
  }));

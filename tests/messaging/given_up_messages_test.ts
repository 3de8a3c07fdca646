/** Dead letters of the outbox and of channels in one list (messaging 6). */

import assert from "node:assert/strict";
import { GivenUpMessages } from "../../src/messaging/given_up_messages.ts";

/** Time of an hour. */
const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;

/** A dead letter of a channel. */
function letter(id: string, time: string | undefined) {
  return {
    ...{ id, attempts: 1, lastError: "no use", at: time },
    message: { topic: "orders", data: {}, headers: {} },
  };
}

/** A dead letter of the outbox. */
function stored(ID: string, timestamp: string, lastAttemptTimestamp: string | null) {
  return { ...{ ID, target: "Shop", attempts: 1, lastError: "no use" }, timestamp, lastAttemptTimestamp };
}

/** The list of what an outbox and a channel have. */
function listed(
  inOutbox: readonly ReturnType<typeof stored>[],
  inChannel: readonly ReturnType<typeof letter>[],
) {
  const messages = new GivenUpMessages({
    outbox: { deadLetters: () => Promise.resolve(inOutbox) } as never,
    sources: () => [{ name: "messaging", letters: { list: () => Promise.resolve(inChannel) } as never }],
    multitenancy: false,
  });
  return messages.list().then((found) => found.map(({ ID }) => ID));
}

Deno.test("dead letters are in the order of their last attempts, wherever they are kept", async () => {
  assert.deepEqual(
    await listed([stored("late", at(1), at(5)), stored("early", at(4), at(2))], [letter("middle", at(3))]),
    ["early", "messaging:middle", "late"],
  );
});

Deno.test("dead letters without attempt count from when they were stored, those of unknown time come first", async () => {
  assert.deepEqual(
    await listed([stored("late", at(4), null), stored("early", at(2), null)], [
      letter("middle", at(3)),
      letter("unknown", undefined),
    ]),
    ["messaging:unknown", "early", "messaging:middle", "late"],
  );
});

/** A channel with some dead letters, and what was asked of it. */
function source(name: string, ids: readonly string[], more: object = {}) {
  const calls: unknown[][] = [];
  const letters = {
    list: (limit: number) => {
      calls.push(["list", limit]);
      return Promise.resolve(ids.map((id, n) => letter(id, at(n + 1))).slice(0, limit));
    },
    replay: (id: string) => Promise.resolve(calls.push(["replay", id]) > 0 && id !== "gone"),
    discard: (id: string) => Promise.resolve(calls.push(["discard", id]) > 0 && id !== "gone"),
  };
  return { name, calls, letters, ...more };
}

const givenUp = (sources: readonly object[], more: object = {}) =>
  new GivenUpMessages({ outbox: undefined, sources: () => sources as never, multitenancy: false, ...more });

Deno.test("a channel is asked for as many dead letters as are listed, 100 by default, and for 10,000 where one is looked for", async () => {
  const one = source("a", ["1", "12", "2"]);
  const messages = givenUp([one, source("b", ["1"]), { name: "c" }]);
  const ids = async (query?: object) => (await messages.list(query)).map(({ ID }) => ID);
  assert.deepEqual(await ids(), ["a:1", "b:1", "a:12", "a:2"]);
  assert.deepEqual(await ids({ limit: 2 }), ["a:1", "b:1"]);
  assert.deepEqual(await ids({ id: "a:1" }), ["a:1"], "the very one");
  assert.deepEqual(await ids({ id: "a:" }), ["a:1", "a:12", "a:2"]);
  assert.deepEqual(await ids({ id: "b" }), ["b:1"]);
  assert.deepEqual(one.calls, [["list", 100], ["list", 2], ["list", 10_000], ["list", 10_000]]);
});

Deno.test("dead letters of channels are tried again and removed by their ids there, one or all", async () => {
  const [one, other] = [source("a", ["1", "gone"]), source("b", ["1"])];
  const messages = givenUp([one, other]);
  assert.equal(await messages.replay({ id: "a:1" }), 1);
  assert.equal(await messages.replay(), 2);
  assert.deepEqual([await messages.discard({ id: "a:1" }), await messages.discard({ id: "a:gone" })], [
    true,
    false,
  ]);
  assert.deepEqual([await messages.discard({ id: "a:2" }), await messages.discard({ id: "1" })], [
    false,
    false,
  ]);
  const asked = (calls: unknown[][]) => calls.filter(([name]) => name !== "list");
  assert.deepEqual(asked(one.calls), [
    ...[["replay", "1"], ["replay", "1"], ["replay", "gone"], ["discard", "1"], ["discard", "gone"]],
  ]);
  assert.deepEqual(asked(other.calls), [["replay", "1"]]);
  assert.ok(one.calls.every(([name, limit]) => name !== "list" || limit === 10_000));
});

Deno.test("what waits in channels and was given up there is counted, up to 1,000", async () => {
  const waiting = source("a", ["1", "2"], { backlog: () => Promise.resolve({ waiting: 3, oldestAgeMs: 5 }) });
  const sources = [
    waiting,
    source("b", [], { backlog: () => Promise.resolve(undefined) }),
    { name: "c", backlog: () => Promise.resolve({ waiting: 0 }) },
    { name: "d" },
  ];
  const outbox = { states: () => Promise.resolve([{ target: "Shop", waiting: 1, oldestAgeMs: 2, dead: 0 }]) };
  const place = "channel";
  assert.deepEqual(await givenUp(sources, { outbox }).states(), [
    { place: "outbox", target: "Shop", waiting: 1, oldestAgeMs: 2, dead: 0 },
    { place, target: "a", waiting: 3, oldestAgeMs: 5, dead: 2 },
    { place, target: "b", unsubscribed: true, dead: 0 },
    { place, target: "c", waiting: 0 },
  ]);
  assert.deepEqual(waiting.calls, [["list", 1_000]]);
});

Deno.test("channels that cannot be asked are passed over and told of, or fail the question", async () => {
  const broken = { name: "a", letters: { list: () => Promise.reject(new Error("away")) } };
  const told: unknown[] = [];
  const onFailure = (name: string, error: unknown) => void told.push([name, (error as Error).message]);
  const passing = givenUp([broken, source("b", ["1"])], { onFailure });
  assert.deepEqual((await passing.list()).map(({ ID }) => ID), ["b:1"]);
  assert.deepEqual((await passing.states()).map(({ target }) => target), ["b"]);
  assert.deepEqual(told, [["a", "away"], ["a", "away"]]);
  await assert.rejects(givenUp([broken]).list(), { message: "away" });
  await assert.rejects(givenUp([broken]).states(), { message: "away" });
});

Deno.test("a dead letter of a channel is told as work of its service, with correlation id and tenant of its message", async () => {
  const cases: readonly (readonly [headers: object, tenantHeader: string | undefined, expected: object])[] = [
    [{}, undefined, { tenant: undefined }],
    [{ correlationid: "c" }, undefined, { tenant: undefined, id: "c" }],
    [{ "x-correlation-id": "x" }, undefined, { tenant: undefined, id: "x" }],
    [{ correlationid: "c", "x-correlation-id": "x" }, undefined, { tenant: undefined, id: "c" }],
    [{ correlationid: 7 }, undefined, { tenant: undefined }],
    [{ tenant: "t1" }, "tenant", { tenant: "t1" }],
    [{ tenant: "t1" }, undefined, { tenant: undefined }],
    [{ tenant: 7 }, "tenant", { tenant: undefined }],
    [{ other: "t1" }, "tenant", { tenant: undefined }],
  ];
  for (const [headers, tenantHeader, expected] of cases) {
    const found = { ...letter("1", at(1)), message: { topic: "orders", data: 1, headers, key: "k" } };
    const letters = { list: () => Promise.resolve([found]) };
    const [{ work, ...rest }] = await givenUp([{ name: "a", letters, tenantHeader }]).list();
    assert.deepEqual(rest, {
      ...{ ID: "a:1", target: "a", attempts: 1, lastError: "no use", lastAttemptTimestamp: at(1) },
    });
    assert.deepEqual(work, {
      ...{ service: "a", kind: "receive", event: "orders", data: 1, headers, key: "k" },
      ...expected,
    });
  }
});

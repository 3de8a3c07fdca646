/** Work as rows of the outbox (messaging 6), and small parts of who does it. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import {
  Alarm,
  ChunkSize,
  failureOf,
  isUnrecoverable,
  textOf,
  unrecoverable,
} from "../../src/messaging/outbox/dispatch_state.ts";
import {
  contextOfWork,
  fromRow,
  fromStoredSender,
  isPublished,
  isSameTask,
  lanesOf,
  type OutboxMessage,
  partitionOf,
  targetOf,
  toRow,
  toStoredSender,
} from "../../src/messaging/outbox/stored_work.ts";

const WORK = { service: "S", kind: "emit", event: "e" } as const;

/** Runs something while the clock stands still. */
function at<T>(ms: number, run: () => T): T {
  const now = Date.now;
  Date.now = () => ms;
  try {
    return run();
  } finally {
    Date.now = now;
  }
}

Deno.test("a row has the call, what is kept of its context, and when it is due", () => {
  const context = new EventContext({ id: "c", tenant: "t1", user: new User("ann"), locale: "de" });
  const work = { ...WORK, data: { a: 1n }, headers: { b: "c" }, key: "k" };
  const { ID, msg, ...row } = at(0, () => toRow(work, context, { application: "shop", after: 1500 }));
  assert.match(String(ID), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(row, {
    timestamp: "1970-01-01T00:00:00.000Z",
    target: "S",
    attempts: 0,
    partition: partitionOf("k"),
    task: null,
    appid: "shop",
    due: "1970-01-01T00:00:01.500Z",
  });
  assert.deepEqual(JSON.parse(String(msg)), {
    ...{ service: "S", kind: "emit", event: "e", headers: { b: "c" }, key: "k", data: { a: "1" } },
    ...{ id: "c", tenant: "t1", user: "ann", locale: "de" },
  });
  const plain = at(0, () => toRow(WORK, undefined, { application: "shop" }));
  assert.deepEqual([plain.partition, plain.due, plain.msg], [
    0,
    plain.timestamp,
    '{"service":"S","kind":"emit","event":"e"}',
  ]);
});

Deno.test("a row of a task has the key of its name", () => {
  const rowOf = (application: string, task: string) => toRow(WORK, undefined, { application, task });
  const { ID, task } = rowOf("shop", "clean");
  assert.match(String(ID), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(task, "clean");
  assert.equal(rowOf("shop", "clean").ID, ID);
  assert.notEqual(rowOf("shop", "other").ID, ID);
  assert.notEqual(rowOf("other", "clean").ID, ID);
});

Deno.test("a row is read as it was stored; one that cannot be read has no work", () => {
  const work = { ...WORK, kind: "publish" as const, data: new Uint8Array([1, 2]), every: 5 };
  const row = {
    ...toRow(work, undefined, { application: "shop" }),
    lastError: null,
    status: null,
    lastAttemptTimestamp: null,
  };
  const { msg: _, appid: __, ...columns } = row as Record<string, unknown>;
  const read = fromRow(row);
  assert.deepEqual(read, { ...columns, work: { ...work } });
  assert.equal(isPublished(read), true);
  assert.equal(isPublished({ ...read, work: WORK }), false);
  for (const msg of ["{", null, '{"service":"S"}', '{"kind":"emit"}', '{"service":1,"kind":"emit"}']) {
    const broken = fromRow({ ...row, msg });
    assert.equal(broken.work, undefined);
    assert.equal(isPublished(broken), false);
  }
});

Deno.test("work of a service, of each of its channels and of what came in has targets of its own", () => {
  assert.equal(targetOf(WORK), "S");
  assert.equal(targetOf({ ...WORK, kind: "publish", channel: "broker" }), "S/broker");
  assert.equal(targetOf({ ...WORK, kind: "receive", channel: "broker" }), "S/received");
});

Deno.test("rows of one key are one lane in their order, those without key are alone", () => {
  const message = (ID: string, partition: number) => ({ ID, partition }) as OutboxMessage;
  const rows = [message("a", 7), message("b", 0), message("c", 8), message("d", 7), message("e", 0)];
  assert.deepEqual(lanesOf(rows).map((lane) => lane.map(({ ID }) => ID)), [["a", "d"], ["b"], ["c"], ["e"]]);
});

Deno.test("the number of a key is that of its bytes, and never 0", () => {
  // FNV-1a, 32 bits: "" is 811c9dc5, "a" e40c292c, "foobar" bf9cf968
  assert.deepEqual(["", "a", "foobar"].map(partitionOf), [
    0x811c9dc5 >>> 1,
    0xe40c292c >>> 1,
    0xbf9cf968 >>> 1,
  ]);
  const hash = (key: string) =>
    new TextEncoder().encode(key).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5) >>> 1;
  for (const key of ["\x7f", "\x80", "é", "aé", "x€y"]) assert.equal(partitionOf(key), hash(key), key);
});

Deno.test("a repeated task is the same whoever schedules it, and no other work is", () => {
  const text = (changes: object) => JSON.stringify({ ...WORK, every: 5, data: 1, ...changes });
  assert.equal(isSameTask(text({ id: "1", user: "a", locale: "de" }), text({ id: "2", user: "b" })), true);
  for (const changes of [{ every: 6 }, { data: 2 }, { service: "T" }, { tenant: "t" }]) {
    assert.equal(isSameTask(text({}), text(changes)), false);
  }
  assert.equal(isSameTask(text({ every: undefined }), text({ every: undefined })), false);
  assert.equal(isSameTask("{", text({})), false);
  assert.equal(isSameTask(text({}), "{"), false);
});

Deno.test("stored work is done privileged as its user, and that of a known sender with the rights of then", () => {
  const context = contextOfWork({ ...WORK, id: "c", tenant: "t1", user: "ann", locale: "de" });
  assert.deepEqual([context.id, context.tenant, context.locale, context.user.id], ["c", "t1", "de", "ann"]);
  assert.ok(context.user instanceof User.Privileged);
  const ben = new User({ id: "ben", roles: ["a"], attr: { x: ["1"] }, tenant: "t2", features: ["f"] });
  const stored = toStoredSender(ben);
  assert.deepEqual({ ...stored, attr: { ...stored.attr }, roles: [...stored.roles as string[]] }, {
    ...{ id: "ben", roles: ["a"], attr: { x: ["1"] }, tenant: "t2", features: ["f"], isPrivileged: false },
  });
  const { user } = contextOfWork({ ...WORK, user: "ann", sender: stored });
  assert.deepEqual([user.id, user.roles, { ...user.attr }, user.tenant, [...user.features]], [
    ...["ben", ["a"], { x: ["1"] }, "t2", ["f"]],
  ]);
  assert.equal(user instanceof User.Privileged, false);
  const privileged = fromStoredSender(toStoredSender(new User.Privileged("root")));
  assert.deepEqual([privileged instanceof User.Privileged, privileged.id], [true, "root"]);
});

Deno.test("chunks grow while they are full and quick, shrink where they are slow, and stay within their room", () => {
  const chunk = (rows: number, elapsedMs: number, isBlocking = false, characters = 1) => ({
    rows,
    characters,
    elapsedMs,
    isBlocking,
  });
  const size = new ChunkSize();
  assert.deepEqual([size.rows, size.reset()], [10, false]);
  size.learn(chunk(10, 500));
  assert.equal(size.rows, 10, "one full chunk is no backlog");
  size.learn(chunk(10, 500));
  assert.equal(size.rows, 20);
  for (const elapsedMs of [501, 2000]) size.learn(chunk(20, elapsedMs));
  assert.equal(size.rows, 20, "neither quick nor slow");
  size.learn(chunk(20, 3, true));
  size.learn(chunk(40, 4, true));
  assert.equal(size.rows, 40);
  size.learn(chunk(40, 13, true));
  assert.equal(size.rows, 20);
  for (let n = 0; n < 10; n++) size.learn(chunk(20, 0));
  assert.equal(size.rows, 1000);
  size.learn(chunk(1000, 600, false, 16 * 1024 * 1024));
  assert.equal(size.rows, 500, "eight million characters at a time");
  size.learn(chunk(500, 2001));
  assert.equal(size.rows, 250);
  assert.deepEqual([size.reset(), size.rows], [true, 10]);
  size.learn(chunk(10, 2001));
  assert.equal(size.rows, 10);
  size.learn(chunk(10, 0));
  assert.equal(size.rows, 10, "counted anew");
});

Deno.test("an alarm rings once, at the earliest of the times it was asked for, and not after its end", () => {
  const timers: { run: () => void; ms: number; isCleared?: boolean }[] = [];
  const { setTimeout, clearTimeout } = globalThis;
  globalThis.setTimeout =
    ((run: () => void, ms: number) => timers.push({ run, ms })) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((id?: number) => {
    if (id !== undefined) timers[id - 1]!.isCleared = true;
  }) as typeof clearTimeout;
  let rings = 0;
  try {
    at(1000, () => {
      const alarm = new Alarm(() => rings++);
      for (const ms of [50, 60, 50, 40]) alarm.ringIn(ms);
      assert.deepEqual(timers.map(({ ms, isCleared }) => [ms, isCleared]), [[50, true], [40, undefined]]);
      timers[1]!.run();
      assert.equal(rings, 1);
      alarm.ringIn(2 ** 40);
      assert.equal(timers[2]!.ms, 2_147_483_647);
      alarm.end();
      alarm.ringIn(1);
      assert.deepEqual([timers.length, timers[2]!.isCleared], [3, true]);
    });
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});

Deno.test("what work failed with is told, stored up to 4,000 characters, and final where it says so", async () => {
  const reason = new Error("broken");
  assert.equal(await failureOf(Promise.resolve(1)), undefined);
  assert.deepEqual(await failureOf(Promise.reject(undefined)), { reason: undefined });
  assert.equal((await failureOf(Promise.reject(reason)))?.reason, reason);
  assert.equal(textOf(reason), reason.stack!.slice(0, 4000));
  assert.equal(textOf(Object.assign(new Error("x"), { stack: undefined })), "x");
  assert.equal(textOf(7), "7");
  assert.equal(textOf("y".repeat(4001)), "y".repeat(4000));
  assert.equal(unrecoverable("no").message, "no");
  assert.deepEqual([unrecoverable("no"), reason, { unrecoverable: 1 }, undefined].map(isUnrecoverable), [
    true,
    false,
    false,
    false,
  ]);
});

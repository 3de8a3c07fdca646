/**
 * The contract of channels that keep dead letters.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Backlog, Channel, DeadLetters, Delivery, Message } from "../../src/messaging/channel.ts";
import { eventually, type Transport } from "./channel.ts";
import { PATIENCE_MS } from "./within.ts";

type Register = (rule: string, run: (transport: Transport) => Promise<void>) => void;

/** The dead letters of a group. */
function lettersOf(channel: Channel, group: string): DeadLetters {
  const letters = channel.deadLetters?.(group);
  assert.ok(letters, "the channel keeps dead letters, but shows none");
  return letters;
}

/** Subscribes; messages that `isBad` holds for are given up. */
async function receive(channel: Channel, group: string, isBad: (data: unknown) => boolean = () => false) {
  const got: Delivery[] = [];
  await channel.subscribe({ group, topics: ["t"], concurrency: 1 }, async (delivery) => {
    got.push(delivery);
    await (isBad(delivery.message.data) ? delivery.nack({ dead: true, reason: "no use" }) : delivery.ack());
  });
  return got;
}

/** Waits until a group has so many dead letters. */
async function untilLetters(letters: DeadLetters, count: number) {
  for (const end = Date.now() + PATIENCE_MS;;) {
    const found = await letters.list(100);
    if (found.length === count) return found;
    if (Date.now() > end) throw new Error(`${found.length} dead letters, expected ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const note = (data: unknown, headers: Message["headers"] = {}): Message => ({ topic: "t", data, headers });

/** What waits for a group. */
async function waitingFor(channel: Channel, group: string): Promise<Backlog | undefined> {
  assert.ok(channel.backlog, "the channel keeps messages, but does not tell how many");
  return await channel.backlog(group);
}

/** Registers the tests of what waits for a group. */
export function testBacklog(test: Register): void {
  test("what waits for a group is counted until the group has handled it", async (transport) => {
    const channel = await transport.open();
    assert.equal(await waitingFor(channel, "nobody"), undefined);
    const first = await transport.open();
    const before = await receive(first, "g");
    await first.publish([note({ n: 0 })]);
    await eventually(() => before.length === 1);
    await first.close();
    const keyed = { ...note({ n: 3 }, { partitionkey: "k" }), key: "k" };
    await channel.publish([note({ n: 1 })]);
    await channel.publish([note({ n: 2 })]);
    await channel.publish([keyed]);
    const until = async (count: number) => {
      for (const end = Date.now() + PATIENCE_MS;;) {
        const found = await waitingFor(channel, "g");
        if (found?.waiting === count) return found;
        if (Date.now() > end) throw new Error(`${found?.waiting} messages wait, expected ${count}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const { oldestAgeMs = 0 } = await until(3);
    assert.ok(oldestAgeMs >= 0 && oldestAgeMs < 600_000, String(oldestAgeMs));
    const after = await receive(await transport.open(), "g");
    await eventually(() => after.length === 3);
    assert.equal((await until(0)).oldestAgeMs, undefined);
  });
}

/** Registers the tests. */
export function testDeadLetters(test: Register): void {
  test("dead letters are listed oldest first: message, deliveries, reason", async (transport) => {
    const channel = await transport.open();
    const letters = lettersOf(channel, "g");
    assert.deepEqual(await letters.list(10), []);
    await receive(channel, "g", () => true);
    const bytes = Uint8Array.of(0, 255);
    const keyed = { ...note({ n: 2 }, { partitionkey: "k" }), key: "k" };
    for (const [before, message] of [note({ n: 1 }, { x: "y" }), keyed, note(bytes)].entries()) {
      await channel.publish([message]);
      // One after the other, so that it is certain which one is older.
      await untilLetters(letters, before + 1);
    }
    const found = await letters.list(10);
    assert.deepEqual(found.map(({ message }) => [message.topic, message.data]), [
      ["t", { n: 1 }],
      ["t", { n: 2 }],
      ["t", bytes],
    ]);
    assert.deepEqual(
      found.map(({ attempts, lastError }) => [attempts, lastError]),
      Array(3).fill([1, "no use"]),
    );
    assert.deepEqual([found[0].message.headers.x, found[1].message.key], ["y", "k"]);
    assert.equal(new Set(found.map(({ id }) => id)).size, 3);
    assert.ok(found.every(({ at }) => !Number.isNaN(Date.parse(at!))));
    assert.deepEqual((await letters.list(1)).map(({ id }) => id), [found[0].id]);
    // Looking at them changes nothing.
    assert.deepEqual(await letters.list(10), found);
  });

  test("a replayed dead letter comes to the group that gave it up, and to no other", async (transport) => {
    const [first, second] = [await transport.open(), await transport.open()];
    let isRepaired = false;
    const a = await receive(first, "a", (data) => !isRepaired && data !== "end");
    const b = await receive(second, "b");
    const keyed: Message = { ...note("keyed", { partitionkey: "k" }), key: "k" };
    await first.publish([note("plain", { x: "y" })]);
    await first.publish([keyed]);
    const letters = lettersOf(second, "a");
    const found = await untilLetters(letters, 2);
    await eventually(() => b.length === 2);
    isRepaired = true;
    for (const { id } of found) assert.equal(await letters.replay(id), true);
    await eventually(() => a.length === 4);
    await first.publish([note("end")]);
    await first.publish([{ ...note("end", { partitionkey: "k" }), key: "k" }]);
    await eventually(() => a.length === 6 && b.length >= 4);
    const again = a.slice(2, 4).toSorted(({ message: one }, { message: other }) =>
      one.key ? 1 : other.key ? -1 : 0
    );
    assert.deepEqual(again.map(({ message, deliveries }) => [message.data, message.key, deliveries]), [
      ["plain", undefined, 1],
      ["keyed", "k", 1],
    ]);
    assert.equal(again[0].message.headers.x, "y");
    assert.deepEqual(b.map(({ message }) => message.data).toSorted(), ["end", "end", "keyed", "plain"]);
    assert.deepEqual(await letters.list(10), []);
    assert.deepEqual(await lettersOf(second, "b").list(10), []);
    assert.equal(await letters.replay(found[0].id), false);
  });

  test("a discarded dead letter is gone, others stay; unknown ids are told", async (transport) => {
    const channel = await transport.open();
    const got = await receive(channel, "g", () => true);
    for (const n of [1, 2]) await channel.publish([note(n)]);
    const letters = lettersOf(channel, "g");
    const found = await untilLetters(letters, 2);
    const [gone, left] = found;
    assert.equal(await letters.discard(gone.id), true);
    assert.deepEqual((await letters.list(10)).map(({ id }) => id), [left.id]);
    for (const id of [gone.id, "nope", "", "1:2"]) {
      assert.deepEqual([await letters.discard(id), await letters.replay(id)], [false, false], id);
    }
    assert.equal(got.length, 2);
  });

  test("what fails again after its replay is a dead letter again", async (transport) => {
    const channel = await transport.open();
    const got = await receive(channel, "g", () => true);
    await channel.publish([note(1)]);
    const letters = lettersOf(channel, "g");
    const [{ id }] = await untilLetters(letters, 1);
    assert.equal(await letters.replay(id), true);
    await eventually(() => got.length === 2);
    const [{ message, attempts }] = await untilLetters(letters, 1);
    assert.deepEqual([message.data, attempts], [1, 1]);
  });
}

import assert from "node:assert/strict";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { RecentMessages, recentMessagesOf } from "../../src/messaging/recent_messages.ts";
import { channelOptions } from "./channels.ts";

const turn = () => new Promise((go) => setTimeout(go, 0));
const message = (data: unknown, headers = {}) => ({ topic: "t", data, headers });

Deno.test("a message is remembered once it is stored, and again with each delivery, the newest first", async () => {
  const recent = new RecentMessages();
  const channel = createLocalChannel(channelOptions({}));
  const own = channel.publish.bind(channel);
  channel.publish = async (messages) => {
    await turn();
    await own(messages);
  };
  const watched = recent.watch(channel, "messaging");
  await watched.subscribe(
    { group: "g", topics: "*", concurrency: 1 },
    ({ deliveries, nack, ack }) => deliveries === 1 ? nack({ delayMs: 3 }) : ack(),
  );
  const publishing = watched.publish([message(1, { a: "b", authorization: "secret" })]);
  assert.deepEqual(recent.list(), []);
  await publishing;
  for (let turns = 0; turns < 500 && recent.list().length < 3; turns++) await turn();
  await watched.close();
  const [last, ...others] = recent.list().map(({ at, text, ...rest }) => {
    assert.match(at, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(JSON.parse(text).data, 1);
    assert.deepEqual(JSON.parse(text).headers.a, "b");
    assert.ok(!text.includes("secret"));
    return rest;
  });
  assert.deepEqual(last, { channel: "messaging", topic: "t", group: "g", deliveries: 2 });
  assert.deepEqual(others.toSorted((one, other) => (one.deliveries ?? 0) - (other.deliveries ?? 0)), [
    { channel: "messaging", topic: "t" },
    { channel: "messaging", topic: "t", group: "g", deliveries: 1 },
  ]);
  await assert.rejects(watched.publish([message(2)]), { message: "The channel is closed" });
  assert.equal(recent.list().length, 3);
});

Deno.test("the last hundred messages are remembered, each up to 4,000 characters", async () => {
  const recent = new RecentMessages();
  const watched = recent.watch(createLocalChannel(channelOptions({})), "messaging");
  const around = JSON.stringify({ headers: {}, data: "" }).length;
  await watched.publish([message("x".repeat(4_000 - around)), message("x".repeat(4_001 - around))]);
  assert.deepEqual(recent.list().map(({ text }) => [text.length, text.endsWith("}")]), [[4_000, true], [
    4_000,
    false,
  ]]);
  for (let n = 0; n < 98; n++) await watched.publish([message(n)]);
  assert.deepEqual([recent.list().length, recent.list().some(({ text }) => text.includes("x"))], [100, true]);
  await watched.publish([message("last"), message("last")]);
  assert.deepEqual([recent.list().length, recent.list().some(({ text }) => text.includes("x"))], [
    100,
    false,
  ]);
  await watched.close();
});

Deno.test("each runtime remembers its own messages", () => {
  const [one, other] = [{}, {}];
  assert.equal(recentMessagesOf(one), recentMessagesOf(one));
  assert.notEqual(recentMessagesOf(one), recentMessagesOf(other));
});

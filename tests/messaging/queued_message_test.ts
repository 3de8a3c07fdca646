import assert from "node:assert/strict";
import type { Channel } from "../../src/messaging/channel.ts";
import { enqueue, messageOf, promiseBeside } from "../../src/messaging/queued_message.ts";
import type { WorkQueue } from "../../src/service/queue/work_queue.ts";

const channel = (survives: string, more: object = {}) =>
  ({ guarantees: { survives, maxMessageBytes: 5 }, ...more }) as unknown as Channel;

const WAITS =
  "a commit waits until the channel has stored its messages; those that wait for a channel that cannot be reached are lost with this process";
const LOST = "messages that were not handed over yet are lost with this process";

Deno.test("a start tells which messages go with the process where no database keeps them", () => {
  const [stored, lost] = [channel("host crash"), channel("nothing")];
  const kept = channel("host crash", { keepsMessages: false });
  const beside = (one: Channel, outbox: "durable" | "in memory" | "none", isInboxed = false) =>
    promiseBeside(one, { outbox, isInboxed });
  for (const one of [stored, kept, lost]) assert.equal(beside(one, "durable", true), undefined);
  for (const outbox of ["in memory", "none"] as const) assert.equal(beside(lost, outbox, true), undefined);
  const memory = "The outbox is in memory, as the database is";
  assert.equal(beside(stored, "none"), `There is no outbox: ${WAITS}`);
  assert.equal(beside(stored, "none", true), `There is no outbox: ${WAITS}`);
  assert.equal(beside(kept, "none"), `There is no outbox: ${LOST}`);
  assert.equal(beside(stored, "in memory"), `${memory}: ${WAITS}`);
  assert.equal(
    beside(stored, "in memory", true),
    `${memory}: ${WAITS}, and so are received ones that wait (inboxed)`,
  );
});

Deno.test("a message is stored once for each channel behind that of its service, unless it is too large for one of them", async () => {
  const stored: unknown[] = [];
  const queue = {
    enqueue: ({ channel, event, key }: Record<string, unknown>, options: unknown) =>
      Promise.resolve(void stored.push([channel, event, key, options])),
  } as unknown as WorkQueue;
  const [one, other] = [channel("host crash"), channel("nothing")];
  const routes = channel("nothing", { routesOf: () => new Map([["one", one], ["other", other]]) });
  const message = (data: unknown) => ({ topic: "t", data, headers: {}, key: "k" });
  await enqueue({ name: "messaging", channel: routes }, queue, message("abc"));
  await enqueue({ name: "messaging", channel: one }, queue, message("abc"));
  assert.deepEqual(stored, [
    ["one", "t", "k", { isKept: true }],
    ["other", "t", "k", { isKept: false }],
    [undefined, "t", "k", { isKept: true }],
  ]);
  for (const each of [routes, one]) {
    assert.throws(() => enqueue({ name: "messaging", channel: each }, queue, message("abcd")), {
      code: "MESSAGE_TOO_LARGE",
    });
  }
  assert.equal(stored.length, 3);
});

Deno.test("a message that was stored without headers has none", () => {
  const work = {
    service: "messaging",
    kind: "publish",
    event: "t",
    data: 1,
    key: "k",
    tenant: "t1",
  } as const;
  assert.deepEqual(messageOf(work), { topic: "t", data: 1, headers: {}, key: "k", tenant: "t1" });
});

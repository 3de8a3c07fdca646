import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { runInTransaction } from "../../src/service/transactions/transaction.ts";
import { eventually } from "../contract/channel.ts";
import { fileChannel, recordingLog } from "./channels.ts";
import { TestChannel, withShop } from "./outbox_app.ts";
import { boxLines, environment, inFolder, messaging } from "./services.ts";

const down = () => Object.assign(new Error("down"), { unreachable: true });

/** Emits in one transaction. */
async function emit(srv: MessagingService, ...data: readonly unknown[]): Promise<void> {
  const work = async () => {
    for (const one of data) await srv.emit("T.e", one);
  };
  await runInTransaction(new EventContext(), work, { log: recordingLog() });
}

Deno.test("without outbox, messages of committed transactions wait in memory for a channel that is down, so many at most", async () => {
  const channel = new TestChannel();
  const host = { ...environment(), limits: { ...DEFAULT_LIMITS, waitingMessages: 3 } };
  const srv = messaging(channel, { host, retryDelayMs: () => 5 });
  channel.failure = down;
  await emit(srv, 1, 2);
  await emit(srv, 3);
  await assert.rejects(emit(srv, 4), {
    status: 503,
    code: "CHANNEL_UNREACHABLE",
    message: "3 messages wait already for a channel that cannot be reached",
  });
  channel.failure = () => undefined;
  await eventually(() => channel.published.length === 3);
  await emit(srv, 5);
  assert.deepEqual(channel.data.toSorted(), [1, 2, 3, 5]);
  await srv.close();
});

Deno.test("a message that is too large is refused at emit, so that its transaction can be rolled back", async () => {
  const channel = new TestChannel();
  const srv = messaging(channel);
  await assert.rejects(emit(srv, 1, "x".repeat(200_000)), { code: "MESSAGE_TOO_LARGE" });
  assert.deepEqual(channel.published, []);
  await srv.close();
});

Deno.test("large integers leave with the transaction, with and without outbox", async () => {
  const channel = new TestChannel();
  const srv = messaging(channel);
  await emit(srv, { n: 9007199254740993n });
  assert.deepEqual(channel.data, [{ n: 9007199254740993n }]);
  await srv.close();
  await withShop({}, async ({ messaging, channel }) => {
    await messaging.emit("Shop.note", { n: 9007199254740993n });
    await eventually(() => channel.published.length === 1);
    assert.deepEqual(channel.data, [{ n: "9007199254740993" }]);
  });
});

Deno.test("bytes stay bytes in the outbox and in the box, as data_base64", () =>
  inFolder(async (folder) => {
    const bytes = new Uint8Array([0, 255, 10, 13, 128]);
    await withShop({}, async ({ messaging, channel }) => {
      await messaging.emit("Shop.note", bytes);
      await eventually(() => channel.published.length === 1);
      assert.deepEqual(channel.data, [bytes]);
    });
    const box = `${folder}/box`;
    Deno.writeTextFileSync(box, 'T.e {"data_base64":"!"}\n');
    const srv = messaging(fileChannel(box));
    const got: unknown[] = [];
    srv.on("T.e", ({ data }) => void got.push(data));
    await srv.start();
    await srv.emit("T.e", bytes);
    await eventually(() => got.length === 1);
    assert.deepEqual(got, [bytes]);
    assert.match(boxLines(box)[1]!, /^T\.e \{"data_base64":"AP8KDYA=","headers":/);
    assert.deepEqual(boxLines(`${box}.d/app.bad`), ['T.e {"data_base64":"!"}']);
    await srv.close();
  }));

Deno.test("a message that the channel refuses for good takes no other of its transaction with it", async () => {
  const channel = new TestChannel();
  const host = environment();
  const srv = messaging(channel, { host });
  channel.publish = (messages) => {
    if (messages.some(({ data }) => data === "bad")) {
      return Promise.reject(Object.assign(new Error("not allowed"), { unrecoverable: true }));
    }
    channel.published.push(...messages);
    return Promise.resolve();
  };
  await emit(srv, 1, "bad", 2);
  await eventually(() => channel.published.length === 2);
  assert.deepEqual(channel.data, [1, 2]);
  const lost = host.lines.filter(([text]) => String(text).includes("1 message was not published"));
  assert.equal(lost.length, 1);
  await srv.close();
});

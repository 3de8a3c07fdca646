import assert from "node:assert/strict";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { withShop } from "./outbox_app.ts";
import { environment, messaging } from "./services.ts";

const wrong = { ID: "one", n: 1.5 };

Deno.test("a payload that does not match its declaration is rejected when it is emitted", async () => {
  await withShop({ messaging: { payloads: "reject" } }, async ({ messaging, rows, runtime }) => {
    await assert.rejects(messaging.emit("Shop.ordered", wrong), {
      code: "BAD_PAYLOAD",
      message:
        "The payload of Shop.ordered does not match its declaration: ID (ASSERT_DATA_TYPE), n (ASSERT_DATA_TYPE)",
    });
    await assert.rejects(runtime.services.Shop.emit("note", "text"), { code: "BAD_PAYLOAD" });
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
    await messaging.emit("Shop.ordered", { ID: 1, n: 2, more: "of a newer sender" });
    await messaging.emit("Shop.unknown", wrong);
    await runtime.queue!.flush();
  });
});

Deno.test("a received payload that does not match ends in the dead letters", async () => {
  await withShop({ messaging: { payloads: "reject" } }, async ({ messaging, channel, runtime }) => {
    const got: unknown[] = [];
    messaging.on("Shop.note", ({ data }) => void got.push(data));
    await messaging.exchange.settled();
    assert.equal(await channel.deliver({ topic: "Shop.note", data: { n: "x" }, headers: {} }), "ack");
    assert.equal(await channel.deliver({ topic: "Shop.note", data: { n: 1 }, headers: {} }), "ack");
    assert.deepEqual(got, [{ n: 1 }]);
    const [letter] = await runtime.queue!.deadLetters();
    assert.match(letter.lastError!, /^The payload of Shop\.note .* n \(ASSERT_DATA_TYPE\)$/);
  });
});

Deno.test("by default a wrong payload is logged without its values; payloads: pass does not look", async () => {
  for (const [payloads, lines] of [[undefined, 1], ["log", 1], ["pass", 0]] as const) {
    const host = environment();
    const srv = messaging(undefined, { host, options: payloads === undefined ? {} : { payloads } });
    await srv.start();
    await srv.emit("T.e", { n: "a-value" });
    const found = host.lines.map((line) => line.join(" ")).filter((line) => line.includes("does not match"));
    assert.equal(found.length, lines, payloads);
    assert.ok(found.every((line) => !line.includes("a-value")));
    await srv.close();
  }
});

/** Dead letters that are revived, and the work that is looked for meanwhile (messaging 6.3, 6.4). */

import assert from "node:assert/strict";
import { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import { eventually } from "../contract/channel.ts";
import { note, turns, withOwnOutbox } from "./outbox_app.ts";

Deno.test("dead letters in memory that are revived before the start are tried with it", () =>
  withOwnOutbox(async (outbox, { channel }) => {
    await outbox.bury(note(1), { attempts: 1, reason: "no" });
    assert.equal(await outbox.revive(), 1);
    assert.deepEqual(channel.data, []);
    await outbox.start();
    await eventually(() => channel.published.length > 0);
    assert.deepEqual(channel.data, [{ n: 1 }]);
  }, { inMemory: true }));

Deno.test("where no dead letter is revived nothing is looked for, neither then nor at the start", () =>
  withOwnOutbox(async (outbox) => {
    const { pendingTargets } = MessageStore.prototype;
    let looks = 0;
    MessageStore.prototype.pendingTargets = function () {
      looks++;
      return pendingTargets.apply(this);
    };
    try {
      assert.equal(await outbox.revive(), 0);
      await outbox.start();
      assert.equal(await outbox.revive(), 0);
      assert.equal(await outbox.revive({ id: "unknown" }), 0);
      assert.equal(looks, 0);
    } finally {
      MessageStore.prototype.pendingTargets = pendingTargets;
    }
  }, { inMemory: true }));

Deno.test("who revives dead letters goes on when work was looked for", () =>
  withOwnOutbox(async (outbox) => {
    const { pendingTargets } = MessageStore.prototype;
    const seen: string[] = [];
    await outbox.start();
    await outbox.bury(note(1), { attempts: 1, reason: "no" });
    MessageStore.prototype.pendingTargets = async function () {
      await turns(3);
      const found = await pendingTargets.apply(this);
      seen.push("looked");
      return found;
    };
    try {
      seen.push(`revived ${await outbox.revive()}`);
      assert.deepEqual(seen, ["looked", "revived 1"]);
    } finally {
      MessageStore.prototype.pendingTargets = pendingTargets;
    }
  }));

Deno.test("dead letters that are revived while work is looked for are tried, whatever that look has passed", async () => {
  for (const inMemory of [true, false]) {
    await withOwnOutbox(async (outbox, { channel }) => {
      await outbox.start();
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) {
        await outbox.bury(note(n), { attempts: 1, reason: "no" });
        ids.push((await outbox.deadLetters()).at(-1)!.ID);
      }
      for (const [n, id] of ids.entries()) {
        const looking = outbox.flush();
        for (let moment = 0; moment < n; moment++) await null;
        await Promise.all([looking, outbox.revive({ id })]);
        await eventually(() => channel.published.length === n + 1);
      }
    }, { inMemory });
  }
});

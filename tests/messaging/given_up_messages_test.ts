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

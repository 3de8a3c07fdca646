/** Dead letters in NATS as a client sees them, over a stream that a test holds. */

import type { JetStreamManager, StoredMsg } from "@nats-io/jetstream";
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { NatsDeadLetters } from "../../../src/messaging/brokers/nats/nats_dead_letters.ts";
import { NatsNames } from "../../../src/messaging/brokers/nats/nats_names.ts";
import { writeDeadLetter, writeReference } from "../../../src/messaging/dead_letter.ts";

const NAMES = new NatsNames("fw", "e");
const DEAD = NAMES.dead("g");

/** The letters of group `g` in a stream of these messages, numbered from 1; what was published, and what was asked. */
function lettersOf(
  messages: readonly (readonly [subject: string, text: string])[],
  failing: { code?: number; gone?: boolean; publish?: boolean } = {},
) {
  const asked: unknown[] = [];
  const published: unknown[] = [];
  const stored = new Map(messages.map(([subject, text], index) => {
    const seq = index + 1;
    const data = new TextEncoder().encode(text);
    return [
      seq,
      { seq, subject, data, header: undefined, time: new Date(seq * 1000) } as unknown as StoredMsg,
    ];
  }));
  const streams = {
    // a client tells what is missing as an error, or as null
    getMessage: async (
      stream: string,
      { seq, next_by_subj: subject }: { seq: number; next_by_subj?: string },
    ) => {
      assert.equal(stream, "fw");
      await Promise.resolve();
      if (failing.code !== undefined) throw Object.assign(new Error("refused"), { code: failing.code });
      const found = [...stored.values()].find((one) =>
        subject === undefined ? one.seq === seq : one.seq >= seq && one.subject === subject
      );
      if (found) return found;
      if (subject === undefined) return null;
      throw Object.assign(new Error("no message found"), { code: 10037 });
    },
    deleteMessage: async (stream: string, seq: number, erase: boolean) => {
      asked.push(["delete", stream, seq, erase]);
      await Promise.resolve();
      if (failing.gone) throw Object.assign(new Error("no message found"), { code: 10037 });
      return stored.delete(seq);
    },
  };
  const letters = new NatsDeadLetters({
    ...{ stream: "fw", subject: DEAD, reading: { names: NAMES, limits: DEFAULT_LIMITS } },
    manager: () => Promise.resolve({ streams } as unknown as JetStreamManager),
    publish: async (message, id) => {
      await Promise.resolve();
      if (failing.publish) throw new Error("not stored");
      published.push([message.topic, message.data, id]);
      asked.push("published");
    },
  });
  return { letters, asked, published };
}

const letter = (n: number) => writeDeadLetter({ topic: "T.e", data: n, headers: {} }, n, `broken ${n}`);

Deno.test("letters of a group are listed in their order up to a limit, among all other messages", async () => {
  const { letters } = lettersOf([
    ...[[DEAD, letter(1)], ["fw.t.T.e", "0"], [DEAD, letter(3)], ["fw.dead.h", letter(4)], [
      DEAD,
      letter(5),
    ]] as const,
  ]);
  const ids = async (limit: number) => (await letters.list(limit)).map(({ id }) => id);
  assert.deepEqual(await ids(10), ["1", "3", "5"]);
  assert.deepEqual(await ids(2), ["1", "3"]);
  assert.deepEqual(await ids(0), []);
  const [, { message, attempts, lastError }] = await letters.list(2) as [
    unknown,
    Awaited<ReturnType<typeof letters.list>>[0],
  ];
  assert.deepEqual([message, attempts, lastError], [{ topic: "T.e", data: 3, headers: {} }, 3, "broken 3"]);
});

Deno.test("a letter is published to its group under an id of its own, and removed afterwards", async () => {
  const { letters, asked, published } = lettersOf([["fw.t.T.e", "0"], [DEAD, letter(2)]]);
  assert.equal(await letters.replay("2"), true);
  assert.deepEqual(published, [["T.e", 2, "fw dead 2 2000"]]);
  assert.deepEqual(asked, ["published", ["delete", "fw", 2, false]]);
  assert.deepEqual(await letters.list(10), []);
  assert.equal(await letters.replay("2"), false);
});

Deno.test("a letter that cannot be published stays", async () => {
  const { letters, asked } = lettersOf([[DEAD, letter(1)]], { publish: true });
  await assert.rejects(letters.replay("1"), { message: "not stored" });
  assert.deepEqual([asked, (await letters.list(10)).length], [[], 1]);
});

Deno.test("a letter is discarded once, and nothing else of the stream", async () => {
  const { letters, asked, published } = lettersOf([["fw.t.T.e", "0"], [DEAD, letter(2)], [
    "fw.dead.h",
    letter(3),
  ]]);
  for (const id of ["1", "3", "4", "0", "", "x", "-2", "2.0", " 2", "9".repeat(16)]) {
    assert.deepEqual([await letters.discard(id), await letters.replay(id)], [false, false], id);
  }
  assert.deepEqual([asked, published], [[], []]);
  assert.deepEqual([await letters.discard("2"), await letters.discard("2")], [true, false]);
  assert.deepEqual(asked, [["delete", "fw", 2, false]]);
  assert.equal(
    await lettersOf([[DEAD, letter(1)]], { gone: true }).letters.discard("1"),
    false,
    "somebody else was faster",
  );
});

Deno.test("what is no letter is listed and discarded, and not published", async () => {
  const { letters, published } = lettersOf([[DEAD, "{no letter"]]);
  assert.deepEqual((await letters.list(10)).map(({ lastError }) => lastError), ["No dead letter"]);
  assert.deepEqual([await letters.replay("1"), published, await letters.discard("1")], [false, [], true]);
});

Deno.test("a letter that is a reference has the message that it names, for as long as the server keeps that", async () => {
  const { letters, published } = lettersOf([
    ...[["fw.t.T.large", '"whole"'], [DEAD, writeReference(1, 3, "broken")], [
      DEAD,
      writeReference(9, 4, "broken"),
    ]] as const,
  ]);
  const listed = await letters.list(10);
  assert.deepEqual(
    listed.map((
      { id, message: { topic, data }, attempts, lastError },
    ) => [id, topic, data, attempts, lastError]),
    [
      ["2", "T.large", "whole", 3, "broken"],
      ["3", "", undefined, 4, "broken (the server no longer has the message)"],
    ],
  );
  assert.deepEqual([await letters.replay("3"), await letters.replay("2")], [false, true]);
  assert.deepEqual(published, [["T.large", "whole", "fw dead 2 2000"]]);
});

Deno.test("errors of the server other than a message that is missing are told", async () => {
  const { letters } = lettersOf([[DEAD, letter(1)]], { code: 503 });
  for (const attempt of [() => letters.list(1), () => letters.replay("1"), () => letters.discard("1")]) {
    await assert.rejects(attempt(), { message: "refused", code: 503 });
  }
  assert.deepEqual(await lettersOf([[DEAD, letter(1)]], { code: 10037 }).letters.list(1), []);
});

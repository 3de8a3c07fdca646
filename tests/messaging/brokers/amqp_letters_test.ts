/** Dead letters at brokers of AMQP 1.0 as a client sees them, over a broker in this process. */

import assert from "node:assert/strict";
import type { EventEmitter } from "node:events";
import type { Delivery as RheaDelivery, EventContext, Message as RheaMessage, Receiver, Sender } from "rhea";
import { AmqpDeadLetters } from "../../../src/messaging/brokers/amqp/amqp_dead_letters.ts";
import { amqpOptions } from "../../../src/messaging/brokers/amqp/amqp_addresses.ts";
import { AmqpLink } from "../../../src/messaging/brokers/amqp/amqp_link.ts";
import { letterId, writeDeadLetter } from "../../../src/messaging/dead_letter.ts";
import { within } from "../../contract/within.ts";
import { channelOptions } from "../channels.ts";
import { withAmqpBroker } from "./amqp_broker.ts";

/** What a test looks at. */
interface Given {
  readonly letters: AmqpDeadLetters;
  readonly link: AmqpLink;
  /** What was sent, with its address. */
  readonly sent: unknown[];
  /** Bodies of the letters that were taken for good. */
  readonly accepted: unknown[];
  /** Addresses that were opened for reading, with the letters that were asked for. */
  readonly opened: unknown[];
  /** How many sessions are open. */
  readonly sessions: () => number;
}

/** Runs a test with the letters of group `g`. */
async function withLetters(
  texts: readonly string[],
  run: (given: Given) => Promise<void>,
  onOpen: (sender: Sender, attempt: number) => boolean = () => true,
): Promise<void> {
  const [sent, accepted, opened]: unknown[][] = [[], [], []];
  const bodies = new Map<RheaDelivery, string>();
  let sessions = 0;
  await withAmqpBroker((broker) => {
    broker.on("session_open", () => void sessions++);
    broker.on("session_close", () => void sessions--);
    broker.on("sender_flow", ({ sender }: EventContext) => {
      const { address } = sender!.source as { address: string };
      opened!.push([address, (sender as unknown as { readonly credit: number }).credit]);
      if (!onOpen(sender!, opened!.length)) return;
      // behind the opening of the link, one after the other
      for (const [index, body] of texts.entries()) {
        setTimeout(() => sender!.sendable() && bodies.set(sender!.send({ body }), body), 10 * index);
      }
    });
    broker.on("accepted", ({ delivery }: EventContext) => void accepted!.push(bodies.get(delivery!)));
    broker.on("message", ({ message, receiver, delivery }: EventContext) => {
      const { address } = (receiver as Receiver).target as { address: string };
      const { content } = (message as RheaMessage).body as { readonly content: Uint8Array };
      sent!.push([address, new TextDecoder().decode(content)]);
      delivery!.accept();
    });
  }, async (url) => {
    const options = { credentials: { url }, deadLetterQueue: "queue:{group}.dead" };
    const link = new AmqpLink(amqpOptions(channelOptions(options)));
    const limits = { maxMessageBytes: 1_000, timeoutMs: 5_000, attemptMs: 3_000 };
    const letters = new AmqpDeadLetters({ link, group: "g", ...limits });
    try {
      await run({
        letters,
        link,
        sent: sent!,
        accepted: accepted!,
        opened: opened!,
        sessions: () => sessions,
      });
    } finally {
      await within(link.close(), "closing");
    }
  });
}

/** The id that the letters of a text have, and the text. */
function letter(n: number): { readonly id: string; readonly text: string } {
  const text = writeDeadLetter({ topic: "T.e", data: n, headers: {} }, n, `broken ${n}`);
  return { id: letterId(text), text };
}

const [FIRST, SECOND, THIRD] = [letter(1), letter(2), letter(3)];

Deno.test("all letters are taken to be listed, oldest first, and given back with their session", () =>
  withLetters([FIRST.text, SECOND.text], async ({ letters, link, accepted, opened, sessions }) => {
    const connection = (await link.get()).connection as unknown as EventEmitter;
    const listeners = connection.listenerCount("disconnected");
    const [listed, one] = await within(Promise.all([letters.list(10), letters.list(1)]), "listing");
    assert.deepEqual(listed.map(({ id, message, attempts }) => [id, message.data, attempts]), [
      ...[[FIRST.id, 1, 1], [SECOND.id, 2, 2]],
    ]);
    assert.deepEqual(one.map(({ id }) => id), [FIRST.id]);
    assert.equal(connection.listenerCount("disconnected"), listeners);
    assert.deepEqual([opened, accepted, sessions()], [Array(2).fill(["queue:g.dead", 10_000]), [], 0]);
  }));

Deno.test("a letter goes to the queue of its group, and is taken for good; those behind it are not waited for", () =>
  withLetters([FIRST.text, SECOND.text, THIRD.text], async ({ letters, sent, accepted, sessions }) => {
    assert.equal(await within(letters.replay(SECOND.id), "replaying"), true);
    // the session of the sender stays open
    assert.deepEqual([sent, accepted, sessions()], [[["queue:g", "2"]], [SECOND.text], 1]);
  }));

Deno.test("a letter is discarded, and no other; one that is not there, or is none, is not sent", () =>
  withLetters(["{no letter", FIRST.text], async ({ letters, sent, accepted }) => {
    const none = [
      letters.discard(THIRD.id),
      letters.replay(THIRD.id),
      letters.replay(letterId("{no letter")),
    ];
    assert.deepEqual(await within(Promise.all(none), "looking"), [false, false, false]);
    assert.deepEqual(accepted, []);
    assert.equal(await within(letters.discard(FIRST.id), "discarding"), true);
    assert.deepEqual([sent, accepted], [[], [FIRST.text]]);
  }));

const REFUSALS: Readonly<Record<string, (sender: Sender) => void>> = {
  "the queue": (sender) => sender.close({ condition: "amqp:not-found", description: "no queue" }),
  "the session": (sender) => sender.session.close({ condition: "amqp:not-found", description: "no queue" }),
};

for (const [what, refuse] of Object.entries(REFUSALS)) {
  Deno.test(`letters cannot be listed where the broker refuses ${what}, and its reason is told at once`, () =>
    withLetters([], async ({ letters, opened }) => {
      await assert.rejects(within(letters.list(10), "listing"), {
        ...{ status: 503, code: "NO_QUEUE" },
        message: "The AMQP broker refuses to show dead letters: amqp:not-found no queue",
      });
      assert.equal(opened.length, 1, "nothing is tried again");
    }, (sender) => {
      refuse(sender);
      return false;
    }));
}

Deno.test("letters whose connection is lost are asked for once more", () =>
  withLetters([FIRST.text], async ({ letters, opened }) => {
    assert.deepEqual((await within(letters.list(10), "listing")).map(({ id }) => id), [FIRST.id]);
    assert.equal(opened.length, 2);
  }, ({ connection }, attempt) => {
    if (attempt > 1) return true;
    (connection as unknown as { readonly socket: { destroy(): void } }).socket.destroy();
    return false;
  }));

import assert from "node:assert/strict";
import type { Channel } from "../../src/messaging/channel.ts";
import { isUnreachable, patiently } from "../../src/messaging/patient_channel.ts";
import { recordingLog } from "./channels.ts";
import { TestChannel } from "./outbox_app.ts";

const refused = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

/** An error behind so many others. */
function behind(depth: number, error: unknown): unknown {
  return depth === 0 ? error : new Error("no", { cause: behind(depth - 1, error) });
}

Deno.test("a channel cannot be reached where an error, or one of four causes, says so or has the code of a failed connection", () => {
  for (
    const code of [
      ...[
        "ECONNREFUSED",
        "ECONNRESET",
        "ECONNABORTED",
        "EHOSTUNREACH",
        "ENETUNREACH",
        "ENOTFOUND",
        "EAI_AGAIN",
      ],
      ...["ENOTCONN", "EPIPE", "ETIMEDOUT", "CHANNEL_UNREACHABLE"],
    ]
  ) assert.equal(isUnreachable({ code }), true, code);
  assert.equal(isUnreachable({ unreachable: true }), true);
  for (const other of [{ code: "EACCES" }, { unreachable: 1 }, {}, null, undefined, "ECONNREFUSED"]) {
    assert.equal(isUnreachable(other), false);
  }
  assert.deepEqual([0, 1, 4, 5].map((depth) => isUnreachable(behind(depth, refused()))), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("pauses between attempts to connect grow to ten seconds at most, and end with the channel", async () => {
  const [{ setTimeout }, { random }] = [globalThis, Math];
  const channel = new TestChannel();
  const pauses: number[] = [];
  const log = recordingLog();
  Math.random = () => 0;
  globalThis.setTimeout = ((go: () => void, ms = 0) => {
    if (ms === 60_000) return setTimeout(() => {}, 0);
    pauses.push(ms);
    if (pauses.length < 8) queueMicrotask(go);
    return 0;
  }) as unknown as typeof setTimeout;
  try {
    let attempts = 0;
    channel.connect = () => (attempts++, Promise.reject(refused()));
    const patient = patiently(channel, { name: "messaging", startMs: 60_000, log });
    await patient.connect();
    for (let step = 0; step < 300; step++) await Promise.resolve();
    assert.deepEqual(pauses, [500, 1250, 2375, 4063, 6594, 10_000, 10_000, 10_000]);
    assert.deepEqual([attempts, patient.isAway?.()], [9, true]);
    await assert.rejects(patient.publish([]), {
      status: 503,
      code: "CHANNEL_UNREACHABLE",
      unreachable: true,
    });
    await patient.close({ drainMs: 0 });
    assert.equal(attempts, 9);
    assert.ok(
      log.lines.every(([text]) => text === "messaging: test-messaging cannot be reached, trying again:"),
    );
  } finally {
    Math.random = random;
    globalThis.setTimeout = setTimeout;
  }
});

/** A patient channel whose broker a test lets answer, and whose pauses end at once. */
async function withPatient(
  run: (given: {
    readonly patient: Channel;
    readonly asked: unknown[];
    readonly answers: PromiseWithResolvers<void>[];
    readonly subscriptions: PromiseWithResolvers<void>[];
    readonly endings: PromiseWithResolvers<void>[];
    readonly lines: readonly unknown[][];
    readonly signals: (AbortSignal | undefined)[];
  }) => Promise<void>,
  startMs = 60_000,
): Promise<void> {
  const { setTimeout } = globalThis;
  const asked: unknown[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const [answers, subscriptions, endings]: PromiseWithResolvers<void>[][] = [[], [], []];
  const later = (list: PromiseWithResolvers<void>[]) => {
    const answer = Promise.withResolvers<void>();
    list.push(answer);
    return answer.promise;
  };
  const channel: Channel = {
    ...{ kind: "test", guarantees: new TestChannel().guarantees, notice: "All of it", keepsMessages: true },
    connect: (signal) => {
      asked.push("connect");
      signals.push(signal);
      return later(answers!);
    },
    publish: (messages) => Promise.resolve(void asked.push(["publish", messages])),
    subscribe: async ({ group }) => {
      asked.push(["subscribe", group]);
      await later(subscriptions!);
      return { close: () => (asked.push(["end", group]), later(endings!)) };
    },
    close: (options) => Promise.resolve(void asked.push(["close", options])),
  };
  const log = recordingLog();
  globalThis.setTimeout =
    ((go: () => void, ms: number) =>
      ms === 60_000 ? setTimeout(go, ms) : setTimeout(go, 0)) as typeof setTimeout;
  try {
    const patient = patiently(channel, { name: "messaging", startMs, log });
    await run({
      patient,
      asked,
      answers: answers!,
      subscriptions: subscriptions!,
      endings: endings!,
      lines: log.lines,
      signals,
    });
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

/** Some turns of the event loop, until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 500 && !isSo(); turns++) await new Promise((go) => setTimeout(go, 0));
  assert.ok(isSo());
}

const subscription = (group: string) => ({ group, topics: "*", concurrency: 1 }) as const;
const ignored = () => Promise.resolve();

Deno.test("a channel whose broker is there is as it would be without patience", () =>
  withPatient(async ({ patient, asked, answers, subscriptions, lines }) => {
    const connecting = patient.connect();
    answers[0]!.resolve();
    await connecting;
    assert.deepEqual([patient.isAway!(), patient.kind, patient.notice, patient.keepsMessages], [
      ...[false, "test", "All of it", true],
    ]);
    await patient.publish([]);
    const subscribing = patient.subscribe(subscription("g"), ignored);
    await until(() => subscriptions.length === 1);
    subscriptions[0]!.resolve();
    await subscribing;
    await patient.close({ drainMs: 5 });
    assert.deepEqual(asked, ["connect", ["publish", []], ["subscribe", "g"], ["close", { drainMs: 5 }]]);
    assert.deepEqual(lines, []);
  }));

Deno.test("a broker that refuses stops the start, as no patience mends that", () =>
  withPatient(async ({ patient, asked, answers }) => {
    const connecting = patient.connect();
    answers[0]!.reject(new Error("wrong password"));
    await assert.rejects(connecting, { message: "wrong password" });
    assert.deepEqual([patient.isAway!(), asked], [false, ["connect"]]);
  }));

Deno.test("a broker that is silent at the start is waited for, and then has what was subscribed to meanwhile", () =>
  withPatient(async ({ patient, asked, answers, subscriptions, endings, lines }) => {
    await patient.connect();
    assert.deepEqual([patient.isAway!(), asked, lines], [true, ["connect"], [
      ["messaging: test cannot be reached, trying again:", "no answer within 0.007 s"],
    ]]);
    await assert.rejects(patient.publish([]), (error: Error) => {
      assert.equal(error.message, "test of messaging cannot be reached");
      return (error.cause as Error).message === "no answer within 0.007 s";
    });
    const [one, closed] = await Promise.all(
      ["one", "closed"].map((group) => patient.subscribe(subscription(group), ignored)),
    );
    await closed!.close();
    answers[0]!.resolve();
    await until(() => subscriptions.length === 1);
    assert.equal(patient.isAway!(), true, "until its subscriptions are open");
    subscriptions[0]!.resolve();
    await until(() => !patient.isAway!());
    assert.deepEqual([asked, lines.at(-1)], [["connect", ["subscribe", "one"]], ["messaging: connected"]]);
    await patient.publish([]);
    let isClosed = false;
    const closing = one!.close().then(() => isClosed = true);
    await until(() => endings.length === 1);
    await new Promise((go) => setTimeout(go, 0));
    assert.equal(isClosed, false, "closing waits for the broker");
    endings[0]!.resolve();
    await closing;
    await patient.close();
  }, 7));

Deno.test("a subscription that cannot be opened is tried again with those behind it; open ones stay", () =>
  withPatient(async ({ patient, asked, answers, subscriptions, lines }) => {
    const connecting = patient.connect();
    answers[0]!.reject(refused());
    await connecting;
    for (const group of ["one", "two"]) await patient.subscribe(subscription(group), ignored);
    await until(() => answers.length === 2);
    answers[1]!.resolve();
    await until(() => subscriptions.length === 1);
    subscriptions[0]!.resolve();
    await until(() => subscriptions.length === 2);
    subscriptions[1]!.reject(new Error("no queue"));
    await until(() => answers.length === 3);
    assert.deepEqual(lines.at(-1), ["messaging: test cannot be reached, trying again:", "no queue"]);
    answers[2]!.resolve();
    await until(() => subscriptions.length === 3);
    subscriptions[2]!.resolve();
    await until(() => !patient.isAway!());
    assert.deepEqual(
      asked.filter((one) => one !== "connect"),
      ["one", "two", "two"].map((group) => ["subscribe", group]),
    );
    await patient.close();
  }));

Deno.test("closing ends the attempt under way, and waits for it", () =>
  withPatient(async ({ patient, asked, answers, signals, lines }) => {
    await patient.connect();
    assert.equal(signals[0]!.aborted, false);
    let isClosed = false;
    const closing = patient.close({ drainMs: 1 }).then(() => isClosed = true);
    assert.equal(signals[0]!.aborted, true);
    assert.equal((signals[0]!.reason as Error).message, "test of messaging cannot be reached");
    await until(() => asked.length === 2);
    await new Promise((go) => setTimeout(go, 0));
    assert.equal(isClosed, false);
    answers[0]!.reject(signals[0]!.reason);
    await closing;
    assert.deepEqual([asked, lines.length], [["connect", ["close", { drainMs: 1 }]], 1]);
  }, 7));

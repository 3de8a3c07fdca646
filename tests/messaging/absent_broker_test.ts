import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { createRuntime } from "../../src/fw.ts";
import { createHttpChannel } from "../../src/messaging/http/http_channel.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { patiently } from "../../src/messaging/patient_channel.ts";
import { freePort } from "../../scripts/faults/server_command.ts";
import { eventually } from "../contract/channel.ts";
import { recordingLog } from "./channels.ts";
import { createShop, SHOP, TestChannel } from "./outbox_app.ts";

/** A channel whose broker is away until it is let in. */
class AbsentChannel extends TestChannel {
  /** What connecting throws. */
  reason: () => unknown = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  isThere = false;
  /** Attempts to connect, and subscriptions. */
  connects = 0;
  subscriptions = 0;
  /** Connecting takes until its signal says otherwise. */
  isSilent = false;

  override connect(signal?: AbortSignal): Promise<void> {
    this.connects++;
    if (this.isThere) return Promise.resolve();
    if (!this.isSilent) return Promise.reject(this.reason());
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }

  override publish(messages: Parameters<TestChannel["publish"]>[0]): Promise<void> {
    return this.isThere ? super.publish(messages) : Promise.reject(new Error("Must not be asked"));
  }

  override subscribe(...given: Parameters<TestChannel["subscribe"]>): ReturnType<TestChannel["subscribe"]> {
    if (!this.isThere) return Promise.reject(new Error("Must not be asked"));
    this.subscriptions++;
    return super.subscribe(...given);
  }
}

/** Runs something while warnings are collected. */
async function withWarnings(run: (warnings: readonly string[]) => Promise<void>): Promise<void> {
  const { warn, error } = console;
  const warnings: string[] = [];
  console.warn = (...parts) => void warnings.push(parts.join(" "));
  console.error = () => {};
  try {
    await run(warnings);
  } finally {
    Object.assign(console, { warn, error });
  }
}

const WARNING = { log: { levels: { default: "warn" } } };

Deno.test("an application starts while its broker is away: it answers, keeps what is emitted, warns again and again, and goes on once the broker is there [6.3.5]", () =>
  withWarnings(async (warnings) => {
    const channel = new AbsentChannel();
    const runtime = createShop({ channel, env: WARNING });
    try {
      await runtime.start();
      assert.equal((await runtime.fetch(new Request("http://localhost/health"))).status, 200);
      const messaging = await runtime.connect("messaging") as MessagingService;
      const got: unknown[] = [];
      messaging.on("Shop.note", ({ data }) => void got.push(data));
      for (let n = 0; n < 3; n++) await messaging.emit("Shop.ordered", { ID: 1, n });
      const about = () =>
        warnings.filter((line) => line.includes("messaging: test-messaging cannot be reached"));
      await eventually(() => about().length >= 2);
      channel.isThere = true;
      await eventually(() => channel.published.length === 3 && channel.subscriptions === 1);
      assert.deepEqual(channel.data, [0, 1, 2].map((n) => ({ ID: 1, n })));
      assert.equal(await channel.deliver({ topic: "Shop.note", data: { n: 5 }, headers: {} }), "ack");
      assert.deepEqual(got, [{ n: 5 }]);
      assert.deepEqual(await runtime.queue!.deadLetters(), []);
    } finally {
      await runtime.close();
    }
  }));

Deno.test("a start does not wait for a broker that says nothing longer than the limit, and its end not at all", () =>
  withWarnings(async (warnings) => {
    const channel = new AbsentChannel();
    channel.isSilent = true;
    const runtime = createShop({ channel, env: { ...WARNING, limits: { brokerStartMs: 20 } } });
    await runtime.start();
    await runtime.close();
    assert.equal(channel.connects, 1);
    assert.match(
      warnings.join("\n"),
      /messaging: test-messaging cannot be reached, trying again: no answer within/,
    );
  }));

Deno.test("a broker that refuses the login still stops the start", async () => {
  const channel = new AbsentChannel();
  channel.reason = () => new ConfigurationError("The login is refused");
  const runtime = createShop({ channel });
  await assert.rejects(runtime.start(), /The login is refused/);
  await runtime.close();
});

Deno.test("http-messaging: events wait for a receiver that is away at start, and arrive in order when it is there", () =>
  withWarnings(async () => {
    const port = freePort();
    const runtime = (name: string, credentials?: object) =>
      createRuntime({
        model: SHOP,
        name,
        env: {
          requires: {
            auth: { kind: "dummy" },
            db: { kind: "memory" },
            messaging: { kind: "http-messaging", path: "/events", credentials },
          },
          log: { levels: { default: "silent" } },
        },
        kinds: { channels: { "http-messaging": () => createHttpChannel } },
      });
    const sender = runtime("sender", { url: `http://127.0.0.1:${port}/events` });
    const receiver = runtime("receiver");
    await sender.start();
    await receiver.start();
    const got: unknown[] = [];
    (await receiver.connect("messaging") as MessagingService).on(
      "Shop.ordered",
      ({ data }) => void got.push(data),
    );
    const orders = [0, 1, 2].map((n) => ({ ID: 1, n }));
    for (const order of orders) await (await sender.connect("messaging")).emit("Shop.ordered", order);
    assert.equal((await sender.fetch(new Request("http://localhost/health"))).status, 200);
    const server = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, receiver.fetch);
    try {
      await eventually(() => got.length >= 3);
      assert.deepEqual(got, orders);
    } finally {
      await sender.close();
      await server.shutdown();
      await receiver.close();
    }
  }));

Deno.test("dead letters and what waits are asked of a channel whose broker is away, too", async () => {
  const asked: string[] = [];
  const given: Pick<Required<Channel>, "deadLetters" | "backlog"> = {
    deadLetters: (group) => void asked.push(`dead letters of ${group}`) as undefined,
    backlog: (group) => Promise.resolve(void asked.push(`backlog of ${group}`) as undefined),
  };
  const options = { name: "messaging", startMs: 0, log: recordingLog() };
  const channel = patiently(Object.assign(new AbsentChannel(), given), options);
  channel.deadLetters?.("g");
  await channel.backlog?.("g");
  assert.deepEqual(asked, ["dead letters of g", "backlog of g"]);
  // what a channel lacks it does not get
  const plain = patiently(new AbsentChannel(), options);
  assert.deepEqual([plain.deadLetters, plain.backlog, plain.assertRoute], [undefined, undefined, undefined]);
});

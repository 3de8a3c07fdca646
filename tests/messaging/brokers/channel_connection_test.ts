import assert from "node:assert/strict";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { ServiceError } from "../../../src/errors/service_error.ts";
import {
  ChannelConnection,
  channelUnreachable,
  retryUntil,
} from "../../../src/messaging/brokers/channel_connection.ts";

function counted(open: (attempt: number) => Promise<string>): ChannelConnection<string> {
  let attempts = 0;
  return new ChannelConnection(() => open(++attempts));
}

Deno.test("ChannelConnection opens once for all, and again after a failure or a loss", async () => {
  const connection = counted((attempt) =>
    attempt === 1 ? Promise.reject(new Error("away")) : Promise.resolve(`connection ${attempt}`)
  );
  await assert.rejects(Promise.all([connection.get(), connection.get()]), { message: "away" });
  assert.deepEqual(await Promise.all([connection.get(), connection.get()]), ["connection 2", "connection 2"]);
  connection.forget();
  assert.equal(await connection.get(), "connection 3");
});

Deno.test("ChannelConnection refuses after close(), which gives what is left to be ended", async () => {
  const connection = counted(() => Promise.resolve("open"));
  const opening = connection.get();
  const closing = connection.close();
  await assert.rejects(connection.get(), { status: 503, message: "The channel is closed" });
  assert.throws(() => connection.assertOpen(), { status: 503, message: "The channel is closed" });
  assert.deepEqual([await opening, await closing], ["open", "open"]);

  const failed = counted(() => Promise.reject(new Error("away")));
  await assert.rejects(failed.get());
  assert.equal(await failed.close(), undefined);
});

Deno.test("a failure that is told late does not end the connection that was opened after it", async () => {
  const late = Promise.withResolvers<string>();
  const connection = counted((attempt) =>
    attempt === 1 ? late.promise : Promise.resolve(`connection ${attempt}`)
  );
  const first = connection.get();
  connection.forget();
  const second = connection.get();
  late.reject(new Error("away"));
  await assert.rejects(first, { message: "away" });
  assert.deepEqual([connection.opening === second, connection.isClosed], [true, false]);
  assert.equal(await connection.get(), "connection 2");
  connection.assertOpen();
  assert.equal(await connection.close(), "connection 2");
  assert.equal(connection.isClosed, true);
});

Deno.test("an attempt to open gets the signal that ends it", async () => {
  const given: unknown[] = [];
  const connection = new ChannelConnection((signal) => Promise.resolve(given.push(signal)));
  const { signal } = new AbortController();
  await connection.get(signal);
  assert.deepEqual(given, [signal]);
  const unused = new ChannelConnection(() => Promise.reject(new Error("never opened")));
  assert.deepEqual([unused.opening, await unused.close()], [undefined, undefined]);
});

Deno.test("a broker that does not answer is unreachable, which is tried again later", () => {
  const cause = new Error("away");
  const error = channelUnreachable("NATS", cause) as ServiceError & { readonly unreachable?: boolean };
  assert.deepEqual(
    [error.status, error.code, error.message, error.cause, error.unreachable],
    [503, "CHANNEL_UNREACHABLE", "NATS does not answer", cause, true],
  );
});

/** Runs a test by a clock that goes on with pauses alone, and gives how long they were. */
async function byClock(run: (clock: { at: number }) => Promise<void>): Promise<readonly number[]> {
  const { setTimeout } = globalThis;
  const { now } = Date;
  const clock = { at: 1_000 };
  const pauses: number[] = [];
  Date.now = () => clock.at;
  globalThis.setTimeout = ((then: () => void, ms: number) => {
    pauses.push(ms);
    clock.at += ms;
    return setTimeout(then, 0);
  }) as typeof setTimeout;
  try {
    await run(clock);
    return pauses;
  } finally {
    globalThis.setTimeout = setTimeout;
    Date.now = now;
  }
}

Deno.test("retryUntil() tries again each tenth of a second until its time is over", async () => {
  const attempts: string[] = [];
  const failing = (times: number) => () => {
    attempts.push("attempt");
    return attempts.length > times ? Promise.resolve("done") : Promise.reject(new Error("away"));
  };
  const pauses = await byClock(async () => {
    assert.equal(await retryUntil(failing(3), { broker: "NATS", timeoutMs: 300 }), "done");
  });
  assert.deepEqual([pauses, attempts.length], [[100, 100, 100], 4]);
  for (const [timeoutMs, expected] of [[300, 4], [299, 3], [0, 1]] as const) {
    attempts.length = 0;
    await byClock(() =>
      assert.rejects(
        retryUntil(failing(9), { broker: "NATS", timeoutMs }),
        ({ code, message, cause }: ServiceError) => {
          assert.deepEqual([code, message], ["CHANNEL_UNREACHABLE", "NATS does not answer"]);
          return (cause as Error).message === "away";
        },
      )
    );
    assert.equal(attempts.length, expected, String(timeoutMs));
  }
});

Deno.test("retryUntil() ends where somebody has answered, and where it is told to", async () => {
  const answers = [new ConfigurationError("refused"), new ServiceError({ status: 500, message: "refused" })];
  for (const answer of answers) {
    let attempts = 0;
    const attempt = () => (attempts++, Promise.reject(answer));
    await assert.rejects(
      retryUntil(attempt, { broker: "NATS", timeoutMs: 9_000 }),
      (error) => error === answer,
    );
    assert.equal(attempts, 1);
  }
  const stop = new AbortController();
  let attempts = 0;
  const attempt = () => {
    if (++attempts === 2) stop.abort(new Error("stopped"));
    return Promise.reject(new Error("away"));
  };
  const options = { broker: "NATS", timeoutMs: 9_000, signal: stop.signal };
  await byClock(() => assert.rejects(retryUntil(attempt, options), { message: "stopped" }));
  assert.equal(attempts, 2);
  await assert.rejects(retryUntil(attempt, options), { message: "stopped" });
  assert.equal(attempts, 2, "nothing is tried any more");
});

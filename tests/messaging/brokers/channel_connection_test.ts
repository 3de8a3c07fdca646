import assert from "node:assert/strict";
import { ChannelConnection } from "../../../src/messaging/brokers/channel_connection.ts";

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

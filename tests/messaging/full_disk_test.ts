import assert from "node:assert/strict";
import { SELECT } from "../../mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import type { Channel, Delivery, Message } from "../../src/messaging/channel.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { eventually } from "../contract/channel.ts";
import { withPlace } from "./cases/place.ts";
import { channelOptions, recordingLog } from "./channels.ts";
import { ANNOUNCING, openShop, TestChannel } from "./outbox_app.ts";
import { testOnDisk } from "./disk.ts";
import { boxLines, inFolder } from "./services.ts";

const note = (data: unknown): Message => ({ topic: "t", data, headers: {} });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A file channel, and what it logged. */
function open(file: string): { channel: Channel; text: () => string } {
  const log = recordingLog();
  const channel = createFileChannel({ ...channelOptions({ file }), log });
  return { channel, text: () => log.lines.map((line) => line.map(String).join(" ")).join("\n") };
}

/** Subscribes; every message is acknowledged unless its handler says otherwise. */
async function receive(channel: Channel, handle: (delivery: Delivery) => Promise<void> = ({ ack }) => ack()) {
  const got: unknown[] = [];
  await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async (delivery) => {
    got.push(delivery.message.data);
    await handle(delivery);
  });
  return got;
}

testOnDisk(
  "on a full disk emit is refused as long as it is full, and nothing that was acknowledged is lost",
  async (disk) => {
    const { channel } = open(`${disk.path}/box`);
    const accepted: number[] = [];
    const refused: { code?: string; unreachable?: boolean }[] = [];
    const publish = (n: number) =>
      channel.publish([{ ...note(n), headers: { padding: "x".repeat(300) } }])
        .then(() => accepted.push(n), (error) => refused.push(error));
    for (let n = 0; n < 300; n++) await publish(n);
    assert.ok(accepted.length > 50 && refused.length > 50, `${accepted.length} ${refused.length}`);
    assert.ok(refused.every(({ code, unreachable }) => code === "CHANNEL_UNREACHABLE" && unreachable));
    disk.grow();
    const reader = open(`${disk.path}/box`);
    const got = await receive(reader.channel);
    await eventually(() => got.length >= accepted.length);
    await reader.channel.close();
    assert.deepEqual([...new Set(got)], accepted);
    await channel.close();
  },
);

testOnDisk("a line that the full disk cut off is set aside, the next ones arrive", async (disk) => {
  const { channel } = open(`${disk.path}/box`);
  await channel.publish([note(1)]);
  disk.fill();
  await assert.rejects(channel.publish([note("x".repeat(20_000))]), {
    code: "CHANNEL_UNREACHABLE",
    message: /box cannot be written: No space left on device/,
  });
  disk.free();
  await channel.publish([note(2)]);
  const reader = open(`${disk.path}/box`);
  const got = await receive(reader.channel);
  await eventually(() => got.length === 2);
  assert.deepEqual(got, [1, 2]);
  assert.match(reader.text(), /set aside in .*g\.bad: no valid JSON/);
  await Promise.all([channel.close(), reader.channel.close()]);
});

testOnDisk("while the disk is full no handler runs twice, and dead letters wait for room", async (disk) => {
  const { channel, text } = open(`${disk.path}/box`);
  for (const n of [1, 2, 3]) await channel.publish([note(n)]);
  disk.fill();
  const got = await receive(
    channel,
    ({ message, ack, nack }) => message.data === 2 ? nack({ dead: true, reason: "poison" }) : ack(),
  );
  await eventually(() => text().includes("cannot go on to read") && got.length === 3);
  await pause(1_500);
  assert.deepEqual(got, [1, 2, 3]);
  assert.equal(text().split("cannot go on to read").length, 2, "one line, however often it tries");
  disk.free();
  await eventually(() => text().includes("goes on to read"));
  await channel.publish([note(4)]);
  await eventually(() => got.length === 4);
  await channel.close();
  assert.deepEqual(got, [1, 2, 3, 4]);
  const letters = boxLines(`${disk.path}/box.d/g.dead`).map((line) => JSON.parse(line));
  assert.deepEqual(letters.map(({ data, lastError }) => [data, lastError]), [[2, "poison"]]);
});

testOnDisk(
  "a box on a disk that becomes read-only holds up its own messages only; the outbox keeps them",
  async (disk) => {
    await inFolder(async (folder) => {
      const file = (name: string, path: string) => ({
        kind: "file-based-messaging",
        file: `${path}/${name}`,
      });
      const runtime = createRuntime({
        name: "app",
        model: { definitions: {} },
        kinds: denoKinds,
        profiles: ["test"],
        env: {
          requires: {
            auth: { kind: "dummy" },
            db: { kind: "sqlite", credentials: { url: ":memory:" } },
            messaging: file("one", disk.path),
            other: file("two", folder),
          },
          outbox: { maxAttempts: 1, maxAgeMs: 1 },
          log: { levels: { default: "silent" } },
        },
      });
      await runtime.start();
      const [one, other] = [await runtime.connect("messaging"), await runtime.connect("other")];
      disk.setReadOnly(true);
      for (const n of [1, 2, 3]) await one.emit("t", n);
      await other.emit("t", 4);
      await eventually(() => boxLines(`${folder}/two`).length === 1);
      // what is published leaves the table with the next claim
      const ofOne = SELECT.from(OUTBOX_MESSAGES).where({ target: "messaging" });
      const waiting = await runtime.db!.run(ofOne) as unknown as {
        attempts: number;
        status: null;
      }[];
      assert.deepEqual(waiting.map(({ attempts, status }) => [attempts, status]), [[0, null], [0, null], [
        0,
        null,
      ]]);
      disk.setReadOnly(false);
      await eventually(() => boxLines(`${disk.path}/one`).length === 3);
      await runtime.close();
    });
  },
);

testOnDisk(
  "in a read-only home directory the start ends with a message that names a way out",
  async (disk) => {
    disk.setReadOnly(true);
    await withPlace(
      async ({ folder, emit }) => {
        const event = [{ event: "t", data: 1 }];
        const requires = { messaging: { kind: "file-based-messaging" } };
        await assert.rejects(emit({ requires, emit: event }), (error: Error) => {
          assert.match(
            error.message,
            /ConfigurationError: The message box ~\/\.fw-msg-box cannot be opened, name another place by fw\.requires\.messaging\.file: Read-only file system/,
          );
          return true;
        });
        await emit({
          requires: { messaging: { kind: "file-based-messaging", file: `${folder}/box` } },
          emit: event,
        });
        assert.equal(boxLines(`${folder}/box`).length, 1);
      },
      () => ({
        HOME: disk.path,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      }),
    );
  },
);

testOnDisk(
  "when the disk of the database is full, requests fail, and events of those that did not still arrive",
  async (disk) => {
    const channel = new TestChannel();
    channel.failure = () => Object.assign(new Error("down"), { unreachable: true });
    const shop = await openShop({ channel, file: `${disk.path}/shop.db`, handlers: ANNOUNCING });
    const accepted: number[] = [];
    const statuses = new Set<number>();
    for (let ID = 1; !statuses.has(503) && ID < 10_000; ID++) {
      const { status, body } = await shop.post({ ID, n: 1 });
      await body?.cancel();
      statuses.add(status);
      if (status === 201) accepted.push(ID);
    }
    assert.deepEqual([...statuses], [201, 503]);
    disk.grow();
    channel.failure = () => undefined;
    await eventually(() =>
      new Set(channel.data.map((data) => (data as { ID: number }).ID)).size >= accepted.length
    );
    assert.deepEqual(
      channel.data.map((data) => (data as { ID: number }).ID).toSorted((a, b) => a - b),
      accepted,
    );
    await shop.runtime.close();
  },
  "1m",
);

Deno.test("a cursor that is none holds up its own group only, with one line in the log that names it", () =>
  inFolder(async (folder) => {
    const { channel, text } = open(`${folder}/box`);
    await channel.connect();
    Deno.writeTextFileSync(`${folder}/box.d/g.cur`, '{"offsets":');
    await channel.publish([note(1)]);
    const got = await receive(channel);
    const others: unknown[] = [];
    await channel.subscribe({ group: "other", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
      others.push(message.data);
      await ack();
    });
    await eventually(() => others.length === 1);
    await eventually(() => /Group 'g' cannot go on .*g\.cur is no cursor of a message box/.test(text()));
    Deno.removeSync(`${folder}/box.d/g.cur`);
    await eventually(() => got.length === 1);
    await channel.close();
  }));

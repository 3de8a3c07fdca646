import assert from "node:assert/strict";
import type { Message } from "../../src/messaging/channel.ts";
import { openBox, segmentPath, statFile } from "../../src/messaging/file/box.ts";
import { readCursor } from "../../src/messaging/file/cursor.ts";
import { deadPath, FileDeadLetters } from "../../src/messaging/file/file_dead_letters.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { eventually } from "../contract/channel.ts";
import { PATIENCE_MS } from "../contract/within.ts";
import { withClock } from "../security/clock.ts";
import { fileChannel } from "./channels.ts";
import { boxLines, inFolder, withBox } from "./services.ts";

const note = (data: unknown, topic = "t"): Message => ({ topic, data, headers: {} });

Deno.test("a file channel promises what it keeps: messages survive the process, with sync the host", () =>
  withBox(async (box, open) => {
    const promised = {
      ...{ delivery: "at-least-once", order: "topic", dedupeWindowMs: 0, maxMessageBytes: 1_000 },
      ...{ delayedRetry: true, deadLetters: true, replay: false },
    };
    for (const [sync, survives] of [[true, "host crash"], [false, "process crash"], [1, "process crash"]]) {
      assert.deepEqual(open({ sync, maxMessageBytes: 1_000 }).guarantees, { ...promised, survives });
    }
    assert.equal(statFile(`${box}.d`), undefined);
    await open().connect().then(() => assert.ok(statFile(`${box}.d`)?.isDirectory));
  }));

Deno.test("sync: true has every append wait for the disk, nothing else does", () =>
  withBox(async (box, open) => {
    const { syncDataSync } = Deno.FsFile.prototype;
    const synced: number[] = [];
    Deno.FsFile.prototype.syncDataSync = function () {
      synced.push(boxLines(box).length);
      syncDataSync.call(this);
    };
    try {
      await open().publish([note(1)]);
      const channel = open({ sync: true });
      await channel.publish([note(2), note(3)]);
      await channel.publish([note(4)]);
    } finally {
      Deno.FsFile.prototype.syncDataSync = syncDataSync;
    }
    assert.deepEqual(synced, [3, 4]);
  }));

Deno.test("a box becomes a segment with the append that fills it", () =>
  withBox(async (box, open) => {
    const bytes = '\nt {"data":1,"headers":{}}\n'.length;
    const channel = open({ segmentBytes: 2 * bytes });
    const segments = () => [1, 2].map((n) => statFile(`${box}.d/seg-${n}`) !== undefined);
    await channel.publish([note(1)]);
    assert.deepEqual(segments(), [false, false]);
    await channel.publish([note(2)]);
    assert.deepEqual([segments(), boxLines(box)], [[true, false], []]);
    await channel.publish([note(3)]);
    assert.deepEqual(segments(), [true, false]);
    assert.equal(boxLines(box).length, 1);
  }));

Deno.test("unless told otherwise, a box becomes a segment with 64 MiB", async () => {
  const bytes = '\nt {"data":1,"headers":{}}\n'.length;
  for (const [missing, isSegment] of [[bytes + 1, false], [bytes, true]] as const) {
    await withBox(async (box, open) => {
      const channel = open();
      await channel.publish([note(1)]);
      Deno.truncateSync(box, 64 * 1024 * 1024 - missing);
      await channel.publish([note(1)]);
      assert.equal(statFile(`${box}.d/seg-1`) !== undefined, isSegment);
    });
  }
});

Deno.test("unless told otherwise, segments that are read stay for seven days", () =>
  withBox(async (box, open) => {
    const paths = openBox(box);
    const ages = { 1: 7 * 24 * 60 + 1, 2: 7 * 24 * 60 - 1 };
    const offsets = Object.fromEntries(Object.keys(ages).map((n) => [n, 2]));
    Deno.writeTextFileSync(`${paths.folder}/g.cur`, JSON.stringify({ topics: "*", offsets, retries: [] }));
    for (const [n, minutes] of Object.entries(ages)) {
      Deno.writeTextFileSync(segmentPath(paths, Number(n)), "\n\n");
      Deno.utimeSync(segmentPath(paths, Number(n)), new Date(), new Date(Date.now() - minutes * 60_000));
    }
    await open().subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack());
    const names = [...Deno.readDirSync(paths.folder)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.startsWith("seg-")).toSorted(), ["seg-1.gone", "seg-2"]);
  }));

Deno.test({
  name: "a writer has one file open, however often the box becomes a segment, and none when it is closed",
  ignore: Deno.build.os !== "linux", // only there a process can look at its open files
  fn: () =>
    withBox(async (box, open) => {
      const openFiles = () =>
        [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
          try {
            return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith(box);
          } catch {
            return false;
          }
        }).length;
      const channel = open({ segmentBytes: 40 });
      for (let n = 0; n < 10; n++) await channel.publish([note("x".repeat(n))]);
      assert.equal(openFiles(), 1);
      await channel.close();
      assert.equal(openFiles(), 0);
      await channel.publish([note("a closed channel opens its box again")]);
      assert.equal(openFiles(), 1);
    }),
});

Deno.test("messages that are published in one go are appended in one go, those of another turn by themselves", () =>
  withBox(async (_box, open) => {
    const { writeSync } = Deno.FsFile.prototype;
    const writes: number[] = [];
    Deno.FsFile.prototype.writeSync = function (bytes) {
      writes.push(new TextDecoder().decode(bytes).split("\n").filter(Boolean).length);
      return writeSync.call(this, bytes);
    };
    try {
      const channel = open();
      await Promise.all([channel.publish([note(1), note(2)]), channel.publish([note(3)])]);
      await channel.publish([note(4)]);
    } finally {
      Deno.FsFile.prototype.writeSync = writeSync;
    }
    assert.deepEqual(writes, [3, 1]);
  }));

Deno.test("topics without text, with white space or with control characters are refused, and so is what is too large", () =>
  withBox(async (box, open) => {
    const channel = open({ maxMessageBytes: 100 });
    for (const topic of ["", "a b", "a\n", "\u0007"]) {
      await assert.rejects(channel.publish([note(1, topic)]), { code: "BAD_TOPIC", unrecoverable: true });
    }
    await assert.rejects(channel.publish([note("x".repeat(100))]), { code: "MESSAGE_TOO_LARGE" });
    await channel.publish([note(1, "a")]);
    assert.equal(boxLines(box).length, 1);
  }));

Deno.test("what waits for a group is unknown where there is no box, and where the group has no place in it", () =>
  withBox(async (box, open) => {
    const channel = open();
    assert.equal(await channel.backlog!("g").then((found) => found), undefined);
    assert.equal(statFile(`${box}.d`), undefined);
    await channel.publish([note(1)]);
    assert.equal(await channel.backlog!("g"), undefined);
  }));

Deno.test("a receiver looks for what others append fifty times a second, and once for each change", () =>
  withBox(async (box, open) => {
    const channel = open();
    const { setInterval } = globalThis;
    const asked: (number | undefined)[] = [];
    globalThis.setInterval = ((handler: () => void, ms?: number) => {
      asked.push(ms);
      return setInterval(handler, ms);
    }) as typeof setInterval;
    const got: unknown[] = [];
    try {
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, ({ message, ack }) => {
        got.push(message.data);
        return ack();
      });
      await channel.subscribe({ group: "h", topics: ["t"], concurrency: 1 }, ({ ack }) => ack());
    } finally {
      globalThis.setInterval = setInterval;
    }
    assert.deepEqual(asked.filter((ms) => ms === 20 || ms === 60_000), [20, 60_000], "once for all groups");
    Deno.writeTextFileSync(box, 't {"data":1}\n');
    await eventually(() => got.length === 1);
  }));

Deno.test("closing waits for what is under way, but not longer than it is told", () =>
  withBox(async (_box, open) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const channel = open();
    let state = "";
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ ack }) => {
      state = "begun";
      await promise;
      state = "done";
      await ack();
    });
    await channel.publish([note(1)]);
    await eventually(() => state === "begun");
    const start = performance.now();
    await channel.close({ drainMs: 20 });
    assert.equal(state, "begun");
    assert.ok(performance.now() - start > 15, "it waited");
    await channel.close({ drainMs: 0 });
    assert.equal(state, "begun", "what did not end in time is not waited for again");
    resolve();
    await eventually(() => state === "done");
    const other = open();
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { close } = await other.subscribe(
      { group: "h", topics: ["t"], concurrency: 1 },
      async ({ ack }) => {
        seen.push("begun");
        await gate.promise;
        seen.push("done");
        await ack();
      },
    );
    await eventually(() => seen.length === 1);
    const closing = close().then(() => void seen.push("closed"));
    gate.resolve();
    await closing;
    assert.deepEqual(seen, ["begun", "done", "closed"]);
  }));

Deno.test("closing without a time waits for what is under way however long it takes", () =>
  withBox(async (_box, open) => {
    const channel = open();
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ ack }) => {
      seen.push("begun");
      await gate.promise;
      seen.push("done");
      await ack();
    });
    await channel.publish([note(1)]);
    await eventually(() => seen.length === 1);
    const closing = channel.close().then(() => void seen.push("closed"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    gate.resolve();
    await closing;
    assert.deepEqual(seen, ["begun", "done", "closed"]);
  }));

Deno.test("a process whose subscriptions are closed ends, though its channel is not", () =>
  inFolder(async (folder) => {
    const code = `import { fileChannel } from "${new URL("./channels.ts", import.meta.url)}";
      const channel = fileChannel("${folder}/box");
      await (await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack())).close();
      console.log("over");`;
    const command = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", code],
      stdin: "null",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const { code: exit, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    assert.deepEqual([exit, decoder.decode(stdout)], [0, "over\n"], decoder.decode(stderr));
  }));

Deno.test("a message that is replayed is delivered at once, with its key, as if for the first time", () =>
  withClock(() =>
    withBox(async (_box, open) => {
      const channel = open();
      const seen: unknown[] = [];
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async (delivery) => {
        const { message: { data, key, headers }, deliveries } = delivery;
        seen.push([data, key, headers.partitionkey, deliveries]);
        await (seen.length < 3 ? delivery.nack({ dead: true }) : delivery.ack());
      });
      await channel.publish([{ ...note(1), key: "k", headers: { partitionkey: "k" } }, note(2)]);
      const letters = channel.deadLetters!("g")!;
      for (let found = 0; found < 2;) {
        found = (await letters.list(10)).length;
        await new Promise((go) => setTimeout(go, 5));
      }
      const [first, second] = await letters.list(10);
      assert.deepEqual((await letters.list(1)).map(({ id }) => id), [first.id]);
      assert.equal(await letters.replay(second.id), true);
      assert.deepEqual((await letters.list(10)).map(({ id }) => id), [first.id]);
      assert.equal(await letters.replay(first.id), true);
      assert.deepEqual([await letters.replay(first.id), await letters.discard("none")], [false, false]);
      await eventually(() => seen.length === 4);
      assert.deepEqual(seen, [[1, "k", "k", 1], [2, undefined, undefined, 1], [2, undefined, undefined, 1], [
        ...[1, "k", "k", 1],
      ]]);
    })
  ));

Deno.test("receivers are woken by a replay when its message waits for them, and only then", () =>
  withBox(async (box, open) => {
    const channel = open();
    let isGivenUp = false;
    const { close } = await channel.subscribe(
      { group: "g", topics: ["t"], concurrency: 1 },
      async ({ nack }) => {
        await nack({ dead: true });
        isGivenUp = true;
      },
    );
    await channel.publish([note(1)]);
    await eventually(() => isGivenUp);
    await close();
    const paths = openBox(box);
    const waiting: number[] = [];
    const wake = () => void waiting.push(readCursor(paths, "g")!.retries.length);
    const letters = new FileDeadLetters({ paths, group: "g", leaseMs: 10_000, wake });
    assert.deepEqual([await letters.replay("none"), waiting], [false, []]);
    const [{ id }] = await letters.list(1);
    assert.deepEqual([await letters.replay(id), waiting], [true, [1]]);
  }));

Deno.test("a line among the dead letters that is none is shown as it is, and stays when it is replayed", () =>
  inFolder(async (folder) => {
    const paths = openBox(`${folder}/box`);
    Deno.writeTextFileSync(deadPath(paths, "g"), "half a li\n");
    let woken = 0;
    const letters = new FileDeadLetters({ paths, group: "g", leaseMs: 10_000, wake: () => woken++ });
    const [letter] = await letters.list(10);
    assert.deepEqual([letter.message.data, letter.lastError], ["half a li", "No dead letter"]);
    assert.equal(await letters.replay(letter.id), false);
    assert.deepEqual([await letters.list(10), woken], [[letter], 0]);
    assert.equal(await letters.discard(letter.id), true);
    assert.deepEqual(await letters.list(10), []);
  }));

Deno.test("who changes dead letters asks for a turn every 2 ms, until the lease and half a minute are over", () =>
  inFolder((folder) =>
    withClock(async (forward) => {
      const paths = openBox(`${folder}/box`);
      Deno.writeTextFileSync(deadPath(paths, "g"), "a\nb\n");
      const letters = new FileDeadLetters({ paths, group: "g", leaseMs: 10_000, wake: () => {} });
      const [a, b] = await letters.list(2);
      const lock = Deno.openSync(`${paths.folder}/g.lock`, { create: true, write: true });
      lock.lockSync(true);
      const { setTimeout } = globalThis;
      const asks: (() => void)[] = [];
      Object.assign(globalThis, {
        setTimeout: (run: () => void, ms: number) => ms === 2 ? asks.push(run) : setTimeout(run, ms),
      });
      const waits = async (times: number) => {
        await eventually(() => asks.length === times);
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal(asks.length, times);
      };
      try {
        const late = assert.rejects(letters.discard(a.id), { code: "CHANNEL_UNREACHABLE" });
        await waits(1);
        forward(40_000);
        asks[0]();
        await late;
        const discarded = letters.discard(b.id);
        await waits(2);
        lock.close();
        asks[1]();
        assert.equal(await discarded, true);
      } finally {
        globalThis.setTimeout = setTimeout;
      }
      assert.deepEqual(boxLines(deadPath(paths, "g")), ["a"]);
    })
  ));

Deno.test("a start without a place for the box says how to name another one, unless it is named", () =>
  inFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    const home = Deno.env.get("HOME");
    const failure = (file?: string) =>
      assert.rejects(async () => await fileChannel(file!).connect(), (error: Error) => {
        assert.ok(error instanceof ConfigurationError);
        return /opened, name another place by fw\.requires\.messaging\.file: /.test(error.message) ===
          (file === undefined);
      });
    Deno.env.set("HOME", `${folder}/file`);
    try {
      await failure();
      await failure(`${folder}/file/box`);
    } finally {
      if (home !== undefined) Deno.env.set("HOME", home);
    }
  }));

Deno.test("old segments are looked for each minute; a lease lasts ten seconds, and a tenth of one at least", async () => {
  const { setInterval } = globalThis;
  const intervals: number[] = [];
  globalThis.setInterval = ((run: () => void, ms: number) => {
    intervals.push(ms);
    return setInterval(run, ms);
  }) as typeof setInterval;
  try {
    for (
      const [options, leaseMs] of [[{}, 10_000], [{ ackWaitMs: 1 }, 100], [{ ackWaitMs: 101 }, 101]] as const
    ) {
      await withBox(async (_box, open) => {
        intervals.length = 0;
        const channel = open(options);
        const subscription = { group: "g", topics: "*", concurrency: 1 } as const;
        await channel.subscribe(subscription, ({ ack }) => ack());
        await channel.subscribe({ ...subscription, group: "h" }, ({ ack }) => ack());
        await eventually(() => new Set(intervals).size === 3);
        assert.deepEqual(new Set(intervals), new Set([20, 60_000, leaseMs / 4]));
        assert.equal(intervals.filter((ms) => ms === 60_000).length, 1, "once for all subscriptions");
      });
    }
  } finally {
    globalThis.setInterval = setInterval;
  }
});

import assert from "node:assert/strict";
import { groupFileName, openBox } from "../../src/messaging/file/box.ts";
import { removeOldSegments } from "../../src/messaging/file/housekeeping.ts";
import type { Channel, Message } from "../../src/messaging/channel.ts";
import { eventually } from "../contract/channel.ts";
import { boxLines, inFolder, messaging, withBox } from "./services.ts";

const note = (topic: string, data: unknown): Message => ({ topic, data, headers: {} });

/** Subscribes and keeps what arrives. */
async function receiver(channel: Channel, group: string, topics: readonly string[] | "*" = ["t"]) {
  const got: unknown[] = [];
  const subscription = await channel.subscribe(
    { group, topics, concurrency: 1 },
    async ({ message, ack }) => {
      got.push(message.data);
      await ack();
    },
  );
  return { got, close: () => subscription.close() };
}

function append(file: string, text: string): void {
  Deno.writeTextFileSync(file, text, { append: true });
}

Deno.test("the box has one line per message: topic, data and headers [2.7.file]", async () => {
  await withBox(async (box, open) => {
    const srv = messaging(open());
    await srv.emit("T.e", { subject: "201", rating: 5 });
    await srv.emit("T.e", { text: "two\nlines" });
    const lines = boxLines(box);
    assert.equal(lines.length, 2);
    assert.match(lines[0], /^T\.e \{"data":\{"subject":"201","rating":5\},"headers":\{.*\}\}$/);
  });
});

Deno.test({
  name: "nobody but its owner reads what a box holds",
  ignore: Deno.build.os === "windows", // its files have no modes
  fn: () =>
    withBox(async (box, open) => {
      await open().publish([note("t", 1)]);
      const { got } = await receiver(open(), "g");
      await eventually(() => got.length === 1);
      const modeOf = (path: string) => Deno.statSync(path).mode! & 0o777;
      assert.equal(modeOf(box), 0o600);
      for (const { name, isFile } of Deno.readDirSync(`${box}.d`)) {
        if (isFile) assert.equal(modeOf(`${box}.d/${name}`) & 0o077, 0, name);
      }
    }),
});

Deno.test("the default box is .fw-msg-box in the home directory [2.7.file]", async () => {
  await inFolder(async (home) => {
    const code = `import { fileChannel } from "${new URL("./channels.ts", import.meta.url)}";
      const channel = fileChannel(undefined);
      await channel.publish([{ topic: "T.e", data: 1, headers: {} }]);
      await channel.close();`;
    const command = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", code],
      env: { HOME: home, DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
    });
    const { stderr } = await command.output();
    assert.deepEqual(
      boxLines(`${home}/.fw-msg-box`),
      ['T.e {"data":1,"headers":{}}'],
      new TextDecoder().decode(stderr),
    );
  });
});

Deno.test("a line appended by hand is a message, with or without a line break at its end", async () => {
  await withBox(async (box, open) => {
    const messages: Message[] = [];
    await open().subscribe({ group: "g", topics: ["T.e"], concurrency: 1 }, async ({ message, ack }) => {
      messages.push(message);
      await ack();
    });
    append(box, 'T.e {"data":{"n":1}}\n');
    await eventually(() => messages.length === 1);
    append(box, 'T.e {"data":{"n":2}}');
    await eventually(() => messages.length === 2);
    append(box, '\nT.e {"data":{"n":3}}\r\n\n\n');
    await eventually(() => messages.length === 3);
    assert.deepEqual(messages.map(({ data }) => data), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    assert.deepEqual(messages[0].headers, {});
  });
});

Deno.test("messages of other topics stay for their own receiver [6.3.5]", async () => {
  await withBox(async (_box, open) => {
    const sender = open();
    for (let n = 0; n < 100; n++) await sender.publish([note("Other.e", n), note("T.e", n)]);
    const one = await receiver(open(), "one", ["T.e"]);
    await eventually(() => one.got.length === 100);
    const two = await receiver(open(), "two", ["Other.e"]);
    await eventually(() => two.got.length === 100);
  });
});

Deno.test("a topic that is new to a group is read from the oldest line, others are not repeated", async () => {
  await withBox(async (_box, open) => {
    const channel = open();
    for (let n = 0; n < 100; n++) await channel.publish([note("a", n), note("b", n + 1000)]);
    const first = await receiver(channel, "g", ["a"]);
    await eventually(() => first.got.length === 100);
    await first.close();
    const second = await receiver(channel, "g", ["a", "b"]);
    await eventually(() => second.got.length === 100);
    await channel.publish([note("a", 1), note("b", 2)]);
    await eventually(() => second.got.length === 102);
    assert.deepEqual(second.got, [...Array.from({ length: 100 }, (_, n) => n + 1000), 1, 2]);
  });
});

Deno.test("a group that asks for all topics from now on gets what others it had not asked for, once", async () => {
  await withBox(async (_box, open) => {
    const sender = open();
    await sender.publish([note("t", 1), note("u", 2), note("v", 3)]);
    const some = await receiver(open(), "g", ["t"]);
    await eventually(() => some.got.length === 1);
    await some.close();
    const all = await receiver(open(), "g", "*");
    await eventually(() => all.got.length === 2);
    await sender.publish([note("w", 4), note("t", 5)]);
    await eventually(() => all.got.length === 4);
    assert.deepEqual([some.got, all.got], [[1], [2, 3, 4, 5]]);
  });
});

Deno.test("a torn line is set aside, its neighbours are delivered", async () => {
  await withBox(async (box, open) => {
    append(box, 't {"data":1}\nt {"data":{"cut":"in the mid\nt {"data":2}\n');
    const { got } = await receiver(open(), "g");
    await eventually(() => got.length === 2);
    assert.deepEqual(got, [1, 2]);
    assert.deepEqual(boxLines(`${box}.d/g.bad`), ['t {"data":{"cut":"in the mid']);
  });
});

Deno.test("a torn line at the end waits for the rest", async () => {
  await withBox(async (box, open) => {
    append(box, 't {"data":"one');
    const { got } = await receiver(open(), "g");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(got, []);
    append(box, ' two"}\n');
    await eventually(() => got.length === 1);
    assert.deepEqual(got, ["one two"]);
    assert.deepEqual(boxLines(`${box}.d/g.bad`), []);
  });
});

Deno.test("lines that are too long, too deep or no messages are set aside, the reader goes on", async () => {
  await withBox(async (box, open) => {
    const long = `t {"data":"${"x".repeat(3000)}"}`;
    const deep = `t {"data":${"[".repeat(70)}${"]".repeat(70)}}`;
    const both = 't {"data":1,"data_base64":"AA=="}';
    append(box, [long, deep, both, "t", "t [1]", 't {"data":"good"}', ""].join("\n"));
    const { got } = await receiver(open({ maxMessageBytes: 1000 }), "g");
    await eventually(() => got.length === 1);
    assert.deepEqual(got, ["good"]);
    assert.deepEqual(boxLines(`${box}.d/g.bad`), [long, deep, both, "t", "t [1]"]);
  });
});

Deno.test("the box is rotated at its size limit; nothing is lost, the order is kept", async () => {
  await withBox(async (box, open) => {
    const sender = open({ segmentBytes: 1000 });
    const { got } = await receiver(open(), "g");
    const all = Array.from({ length: 300 }, (_, n) => n);
    for (const n of all) await sender.publish([note("t", n)]);
    await eventually(() => got.length === 300);
    assert.deepEqual(got, all);
    assert.ok([...Deno.readDirSync(`${box}.d`)].filter(({ name }) => name.startsWith("seg-")).length >= 5);
    const late = await receiver(open(), "late");
    await eventually(() => late.got.length === 300);
    assert.deepEqual(late.got, all);
  });
});

Deno.test("a writer that still has a renamed file open is read there", async () => {
  await withBox(async (box, open) => {
    const sender = open({ segmentBytes: 100 });
    const { got } = await receiver(open(), "g");
    using old = Deno.openSync(box, { create: true, append: true });
    await sender.publish([note("t", "x".repeat(100))]);
    await sender.publish([note("t", 2)]);
    await eventually(() => got.length === 2);
    old.writeSync(new TextEncoder().encode('\nt {"data":"late"}\n'));
    await eventually(() => got.includes("late"));
  });
});

Deno.test("segments go when they are old, read by every group, and hold no line without a group", async () => {
  await withBox(async (box, open) => {
    const sender = open({ segmentBytes: 100 });
    const data = "x".repeat(100);
    for (const topic of ["t", "nobody", "t"]) await sender.publish([note(topic, data)]);
    const options = { retentionMs: 0, maxMessageBytes: 10_000, maxDepth: 64 };
    const paths = openBox(box);
    assert.deepEqual(removeOldSegments(paths, options), []);
    const one = await receiver(open(), "one");
    const two = await receiver(open(), "two");
    await eventually(() => one.got.length === 2 && two.got.length === 2);
    await one.close();
    await two.close();
    assert.deepEqual(removeOldSegments(paths, { ...options, retentionMs: 60_000 }), []);
    assert.deepEqual(removeOldSegments(paths, options), [1, 3]);
    await sender.publish([note("t", "after")]);
    const again = await receiver(open(), "one");
    await eventually(() => again.got.length === 1);
    assert.deepEqual(again.got, ["after"]);
    const names = [...Deno.readDirSync(`${box}.d`)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.startsWith("seg-")).toSorted(), ["seg-2", "seg-3.gone"]);
  });
});

Deno.test("a box that somebody else rewrote is read again, known ids are dropped", async () => {
  await withBox(async (box, open) => {
    const line = (id: number) => `t {"data":${id},"headers":{"id":"${id}"}}\n`;
    append(box, line(1) + line(2) + line(3));
    const { got } = await receiver(open(), "g");
    await eventually(() => got.length === 3);
    Deno.writeTextFileSync(box, line(3) + line(4));
    await eventually(() => got.length === 4);
    assert.deepEqual(got, [1, 2, 3, 4]);
    Deno.writeTextFileSync(`${box}.new`, line(4) + line(5) + " ".repeat(1000));
    Deno.renameSync(`${box}.new`, box);
    await eventually(() => got.length === 5);
    assert.deepEqual(got, [1, 2, 3, 4, 5]);
  });
});

Deno.test("of a box that was rewritten, equal ids of other sources are other messages", async () => {
  await withBox(async (box, open) => {
    const line = (source: string) =>
      `t {"data":"${source}","headers":{"specversion":"1.0","id":"1","source":"${source}","type":"t"}}\n`;
    append(box, line("/a") + line("/b"));
    const { got } = await receiver(open(), "g");
    await eventually(() => got.length === 2);
    Deno.writeTextFileSync(box, line("/c"));
    await eventually(() => got.length === 3);
    assert.deepEqual(got, ["/a", "/b", "/c"]);
  });
});

Deno.test("no file name derives from the name of an event or the path of a group", async () => {
  await withBox(async (box, open) => {
    const channel = open();
    const { got } = await receiver(channel, "../../group", ["../../x"]);
    await channel.publish([note("../../x", 1)]);
    await eventually(() => got.length === 1);
    const parent = box.slice(0, box.lastIndexOf("/"));
    assert.deepEqual([...Deno.readDirSync(parent)].map(({ name }) => name).toSorted(), ["box", "box.d"]);
  });
});

Deno.test("messages that wait for another delivery survive a restart", async () => {
  await withBox(async (_box, open) => {
    const first = open();
    await first.publish([note("t", 1)]);
    let failed = 0;
    const subscription = { group: "g", topics: ["t"], concurrency: 1 };
    await first.subscribe(subscription, async ({ nack }) => {
      failed++;
      await nack({ delayMs: 50 });
    });
    await eventually(() => failed === 1);
    await first.close();
    const counts: number[] = [];
    await open().subscribe(subscription, async ({ deliveries, ack }) => {
      counts.push(deliveries);
      await ack();
    });
    await eventually(() => counts.length === 1);
    assert.ok(counts[0] >= 2);
  });
});

Deno.test("messages of a key wait behind an earlier one that waits for another delivery, after a restart too", async () => {
  await withBox(async (_box, open) => {
    const keyed = (key: string, data: number): Message => ({
      topic: "t",
      data,
      key,
      headers: { partitionkey: key },
    });
    const subscription = { group: "g", topics: ["t"], concurrency: 1 };
    const first = open();
    await first.publish([keyed("a", 1)]);
    let failed = 0;
    await first.subscribe(subscription, async ({ nack }) => {
      failed++;
      await nack({ delayMs: 60_000 });
    });
    await eventually(() => failed === 1);
    await first.close();
    const second = open();
    await second.publish([keyed("a", 2), keyed("b", 3)]);
    const { got } = await receiver(second, "g");
    await eventually(() => got.includes(3));
    assert.deepEqual(got, [3]);
  });
});

Deno.test("a subscription removes segments that are old and read", async () => {
  await withBox(async (box, open) => {
    const sender = open({ segmentBytes: 100 });
    for (let n = 0; n < 3; n++) await sender.publish([note("t", "x".repeat(100))]);
    const { got, close } = await receiver(open(), "g");
    await eventually(() => got.length === 3);
    await close();
    const segments = () =>
      [...Deno.readDirSync(`${box}.d`)].map(({ name }) => name).filter((name) => /^seg-\d+$/.test(name));
    assert.ok(segments().includes("seg-1"));
    const look = async (days: number) => {
      const written = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
      Deno.utimeSync(`${box}.d/seg-1`, written, written);
      await (await receiver(open(), "g")).close();
      return segments().includes("seg-1");
    };
    const isKept = [await look(0), await look(6.9), await look(7.1)];
    assert.deepEqual(isKept, [true, true, false], "kept for seven days");
    await receiver(open({ retentionMs: 0 }), "g");
    assert.deepEqual(segments().filter((name) => name !== "seg-3"), []);
  });
});

Deno.test("a lock file left behind blocks nobody", async () => {
  await withBox(async (box, open) => {
    openBox(box);
    for (const name of ["g.lock", "rotate.lock"]) Deno.writeTextFileSync(`${box}.d/${name}`, "99999");
    const channel = open({ segmentBytes: 100 });
    const { got } = await receiver(channel, "g");
    for (let n = 0; n < 5; n++) await channel.publish([note("t", n)]);
    await eventually(() => got.length === 5);
  });
});

Deno.test("groups whose long names begin alike do not share a place", async () => {
  await withBox(async (_box, open) => {
    const groups = ["a", "b"].map((end) => "組".repeat(30) + end);
    const receivers: Awaited<ReturnType<typeof receiver>>[] = [];
    for (const group of groups) receivers.push(await receiver(open(), group));
    await open().publish([note("t", 1)]);
    await eventually(() => receivers.every(({ got }) => got.length === 1));
    const names = [...groups, "x".repeat(200), "x".repeat(201), "x".repeat(202), "a~b", "a%7Eb"].map(
      groupFileName,
    );
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(names.filter((name) => name.length > 200), []);
    assert.equal(names[2], "x".repeat(200));
    for (const { close } of receivers) await close();
  });
});

Deno.test("messages arrive whole wherever their lines lie in the file", async () => {
  await withBox(async (_box, open) => {
    const { got, close } = await receiver(open(), "g");
    // some lines lie in one part of what is read at once, some in two, some in three
    const sent = [100, 200, 150, 600, 10].map((kilobytes, at) => `${at}`.repeat(kilobytes * 1024));
    await open({ maxMessageBytes: 1024 * 1024 }).publish(sent.map((data) => note("t", data)));
    await eventually(() => got.length === sent.length);
    assert.ok(sent.every((data, at) => data === got[at]), "a text came otherwise than it was sent");
    await close();
  });
});

Deno.test("times and sizes of a box are numbers that are not negative", async () => {
  await withBox((_box, open) => {
    open({ retentionMs: 0 });
    for (const retentionMs of [-1, "1", null]) {
      assert.throws(() => open({ retentionMs }), /retentionMs of a file channel must be a number, found/);
    }
    return Promise.resolve();
  });
});

Deno.test("a channel that is closed looks after the box no more, until it is used again", async () => {
  const { setInterval, clearInterval } = globalThis;
  const running = new Map<unknown, number>();
  const start = (run: () => void, ms: number) => {
    const timer = setInterval(run, ms);
    running.set(timer, ms);
    return timer;
  };
  const stop = (timer: number) => (running.delete(timer), clearInterval(timer));
  // the beats of a group's turn come and go; who looks after the box once a minute is one
  const looking = () => [...running.values()].filter((ms) => ms === 60_000).length;
  Object.assign(globalThis, { setInterval: start, clearInterval: stop });
  try {
    await withBox(async (_box, open) => {
      const channel = open();
      const first = await receiver(channel, "g");
      assert.equal(looking(), 1);
      await channel.publish([note("t", 1)]);
      await eventually(() => first.got.length === 1);
      await channel.close();
      assert.deepEqual([...running.values()], []);
      const second = await receiver(channel, "g");
      assert.equal(looking(), 1);
      await channel.publish([note("t", 2)]);
      await eventually(() => second.got.length === 1);
      assert.deepEqual([first.got, second.got], [[1], [2]]);
    });
    assert.deepEqual([...running.values()], []);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import { openBox, rotate, statFile } from "../../src/messaging/file/box.ts";
import { readCursor, writeCursor } from "../../src/messaging/file/cursor.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { GroupLease, LeaseLost } from "../../src/messaging/file/group_lease.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { stopLockHolders } from "../../scripts/faults/stopped_reader.ts";
import { eventually } from "../contract/channel.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { channelOptions, recordingLog } from "./channels.ts";
import { boxLines, inFolder } from "./services.ts";

const LEASE_MS = 300;

/** Subscribes group `g`, and keeps what arrives and what is logged. */
async function receive(box: string, options: Record<string, unknown> = {}) {
  const log = recordingLog();
  const channel: Channel = createFileChannel({ ...channelOptions({ file: box, ...options }), log });
  const got: unknown[] = [];
  await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
    got.push(message.data);
    await ack();
  });
  return { channel, got, text: () => log.lines.map((line) => line.map(String).join(" ")).join("\n") };
}

/** A lease of group `g` over a box. */
function leaseOf(box: string): GroupLease {
  return new GroupLease({ paths: openBox(box), group: "g", leaseMs: LEASE_MS, onTakeOver: () => {} });
}

/** An instance that has locked the box and stands still. */
function standStill(box: string): Deno.FsFile {
  const lock = Deno.openSync(`${openBox(box).folder}/g.lock`, { create: true, write: true });
  lock.lockSync(true);
  return lock;
}

Deno.test("an instance of a group takes over from one that stands still with its lock, and says so", () =>
  inFolder(async (folder) => {
    using _lock = standStill(`${folder}/box`);
    const { channel, got, text } = await receive(`${folder}/box`, { ackWaitMs: LEASE_MS });
    await channel.publish([{ topic: "t", data: 1, headers: {} }]);
    await eventually(() => got.length === 1);
    await channel.close();
    assert.deepEqual(got, [1]);
    assert.match(
      text(),
      /An instance of group 'g' has stood still for 300 ms with the lock of .*box: this one/,
    );
  }));

Deno.test("who has lost a turn stores nothing, whether its file is there or removed already; other errors are told", () =>
  inFolder(async (folder) => {
    const path = `${folder}/stored`;
    const write = (temporary: string) => Deno.writeTextFileSync(temporary, "new");
    {
      using turn = (await leaseOf(`${folder}/box`).take())!;
      turn.replace(path, write);
      assert.equal(Deno.readTextFileSync(path), "new");
      Deno.mkdirSync(`${folder}/folder`);
      assert.throws(() => turn.replace(`${folder}/folder`, write), Deno.errors.IsADirectory);
      assert.ok(turn.isHeld, "the turn is not lost with it");
      assert.throws(() => turn.replace(path, () => {}), LeaseLost, "somebody has removed what was written");
      assert.equal(turn.isHeld, false);
    }
    for (const leave of [write, () => {}]) {
      using turn = (await leaseOf(`${folder}/box`).take())!;
      const { folder: inside } = openBox(`${folder}/box`);
      Deno.writeTextFileSync(`${inside}/g.lock-${turn.term + 1}`, "");
      assert.throws(() => turn.replace(path, leave), LeaseLost);
      assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("stored.")), []);
    }
    assert.equal(Deno.readTextFileSync(path), "new");
  }));

Deno.test("a turn ends with its box, which whoever begins the next one is told", () =>
  inFolder(async (folder) => {
    const lease = leaseOf(`${folder}/box`);
    using turn = (await lease.take())!;
    Deno.removeSync(openBox(`${folder}/box`).folder, { recursive: true });
    await eventually(() => !turn.isHeld);
    await assert.rejects(lease.take(), Deno.errors.NotFound);
  }));

Deno.test("nobody takes over from an instance whose handler runs for longer than the lease", () =>
  inFolder(async (folder) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const slow = createFileChannel(channelOptions({ file: `${folder}/box`, ackWaitMs: LEASE_MS }));
    const handled: unknown[] = [];
    await slow.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
      await gate;
      handled.push(message.data);
      await ack();
    });
    await slow.publish([{ topic: "t", data: 1, headers: {} }]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const other = await receive(`${folder}/box`, { ackWaitMs: LEASE_MS });
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS * 4));
    open();
    await eventually(() => handled.length === 1);
    await Promise.all([slow.close(), other.channel.close()]);
    assert.deepEqual([handled, other.got, other.text()], [[1], [], ""]);
  }));

Deno.test("an instance that was passed over stores nothing any more, whatever it was about to do", () =>
  inFolder(async (folder) => {
    const box = `${folder}/box`;
    const paths = openBox(box);
    const cursor = (n: number) => ({
      ...{ topics: "*" as const, offsets: { 1: n }, box: undefined, retries: [], catchUp: undefined },
    });
    using first = (await leaseOf(box).take())!;
    writeCursor(first, cursor(1));
    const second = leaseOf(box);
    Deno.openSync(`${paths.folder}/g.lock-1`, { createNew: true, write: true }).close();
    // It stands still between writing the new cursor and putting it in place.
    assert.throws(
      () => first.replace(`${paths.folder}/g.cur`, (temporary) => Deno.writeTextFileSync(temporary, "{}")),
      LeaseLost,
    );
    assert.equal(first.isHeld, false);
    using taken = (await second.take())!;
    assert.equal(taken.term, 1);
    assert.throws(() => writeCursor(first, cursor(2)), LeaseLost);
    writeCursor(taken, cursor(3));
    assert.deepEqual(readCursor(paths, "g")?.offsets, { 1: 3 });
    assert.deepEqual(
      [...Deno.readDirSync(paths.folder)].filter(({ name }) => name.startsWith("stored.")),
      [],
    );
  }));

Deno.test("an instance whose new cursor was removed before it was in place has been passed over", () =>
  inFolder(async (folder) => {
    using turn = (await leaseOf(`${folder}/box`).take())!;
    assert.throws(() => turn.replace(`${folder}/g.cur`, () => {}), LeaseLost);
    assert.equal(turn.isHeld, false);
  }));

Deno.test("a cursor that cannot be put in place for another reason is a failure of the disk", () =>
  inFolder(async (folder) => {
    using turn = (await leaseOf(`${folder}/box`).take())!;
    Deno.mkdirSync(`${folder}/g.cur`);
    const write = (temporary: string) => Deno.writeTextFileSync(temporary, "{}");
    assert.throws(() => turn.replace(`${folder}/g.cur`, write), Deno.errors.IsADirectory);
    assert.equal(turn.isHeld, true);
  }));

Deno.test("an instance does not begin its turn while what others have left behind cannot be removed", () =>
  inFolder(async (folder) => {
    const { folder: files } = openBox(`${folder}/box`);
    Deno.mkdirSync(`${files}/g.cur.0.tmp/full`, { recursive: true });
    const lease = leaseOf(`${folder}/box`);
    for (let time = 0; time < 2; time++) await assert.rejects(lease.take(), /not empty/);
    Deno.removeSync(`${files}/g.cur.0.tmp`, { recursive: true });
    using turn = await lease.take();
    assert.equal(turn?.isHeld, true);
  }));

Deno.test("an instance that stood still for longer than its lease goes on where nobody took over", () =>
  inFolder(async (folder) => {
    using turn = (await leaseOf(`${folder}/box`).take())!;
    for (const start = performance.now(); performance.now() - start < LEASE_MS * 1.2;);
    assert.equal(turn.isHeld, true);
  }));

/** Runs a test whose monotonic clock stands still and can be set forward. */
async function withTicks(run: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  let at = 1_000_000;
  performance.now = () => at;
  try {
    await run((ms) => void (at += ms));
  } finally {
    performance.now = now;
  }
}

Deno.test("a silent holder is passed over after its lease, of which one look counts for 250 ms at most", () =>
  inFolder((folder) =>
    withTicks(async (forward) => {
      const box = `${folder}/box`;
      using _lock = standStill(box);
      let takeovers = 0;
      const watcher = new GroupLease({
        ...{ paths: openBox(box), group: "g", leaseMs: LEASE_MS },
        onTakeOver: () => void takeovers++,
      });
      const looks: number[] = [];
      for (const ms of [0, 10_000, 49, 1]) {
        forward(ms);
        assert.equal(await watcher.take(), undefined);
        looks.push(takeovers);
      }
      assert.deepEqual(looks, [0, 0, 0, 1]);
      using turn = await watcher.take();
      assert.equal(turn?.term, 1);
    })
  ));

Deno.test("a holder that shows life, or another one, is given all of its time again", () =>
  inFolder((folder) =>
    withTicks(async (forward) => {
      const box = `${folder}/box`;
      using lock = standStill(box);
      const watcher = leaseOf(box);
      const { folder: parts } = openBox(box);
      const look = async (ms: number) => {
        forward(ms);
        assert.equal(await watcher.take(), undefined);
        return statFile(`${parts}/g.lock-1`) !== undefined;
      };
      assert.deepEqual([await look(0), await look(250)], [false, false]);
      lock.utimeSync(new Date(), new Date(Date.now() + 5_000));
      assert.deepEqual([await look(49), await look(250), await look(49)], [false, false, false]);
      assert.equal(await look(1), true);
      using next = Deno.openSync(`${parts}/g.lock-1`, { write: true });
      next.utimeSync(new Date(), new Date(Date.now() + 5_000));
      next.lockSync(true);
      assert.deepEqual([await look(250), await look(250)], [true, true]);
      assert.equal(statFile(`${parts}/g.lock-2`), undefined);
    })
  ));

Deno.test("a holder shows life four times within its lease, and looks for others only when it is over", () =>
  inFolder((folder) =>
    withTicks(async (forward) => {
      const { readDirSync } = Deno;
      const { setInterval } = globalThis;
      const asked: (number | undefined)[] = [];
      let looks = 0;
      globalThis.setInterval = ((_: () => void, ms?: number) => {
        asked.push(ms);
        return setInterval(() => {}, LEASE_MS * 1_000);
      }) as typeof setInterval;
      try {
        using turn = (await leaseOf(`${folder}/box`).take())!;
        Deno.readDirSync = (path) => {
          looks++;
          return readDirSync(path);
        };
        const looksAfter = (ms: number) => {
          forward(ms);
          assert.equal(turn.isHeld, true);
          return looks;
        };
        assert.deepEqual([asked, looksAfter(LEASE_MS - 1), looksAfter(1)], [[LEASE_MS / 4], 0, 1]);
      } finally {
        Deno.readDirSync = readDirSync;
        globalThis.setInterval = setInterval;
      }
    })
  ));

Deno.test("of the lock files of a group the newest counts, the one before stays, older ones are removed", () =>
  inFolder(async (folder) => {
    const { folder: parts } = openBox(`${folder}/box`);
    const kept = ["g.lock-8", "g.lock-9", "g.lock-x", "g.locked", "gg.lock-7", "h.lock", "gx.tmp"];
    for (const name of ["g.lock", "g.lock-1", "g.lock-7", ...kept]) {
      Deno.writeTextFileSync(`${parts}/${name}`, "");
    }
    const lease = leaseOf(`${folder}/box`);
    {
      using turn = (await lease.take())!;
      assert.equal(turn.term, 9);
    }
    const names = () => [...Deno.readDirSync(parts)].map(({ name }) => name).toSorted();
    assert.deepEqual(names(), kept.toSorted());
    Deno.writeTextFileSync(`${parts}/g.cur.8.tmp`, "");
    {
      using _turn = await lease.take();
    }
    assert.deepEqual(
      names(),
      [...kept, "g.cur.8.tmp"].toSorted(),
      "looked for once in the time of a lock file",
    );
  }));

Deno.test("a box that is empty, or not due by now, is not renamed", () =>
  inFolder((folder) => {
    const paths = openBox(`${folder}/box`);
    assert.equal(rotate(paths, () => true), false);
    Deno.writeTextFileSync(paths.box, "");
    assert.equal(rotate(paths, () => true), false);
    Deno.writeTextFileSync(paths.box, "t 1\n");
    assert.equal(rotate(paths, () => false), false);
    assert.equal(Deno.readTextFileSync(paths.box), "t 1\n");
    return Promise.resolve();
  }));

Deno.test("temporary files of killed instances are removed, those of other groups stay", () =>
  inFolder(async (folder) => {
    const { folder: parts } = openBox(`${folder}/box`);
    for (const name of ["g.cur.4711.tmp", "g.cur.0.tmp", "h.cur.4711.tmp"]) {
      Deno.writeTextFileSync(`${parts}/${name}`, "{");
    }
    const { channel, got } = await receive(`${folder}/box`);
    await channel.publish([{ topic: "t", data: 1, headers: {} }]);
    await eventually(() => got.length === 1);
    await channel.close();
    const left = [...Deno.readDirSync(parts)].map(({ name }) => name).filter((name) => name.endsWith(".tmp"));
    assert.deepEqual(left, ["h.cur.4711.tmp"]);
  }));

Deno.test("an instance that stands still while it renames the box keeps no writer waiting", () =>
  inFolder(async (folder) => {
    const paths = openBox(`${folder}/box`);
    using lock = Deno.openSync(`${paths.folder}/rotate.lock`, { create: true, write: true });
    lock.lockSync(true);
    Deno.writeTextFileSync(paths.box, "t 1\n");
    await Promise.resolve();
    assert.equal(rotate(paths, () => true), false);
    lock.unlockSync();
    assert.equal(rotate(paths, () => true), true);
  }));

Deno.test("a relative file of a message box counts from the folder of the project", () =>
  withProject(SMALL, async (folder) => {
    const { runtime } = await loadProject(folder, {
      env: {
        requires: { messaging: { kind: "file-based-messaging", file: "data/../box", outboxed: false } },
        log: { levels: { default: "silent" } },
      },
      variables: {},
    });
    await Deno.mkdir(`${folder}/data`);
    await runtime.start();
    await (await runtime.connect("messaging") as MessagingService).emit("a/b", 1);
    await runtime.close();
    assert.equal(boxLines(`${folder}/box`).length, 1);
  }));

Deno.test({
  name: "with an inbox a stopped lock holder costs no message and no second effect, and the group goes on",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inFolder(async (folder) => {
      const plan = { messages: 200, stops: 1, stopMs: 2_000, ackWaitMs: 1_000, slowMs: 5 };
      const report = await stopLockHolders(folder, "test", plan);
      assert.deepEqual(report.faults, []);
      assert.deepEqual([report.acknowledged, report.lost, report.phantom, report.duplicateEffects], [
        200,
        0,
        0,
        0,
      ]);
    }),
});

Deno.test({
  name: "looking for the turn of a group keeps no file open while it is the turn of another instance",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inFolder(async (folder) => {
      using _lock = standStill(`${folder}/box`);
      const lease = leaseOf(`${folder}/box`);
      const real = Deno.realPathSync(folder);
      const isLock = (entry: Deno.DirEntry) => {
        try {
          const file = Deno.readLinkSync(`/proc/self/fd/${entry.name}`);
          return file.startsWith(real) && file.endsWith("/g.lock");
        } catch {
          return false; // closed since it was listed
        }
      };
      const open = () => [...Deno.readDirSync("/proc/self/fd")].filter(isLock).length;
      const before = open();
      assert.equal(await lease.take(), undefined);
      assert.equal(open(), before);
    }),
});

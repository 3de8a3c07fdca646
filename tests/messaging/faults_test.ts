import assert from "node:assert/strict";
import { drainBacklog } from "../../scripts/faults/backlog.ts";
import { killReadersAndWriters, tornLines } from "../../scripts/faults/file_channel.ts";
import { killQueues } from "../../scripts/faults/queues.ts";
import { entries, until, Worker } from "../../scripts/faults/harness.ts";
import { boxLines, inFolder } from "./services.ts";

Deno.test("messages emitted while the receiver is down are delivered when it is up, in order [6.3.5] [1.6]", async () => {
  await inFolder(async (folder) => {
    const base = { box: `${folder}/box`, topic: "T.e" };
    const sent = `${folder}/writer.journal`;
    const sender = new Worker({ ...base, role: "writer", name: "w", journal: sent, count: 3 });
    await sender.ended;
    assert.equal(boxLines(base.box).length, 3);
    const journal = `${folder}/reader.journal`;
    const receiver = new Worker({ ...base, role: "reader", name: "g", journal });
    await until(() => entries(journal, "h").length >= 3, 60_000);
    await receiver.stop();
    assert.deepEqual(entries(journal, "h"), entries(sent, "a"));
  });
});

Deno.test("of 1,000 events none is lost when the receiver is killed five times [6.3.5] [1.6]", async () => {
  await inFolder(async (folder) => {
    const report = await killReadersAndWriters(folder, "test", {
      ...{ writers: 1, messages: 1_000, groups: 1, kills: 5, withinMs: 3_000, slowMs: 4, killWriters: false },
    });
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.acknowledged, report.lost, report.kills], [1_000, 0, 5]);
  });
});

Deno.test("nothing is lost across kills of readers and writers and rotations", async () => {
  await inFolder(async (folder) => {
    const report = await killReadersAndWriters(folder, "test", {
      ...{ writers: 2, messages: 500, groups: 2, kills: 6, withinMs: 2_500, segmentBytes: 16_384, paceMs: 1 },
    });
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.acknowledged, report.lost], [1_000, 0]);
  });
});

Deno.test("what an application in the default setup of development has emitted survives its end [6.3.5] [1.6]", async () => {
  await inFolder(async (folder) => {
    const report = await killReadersAndWriters(folder, "test", {
      ...{ writers: 1, messages: 400, groups: 1, kills: 2, withinMs: 1_500, paceMs: 1 },
      ...{ killReaders: false, inDevelopment: true },
    });
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.acknowledged, report.lost, report.phantom, report.duplicates], [400, 0, 0, 0]);
  });
});

Deno.test("a served project answers while a backlog leaves, ends when it is told to, and goes on when it is started again", async () => {
  await inFolder(async (folder) => {
    const report = await drainBacklog(folder, { rows: 4_000, endAt: 1_000 });
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.handledOnce, report.lost, report.duplicates, report.outOfOrder], [
      4_000,
      0,
      0,
      0,
    ]);
  });
});

Deno.test("lines of 8 MB arrive whole, those cut off by a kill are set aside", async () => {
  await inFolder(async (folder) => {
    const report = await tornLines(folder, { kills: 2, bytes: 8 * 1024 * 1024 });
    assert.deepEqual(report.faults, []);
    assert.equal(report.lost, 0);
  });
});

Deno.test("with outbox and inbox every committed emit has one effect, in order, across kills between the steps (MSG-036)", async () => {
  await inFolder(async (folder) => {
    const report = await killQueues(folder, "test", {
      ...{ writers: 1, transactions: 60, dispatchers: 1, receivers: 1, killRate: 0.02 },
    });
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.lost, report.phantom, report.duplicateEffects, report.outOfOrder], [0, 0, 0, 0]);
    assert.equal(report.acknowledged, 54);
  });
});

import assert from "node:assert/strict";
import { foreignWriters } from "../../../scripts/faults/file_channel.ts";
import { entries, until, Worker } from "../../../scripts/faults/harness.ts";
import { eventually } from "../../contract/channel.ts";
import { boxLines, inFolder } from "../services.ts";
import { boxMessages, withPlace } from "./place.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const events = (event: string, count: number) => numbers(count).map((n) => ({ event, data: n }));
const byNumber = (one: unknown, other: unknown) => Number(one) - Number(other);

Deno.test("a line of the box is the topic, data and headers [2.7.file] (MSG-013)", () =>
  withPlace(async ({ box, emit }) => {
    const model = "service T { event e { subject: String; rating: Integer; } }";
    const data = { subject: "201", rating: 5 };
    await emit({ model, emit: [{ service: "T", event: "e", data }, { service: "T", event: "e", data }] });
    const lines = boxLines(box);
    assert.equal(lines.length, 2);
    for (const line of lines) {
      assert.match(line, /^T\.e \{"data":\{"subject":"201","rating":5\},"headers":\{.*\}\}$/);
    }
  }));

Deno.test("the box is .fw-msg-box in the home directory unless a file is configured [2.7.file] (MSG-014)", () =>
  withPlace(
    async ({ folder, emit }) => {
      Deno.mkdirSync(`${folder}/home`);
      const requires = { messaging: { kind: "file-based-messaging" } };
      await emit({ requires, emit: [{ event: "T.e", data: 1 }] });
      assert.deepEqual(boxMessages(`${folder}/home/.fw-msg-box`).map(({ topic }) => topic), ["T.e"]);
    },
    (folder) => ({ HOME: `${folder}/home`, DENO_DIR: denoDir() }),
  ));

/** Where the modules are when the home directory is another one. */
function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

Deno.test("a line that is appended by hand is a message (MSG-015)", () =>
  withPlace(async ({ box, receive }) => {
    const { handled } = await receive({ receive: [{ events: "T.e" }] });
    Deno.writeTextFileSync(box, 'T.e {"data":{"n":1}}\n', { append: true });
    const [{ data, headers }] = await handled(1);
    assert.deepEqual([data, headers], [{ n: 1 }, {}]);
  }));

Deno.test("of lines that other programs append without a lock none is lost (MSG-016)", () =>
  inFolder(async (folder) => {
    const report = await foreignWriters(folder, 3_000);
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.handledOnce, report.lost], [9_000, 0]);
  }));

Deno.test("messages wait in order for a receiver that is down [6.3.5] (MSG-017)", () =>
  withPlace(async ({ box, emit, receive }) => {
    await emit({ emit: events("T.e", 3) });
    assert.equal(boxLines(box).length, 3);
    const { handled } = await receive({ receive: [{ events: "T.e" }] });
    assert.deepEqual((await handled(3)).map(({ data }) => data), [1, 2, 3]);
  }));

Deno.test("messages of other topics stay for their own receiver, whoever is killed [6.3.5] (MSG-018)", () =>
  inFolder(async (folder) => {
    const box = `${folder}/box`;
    const journal = (name: string) => `${folder}/${name}.journal`;
    const write = (topic: string, name: string) =>
      new Worker({ role: "writer", box, topic, name, journal: journal(name), count: 400 });
    const read = (topic: string, name: string, slowMs?: number) =>
      new Worker({ role: "reader", box, topic, name, journal: journal(name), slowMs });
    const distinct = (name: string) => new Set(entries(journal(name), "h"));
    const writers = [write("Other.e", "w1"), write("T.e", "w2")];
    const p2 = read("T.e", "p2", 10);
    for (let kill = 0; kill < 5; kill++) {
      await until(() => p2.hasProgressed && p2.kill(), 60_000);
    }
    await Promise.all(writers.map((writer) => writer.ended));
    await until(() => distinct("p2").size === 400, 120_000);
    await p2.stop();
    const p3 = read("Other.e", "p3");
    await until(() => distinct("p3").size === 400, 120_000);
    await p3.stop();
    assert.deepEqual(distinct("p2"), new Set(entries(journal("w2"), "a")));
    assert.deepEqual(distinct("p3"), new Set(entries(journal("w1"), "a")));
    assert.equal(p2.kills, 5);
  }));

Deno.test("two applications both get every event [1.6] (MSG-019)", () =>
  withPlace(async ({ emit, receive }) => {
    const a = await receive({ name: "A", receive: [{ events: "T.e" }] });
    const b = await receive({ name: "B", receive: [{ events: "T.e" }] });
    await emit({ emit: events("T.e", 200) });
    for (const { handled } of [a, b]) {
      assert.deepEqual((await handled(200)).map(({ data }) => data), numbers(200));
    }
  }));

Deno.test("instances of one application share the work (MSG-020)", () =>
  withPlace(async ({ emit, receive }) => {
    const instances = [
      await receive({ receive: [{ events: "T.e" }] }),
      await receive({ receive: [{ events: "T.e" }] }),
    ];
    await emit({ emit: events("T.e", 200) });
    const all = () => instances.flatMap((one) => one.entries()).map(({ data }) => data);
    await eventually(() => all().length >= 200);
    // A message more would be in the box for both: one of the next topic tells that nothing came after.
    await emit({ emit: events("T.e", 1) });
    await eventually(() => all().length >= 201);
    assert.deepEqual(all().toSorted(byNumber), [1, ...numbers(200)]);
  }));

Deno.test("a torn line is set aside, its neighbours are delivered (MSG-021)", () =>
  withPlace(async ({ box, receive }) => {
    Deno.writeTextFileSync(box, 'T.e {"data":1}\nT.e {"data":{"cut":"in the mid\nT.e {"data":2}\n');
    const { handled, process } = await receive({ receive: [{ events: "T.e" }] });
    assert.deepEqual((await handled(2)).map(({ data }) => data), [1, 2]);
    await process.waitFor(/Line at 15 of segment 1 of .* set aside in .*receiver\.bad: no valid JSON/);
    assert.deepEqual(boxLines(`${box}.d/receiver.bad`), ['T.e {"data":{"cut":"in the mid']);
    assert.equal(boxLines(box).length, 3);
  }));

Deno.test("messages of 8 MB of four writers at once arrive intact (MSG-022)", () =>
  inFolder(async (folder) => {
    const bytes = 8 * 1024 * 1024;
    const base = { box: `${folder}/box`, topic: "T.e", maxMessageBytes: 2 * bytes };
    const writers = numbers(4).map((n) =>
      new Worker({
        ...{ ...base, role: "writer", name: `w${n}`, journal: `${folder}/w${n}.journal` },
        ...{ count: 6, bytes },
      })
    );
    const journal = `${folder}/g.journal`;
    const reader = new Worker({ ...base, role: "reader", name: "g", journal });
    await Promise.all(writers.map((writer) => writer.ended));
    await until(() => entries(journal, "h").length >= 24, 120_000);
    await reader.stop();
    const sent = writers.flatMap(({ task }) => entries(task.journal, "a"));
    assert.deepEqual(entries(journal, "h").toSorted(), sent.toSorted());
    assert.equal(sent.length, 24);
    assert.deepEqual(boxLines(`${folder}/box.d/g.bad`), []);
  }));

Deno.test("the lock of a killed process blocks nobody (MSG-023)", () =>
  withPlace(async ({ box, emit, receive }) => {
    const first = await receive({ receive: [{ events: "T.e" }], hangs: true });
    await emit({ emit: events("T.e", 1) });
    await first.handled(1);
    first.process.kill("SIGKILL");
    await first.process.ended;
    assert.ok(Deno.statSync(`${box}.d/receiver.lock`).isFile);
    const { handled } = await receive({ receive: [{ events: "T.e" }] });
    await emit({ emit: numbers(5).map((n) => ({ event: "T.e", data: n + 1 })) });
    assert.deepEqual((await handled(6)).map(({ data }) => data), numbers(6));
  }));

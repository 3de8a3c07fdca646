import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { watchBox } from "../../src/messaging/file/file_channel.ts";
import { eventually } from "../contract/channel.ts";
import { fileChannel } from "./channels.ts";
import { inFolder } from "./services.ts";

Deno.test("a watch notices that a box appears, grows and is replaced", async () => {
  await inFolder(async (folder) => {
    let changes = 0;
    const stop = watchBox(`${folder}/box`, () => changes++);
    for (const text of ["one", "more than one"]) {
      const before = changes;
      Deno.writeTextFileSync(`${folder}/box`, text);
      await eventually(() => changes > before);
    }
    const before = changes;
    Deno.writeTextFileSync(`${folder}/next`, "more than one");
    Deno.renameSync(`${folder}/next`, `${folder}/box`);
    await eventually(() => changes > before);
    stop();
  });
});

Deno.test({
  name: "a channel leaves the locks of a database beside its box alone",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await inFolder(async (folder) => {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)");
      const { ino } = Deno.statSync(`${folder}/db.sqlite`);
      const locks = () =>
        Deno.readTextFileSync("/proc/locks").split("\n").filter((line) => line.includes(`:${ino} `));
      const channel = fileChannel(`${folder}/box`);
      const got: unknown[] = [];
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
        got.push(message.data);
        await ack();
      });
      const before = locks().length;
      assert.ok(before > 0);
      const code = `import { DatabaseSync } from "node:sqlite";
        const db = new DatabaseSync(Deno.args[0]);
        db.exec("INSERT INTO t VALUES (1)");
        db.close();
        Deno.writeTextFileSync(Deno.args[1], '\\nt {"data":1}\\n', { append: true });`;
      Deno.writeTextFileSync(`${folder}/other.js`, code);
      const args = ["run", "-A", `${folder}/other.js`, `${folder}/db.sqlite`, `${folder}/box`];
      assert.ok((await new Deno.Command(Deno.execPath(), { args }).output()).success);
      await eventually(() => got.length === 1);
      assert.equal(locks().length, before);
      await channel.close();
      db.close();
    });
  },
});

Deno.test("a channel looks for changes of its box and for old segments until it is closed", async () => {
  await inFolder(async (folder) => {
    const { setInterval, clearInterval } = globalThis;
    const timers = new Set<unknown>();
    globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
      const timer = setInterval(...args);
      timers.add(timer);
      return timer;
    }) as typeof setInterval;
    globalThis.clearInterval = (timer) => {
      timers.delete(timer);
      clearInterval(timer);
    };
    try {
      const channel = fileChannel(`${folder}/box`);
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, ({ ack }) => ack());
      assert.equal(timers.size, 2);
      await channel.close();
      assert.equal(timers.size, 0);
    } finally {
      Object.assign(globalThis, { setInterval, clearInterval });
    }
  });
});

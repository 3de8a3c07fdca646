import assert from "node:assert/strict";
import { openBox } from "../../src/messaging/file/box.ts";
import { readCursor } from "../../src/messaging/file/cursor.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { eventually } from "../contract/channel.ts";
import { channelOptions } from "./channels.ts";
import { inFolder } from "./services.ts";

Deno.test("of a box that is rewritten the last 10,000 messages are known, those before are read again", () =>
  inFolder(async (folder) => {
    const line = (id: number) => `t {"data":${id},"headers":{"id":"${id}"}}\n`;
    const text = Array.from({ length: 10_001 }, (_, id) => line(id)).join("");
    const paths = openBox(`${folder}/box`);
    Deno.writeTextFileSync(paths.box, text);
    const channel = createFileChannel(channelOptions({ file: paths.box }));
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, ({ message, ack }) => {
      got.push(message.data);
      return ack();
    });
    try {
      await eventually(() => readCursor(paths, "g")?.offsets[1] === text.length);
      assert.equal(got.length, 10_001);
      Deno.writeTextFileSync(paths.box, [1, 0, 10_000, 10_001].map(line).join(""));
      await eventually(() => got.includes(10_001));
      assert.deepEqual(got.slice(10_001), [0, 10_001]);
    } finally {
      await channel.close();
    }
  }));

/** What `fw queue list` shows of a dead letter. */

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

Deno.test("the first line of an error is shown as far as there is room for it in the list", () =>
  withProject(SMALL, async (folder) => {
    const requires = {
      db: { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } },
      messaging: { kind: "file-based-messaging", file: `${folder}/box` },
    };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ name: "shop", requires }));
    const env = { log: { levels: { default: "silent" } } };
    const { runtime } = await loadProject(folder, { env, variables: {} });
    await runtime.start();
    const messaging = await runtime.connect("messaging") as MessagingService;
    messaging.channel.publish = ([{ data }]) => {
      const message = "e".repeat(Number(data) - "Error: ".length);
      return Promise.reject(Object.assign(new Error(`${message}\nmore`), { unrecoverable: true }));
    };
    for (const length of [59, 60, 61, 200]) await messaging.emit(`t/${length}`, length);
    await runtime.queue!.flush();
    await runtime.close();
    const { output } = await runCommand("queue", "list", folder);
    const shown = [...output.matchAll(/ t\/(\d+) .* (Error: .*)$/gm)].map((
      [, length, error],
    ) => [length, error]);
    const error = (length: number) => `Error: ${"e".repeat(length - "Error: ".length)}`;
    assert.deepEqual(shown.toSorted(), [
      ["200", `${error(59)}…`],
      ["59", error(59)],
      ["60", error(60)],
      ["61", `${error(59)}…`],
    ]);
  }));

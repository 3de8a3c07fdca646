/**
 * What a small request makes a server hold: the peak of its resident memory, in a process of its own. The bound is one of
 * bytes, not of time.
 */

import assert from "node:assert/strict";
import { REPOSITORY, withProject } from "../deno/project.ts";
import { type RunningProcess, startProcess } from "../deno/project_processes.ts";
import { type Attack, ATTACKS, MODEL_TEXT, SERVICE_CODE } from "./memory_attacks.ts";

/** What the memory database, which is for tests, does hold: it sorts all pairs of rows. */
const HELD_BY_MEMORY: ReadonlySet<string> = new Set(["$crossjoin", "$crossjoin with $expand"]);

const ALICE = `Basic ${btoa("alice:")}`;

const MOST_GROWTH = 64 * 1024 * 1024;

/** Only Linux tells the peak of another process, and forgets it when it is told to. */
const TELLS_PEAK = Deno.build.os === "linux";

/** Bytes that a line of the status of a process says. */
async function statusOf({ pid }: RunningProcess, name: "VmHWM" | "VmRSS"): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)![1]) * 1024;
}

/** Bytes by which a process grows at most while it answers. */
async function growth(server: RunningProcess, ask: () => Promise<unknown>): Promise<number> {
  // 5: the peak is what is resident now (proc(5))
  await Deno.writeTextFile(`/proc/${server.pid}/clear_refs`, "5");
  const before = await statusOf(server, "VmRSS");
  await ask();
  return await statusOf(server, "VmHWM") - before;
}

for (const kind of ["sqlite", "memory"]) {
  Deno.test({
    name:
      `neither a URL of 8 kB, nor a body of 64 kB, nor a batch of 100 parts makes the process grow by 64 MB (${kind})`,
    ignore: !TELLS_PEAK,
    fn: () =>
      withProject({
        "srv/bounds.cds": MODEL_TEXT,
        "srv/bounds.ts": SERVICE_CODE,
        ".fwrc.json": JSON.stringify({
          log: { levels: { default: "error" } },
          requires: { db: { kind } },
        }),
      }, async (folder) => {
        const server = startProcess({ args: [`${REPOSITORY}src/cli/mod.ts`, "serve", folder] });
        try {
          const [, url] = await server.waitFor(/server listening on (\S+)/);
          const send = async ([method, path, body, type = "application/json"]: Attack, login?: string) => {
            const headers: Record<string, string> = login === undefined ? {} : { authorization: login };
            if (body !== undefined) headers["content-type"] = type;
            const response = await fetch(encodeURI(url + path), { method, headers, body });
            // what arrives is not kept: it is the server that is looked at
            for await (const _part of response.body ?? []);
            return response.status;
          };
          // what a process needs once: compiled code, room for young objects
          for (let times = 0; times < 3; times++) await send(["GET", "/odata/v4/bounds/Items?$top=300"]);
          const grown: string[] = [];
          for (const [name, attack] of Object.entries(ATTACKS)) {
            if (kind === "memory" && HELD_BY_MEMORY.has(name)) {
              console.log(`Not sent: ${name}: the memory database sorts all pairs of rows`);
              continue;
            }
            const [, path, body = ""] = attack;
            assert.ok(path.length <= 8192, `${name}: a URL of ${path.length}`);
            assert.ok(body.length <= 65_536, `${name}: a body of ${body.length}`);
            for (const login of [undefined, ALICE]) {
              let status = 0;
              const bytes = await growth(server, async () => status = await send(attack, login));
              const text = `${name}: ${Math.round(bytes / 1024 / 1024)} MB, ${status}`;
              if (Deno.env.has("SHOW_GROWTH")) console.log(text);
              if (bytes > MOST_GROWTH) grown.push(text);
              assert.ok(status < 500 || status === 501 || status === 504, text);
            }
          }
          assert.deepEqual(grown, []);
        } finally {
          await server.close();
        }
      }),
  });
}

if (!TELLS_PEAK) {
  console.log(`The growth of processes is not measured: ${Deno.build.os} does not tell their peak`);
}

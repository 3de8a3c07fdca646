/*
 * Work of several processes that share a database: each piece is done once, whoever has scheduled or claimed it.
 */

import assert from "node:assert/strict";
import { INSERT, type Runtime, UPDATE } from "../../mod.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { queued } from "../../src/service/queue/queued_service.ts";
import { eventually } from "../contract/channel.ts";
import { SHARED, withProcesses } from "../live/processes.ts";
import type { App } from "../service/rules/on_engines.ts";

const APP: App = {
  cdl: `
    entity db.Runs { key ID : UUID; n : Integer; }
    service S { entity Runs as projection on db.Runs; action tidy(n : Integer); }`,
  handlers: {
    S: (srv) => {
      srv.on("tidy", async ({ data }) => {
        const { n } = data as { n: number };
        await srv.run({ INSERT: { into: "S.Runs", entries: [{ n }] } });
      });
    },
  },
};

const rows = async (runtime: Runtime, entity: string) =>
  await runtime.db!.run({ SELECT: { from: { ref: [entity] } } }) as readonly Record<string, unknown>[];

const runs = async (runtime: Runtime) => (await rows(runtime, "db.Runs")).map(({ n }) => n);

const schedule = (all: readonly Runtime[], n: number, every = "1h") =>
  Promise.all(all.map(async (runtime) => await runtime.services.S!.schedule("tidy", { n }).every(every)));

const flush = (all: readonly Runtime[]) => Promise.all(all.map((runtime) => runtime.queue!.flush()));

for (const engine of SHARED) {
  Deno.test(`a repeated task that processes schedule at the same time runs once (${engine})`, () =>
    withProcesses(engine, [APP, APP, APP], async (...all) => {
      await schedule(all, 1);
      await flush(all);
      assert.deepEqual(await runs(all[0]!), [1]);
      const [{ due, attempts }] = await rows(all[0]!, OUTBOX_MESSAGES);
      const left = Date.parse(String(due)) - Date.now();
      assert.ok(left > 3_500_000 && left <= 3_600_000, `${left} ms`);
      assert.equal(attempts, 0);
      // one that starts later lets it be
      await schedule([all[1]!], 1);
      await flush(all);
      assert.deepEqual(await runs(all[0]!), [1]);
    }));

  Deno.test(`a task that is scheduled in another way replaces the one before (${engine})`, () =>
    withProcesses(engine, [APP, APP], async (one, other) => {
      await schedule([one!], 1);
      await flush([one!, other!]);
      await schedule([other!], 2);
      await flush([one!, other!]);
      await schedule([one!], 2, "2h");
      await flush([one!, other!]);
      assert.deepEqual((await runs(one!)).toSorted(), [1, 2, 2]);
      // not repeated: as often as it is scheduled
      for (const runtime of [one!, other!]) {
        await runtime.services.S!.schedule("tidy", { n: 3 });
        await flush([runtime]);
      }
      assert.deepEqual((await runs(one!)).toSorted(), [1, 2, 2, 3, 3]);
      assert.equal((await rows(one!, OUTBOX_MESSAGES)).length, 0);
    }));

  Deno.test(`a task that processes schedule once at the same time is one row (${engine})`, () =>
    withProcesses(engine, [APP, APP, APP], async (...all) => {
      await Promise.all(
        all.map(async (runtime) => await runtime.services.S!.schedule("tidy", { n: 1 }).after("1h")),
      );
      assert.equal((await rows(all[0]!, OUTBOX_MESSAGES)).length, 1);
    }));

  Deno.test(`a worker whose row has another owner undoes what it did, and counts no attempt (${engine})`, () => {
    let calls = 0;
    const handlers: App["handlers"] = {
      S: (srv) => {
        srv.on("tidy", async () => {
          const n = ++calls;
          await INSERT.into("db.Runs").entries({ n });
          if (n === 1) await UPDATE.entity(OUTBOX_MESSAGES).set({ lockedBy: "another worker" });
        });
      },
    };
    return withProcesses(engine, [{ ...APP, handlers }], async (one) => {
      await queued(one!.services.S!).send("tidy", { n: 1 });
      await eventually(() => calls === 2);
      await one!.queue!.flush();
      assert.deepEqual([await runs(one!), await rows(one!, OUTBOX_MESSAGES)], [[2], []]);
    });
  });
}

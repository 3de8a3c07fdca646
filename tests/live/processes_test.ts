/*
 * Events of several processes that share a database: none is missed, whatever the order of commits.
 */

import assert from "node:assert/strict";
import type { Runtime } from "../../mod.ts";
import { server as postgres } from "../db/postgres.ts";
import { following } from "./event_source.ts";
import { newsApp } from "./news.ts";
import { withProcesses } from "./processes.ts";

const TOLD = "/odata/v4/news/Told";

/** Two processes on one database. */
const withTwo = (run: (one: Runtime, other: Runtime) => Promise<void>) =>
  withProcesses("postgres", [newsApp(), newsApp()], (one, other) => run(one!, other!));

function emit(runtime: Runtime, n: number): Promise<void> {
  return runtime.services.News!.emit("Told", { n });
}

if (postgres.isThere) {
  Deno.test("a client of one process gets the events of another, also those committed late", async () => {
    await withTwo(async (one, other) => {
      await following(other, TOLD, {
        user: "bob",
        run: async (events) => {
          const late = one.services.News!.tx();
          await late.emit("Told", { n: 1 });
          // its row is in the table, and gets the lower number
          await one.db!.tx(late.context!).run({ SELECT: { from: { ref: ["fw.outbox.Events"] } } });
          await emit(one, 2);
          await emit(other, 3);
          const first = await events.take(2) as { n: number }[];
          assert.deepEqual(first.map(({ n }) => n).sort(), [2, 3]);
          await late.commit();
          assert.deepEqual(await events.take(1), [{ n: 1 }]);
        },
      });
    });
  });

  Deno.test("clients of two processes see the same order, and miss nothing when they change places", async () => {
    await withTwo(async (one, other) => {
      const count = 60;
      const emitting = Promise.all(
        Array.from({ length: count }, (_, n) => emit(n % 2 === 0 ? one : other, n)),
      );
      const seen: Record<"stays" | "moves", string[]> = { stays: [], moves: [] };
      const follow = async (runtime: Runtime, into: string[], [most, lastEventId]: [number, string]) => {
        let last = "";
        await following(runtime, TOLD, {
          user: "bob",
          lastEventId,
          run: async (events) => {
            while (into.length < most) into.push((await events.next())!.id);
            last = events.lastEventId;
          },
        });
        return last;
      };
      const bounds = await one.live!.feed(undefined).enter(() => {});
      const start = String(bounds.removed);
      await Promise.all([
        emitting,
        follow(one, seen.stays, [count, start]),
        (async () => {
          const left = await follow(one, seen.moves, [count / 3, start]);
          await follow(other, seen.moves, [count, left]);
        })(),
      ]);
      assert.equal(new Set(seen.stays).size, count);
      assert.deepEqual(seen.moves, seen.stays);
    });
  });
}

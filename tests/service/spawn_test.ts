import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext, runWithContext } from "../../src/context/store.ts";
import { type Job, spawn } from "../../src/service/transactions/spawn.ts";
import { createHost } from "./fixture.ts";

Deno.test("spawn() runs a job in a context of its own", async () => {
  const outer = new EventContext({ user: "alice", tenant: "t1" });
  const seen = await new Promise((resolve) => {
    runWithContext(outer, () => {
      spawn(createHost(), { user: "job" }, () => [currentContext()?.user.id, currentContext()?.tenant])
        .on("succeeded", resolve);
    });
  });
  assert.deepEqual(seen, ["job", undefined]);
});

Deno.test("spawn() logs failures and tells failed and done", async () => {
  const host = createHost();
  const log: string[] = [];
  await new Promise((resolve) => {
    spawn(host, {}, () => Promise.reject(new Error("Broken")))
      .on("failed", (error) => void log.push((error as Error).message))
      .on("done", resolve);
  });
  assert.deepEqual(log, ["Broken"]);
  assert.equal(host.logged.length, 1);
});

Deno.test("spawn() repeats a job until it is stopped, runs never overlap", async () => {
  let runs = 0;
  let parallel = 0;
  let most = 0;
  await new Promise<void>((resolve) => {
    const job = spawn(createHost(), { every: 1 }, async () => {
      most = Math.max(most, ++parallel);
      await new Promise((go) => setTimeout(go, 4));
      parallel--;
    });
    job.on("done", () => {
      if (++runs < 3) return;
      job.stop();
      resolve();
    });
  });
  assert.deepEqual({ runs, most }, { runs: 3, most: 1 });
});

Deno.test("spawn() runs no job that was stopped before its time", async () => {
  const log: string[] = [];
  const spawned = (name: string, after: number) => spawn(createHost(), { after }, () => void log.push(name));
  spawned("stopped", 2).stop();
  spawned("first", 1);
  await new Promise((resolve) => spawned("last", 3).on("done", resolve));
  assert.deepEqual(log, ["first", "last"]);
});

Deno.test("spawn() waits an interval before the first run, unless it is told when to begin", async () => {
  const log: string[] = [];
  const jobs = Object.entries({
    later: { every: 60_000 },
    after: { after: 60_000 },
    now: { every: 60_000, after: 0 },
  }).map((
    [name, options],
  ) => spawn(createHost(), options, () => void log.push(name)));
  await new Promise((resolve) => spawn(createHost(), { after: 5 }, () => {}).on("done", resolve));
  for (const job of jobs) job.stop();
  assert.deepEqual(log, ["now"]);
});

Deno.test("spawn() starts no run of a job that was stopped between two, by itself or by its timer", async () => {
  for (const stop of [(job: Job) => job.stop(), (job: Job) => clearInterval(job.timer)]) {
    let runs = 0;
    const job = spawn(createHost(), { every: 1 }, () => ++runs);
    const before = job.timer;
    await new Promise<void>((resolve) =>
      job.on("done", () => {
        stop(job);
        resolve();
      })
    );
    assert.notEqual(job.timer, before);
    await new Promise((resolve) => spawn(createHost(), { after: 10 }, () => {}).on("done", resolve));
    assert.equal(runs, 1);
  }
});

Deno.test("spawn() goes on after a run that failed", async () => {
  const outcomes: string[] = [];
  await new Promise<void>((resolve) => {
    const job = spawn(createHost(), { every: 1 }, () => {
      if (outcomes.length === 0) throw new Error("Once");
    });
    job.on("failed", () => void outcomes.push("failed"));
    job.on("succeeded", () => {
      outcomes.push("succeeded");
      job.stop();
      resolve();
    });
  });
  assert.deepEqual(outcomes, ["failed", "succeeded"]);
});

Deno.test("spawn() waits for the hooks of an outcome before it tells done", async () => {
  for (const outcome of ["succeeded", "failed"] as const) {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      spawn(createHost(), {}, () => outcome === "failed" ? Promise.reject(new Error("Broken")) : 1)
        .on(outcome, async () => {
          await new Promise((go) => setTimeout(go, 1));
          log.push(outcome);
        })
        .on("done", () => resolve(void log.push("done")));
    });
    assert.deepEqual(log, [outcome, "done"]);
  }
});

Deno.test("spawn() logs what a hook of done throws", async () => {
  const host = createHost();
  await new Promise((go) => {
    spawn(host, {}, () => 1).on("done", () => {
      setTimeout(go, 1);
      return Promise.reject(new Error("Broken"));
    });
  });
  assert.match(String(host.logged), /^A hook of a detached job failed:,Error: Broken$/);
});

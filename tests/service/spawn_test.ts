import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext, runWithContext } from "../../src/context/store.ts";
import { spawn } from "../../src/service/transactions/spawn.ts";
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
  await new Promise<void>((resolve) => {
    const job = spawn(createHost(), { every: 1 }, async () => {
      parallel++;
      await new Promise((go) => setTimeout(go, 4));
      assert.equal(parallel--, 1);
    });
    job.on("done", () => {
      if (++runs < 3) return;
      job.stop();
      resolve();
    });
  });
  assert.equal(runs, 3);
});

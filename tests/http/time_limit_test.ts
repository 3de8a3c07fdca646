import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { TimeLimit } from "../../src/http/request_limits.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import type { ServiceError } from "../../src/errors/service_error.ts";
import { createRuntime, fw } from "../../mod.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import type { Runtime } from "../../src/fw/runtime.ts";

const MODEL = {
  definitions: {
    "my.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, title: { type: "cds.String" } },
    },
    "S": { kind: "service" },
    "S.slow": { kind: "action" },
    "S.fast": { kind: "action" },
    "S.Books": { kind: "entity", projection: { from: { ref: ["my.Books"] } } },
  },
} as const;

/** No other timer has this time: the test decides when it is over. */
const LIMIT_MS = 77_777;

/** Catches the timers of requests; the result ends their time. */
function catchTimers(): { expire(): void; restore(): void } {
  const original = globalThis.setTimeout;
  const caught: (() => void)[] = [];
  const replaced = (run: () => void, ms?: number) => ms === LIMIT_MS ? caught.push(run) : original(run, ms);
  globalThis.setTimeout = replaced as typeof setTimeout;
  return {
    expire: () => caught.splice(0).forEach((run) => run()),
    restore: () => void (globalThis.setTimeout = original),
  };
}

type Call = (action: string, body?: unknown) => Promise<Response>;

async function withRuntime(
  kind: "memory" | "sqlite",
  service: Implementations[string],
  test: (given: { runtime: Runtime; call: Call; expire: () => void }) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: { databases: { sqlite: () => createSqliteDatabase, memory: () => createMemoryDatabase } },
    env: {
      log: { levels: { default: "silent" } },
      limits: { handlerMs: LIMIT_MS },
      requires: { db: { kind } },
    },
    handlers: { S: service },
  });
  const { expire, restore } = catchTimers();
  const call = (path: string, body: unknown = {}) =>
    runtime.fetch(
      new Request(`http://localhost/odata/v4/s/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  try {
    await runtime.start();
    await test({ runtime, call, expire });
  } finally {
    restore();
    await runtime.close();
  }
}

const titles = async (runtime: Runtime) =>
  (await runtime.db!.run(fw.ql.SELECT.from("my.Books")) as { title: string }[]).map(({ title }) => title);
const insert = (ID: number, title: string) => fw.ql.INSERT.into("my.Books").entries({ ID, title });

for (const kind of ["sqlite", "memory"] as const) {
  Deno.test(`a handler that takes too long is answered 504, and nothing of it stays (${kind})`, async () => {
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    let signal: AbortSignal | undefined;
    await withRuntime(kind, (srv) => {
      srv.on("slow", async (req) => {
        signal = req.signal;
        await fw.db.run(insert(1, "in time"));
        begun.resolve();
        await late.promise;
        // every way to go on fails: in the transaction, in one of its own, by a service
        const tries = [
          () => fw.db.run(insert(2, "late")),
          () => fw.db.tx((tx) => tx.run(insert(3, "late"))),
          () => srv.run(insert(4, "late")),
        ];
        ended.resolve(await Promise.allSettled(tries.map((run) => run())));
        return "late";
      });
      srv.on("fast", async () => void await fw.db.run(insert(5, "other")));
    }, async ({ runtime, call, expire }) => {
      const pending = call("slow");
      await begun.promise;
      expire();
      const response = await pending;
      assert.equal(response.status, 504);
      assert.deepEqual(await response.json(), {
        error: { code: "HANDLER_TIMEOUT", message: "The request took too long" },
      });
      assert.equal(signal?.aborted, true);
      // the lock for writing is free again
      assert.equal((await call("fast")).status, 204);
      late.resolve();
      const results = await ended.promise as PromiseSettledResult<unknown>[];
      assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
      assert.deepEqual(await titles(runtime), ["other"]);
    });
  });
}

Deno.test("a transaction that a handler began by itself is rolled back when the time of its request is over", async () => {
  const begun = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  await withRuntime("memory", (srv) => {
    srv.on("slow", async () => {
      const tx = fw.db.tx({ user: "other" });
      await tx.run(insert(1, "x"));
      begun.resolve();
      await late.promise;
      const [{ status }] = await Promise.allSettled([tx.commit()]);
      ended.resolve(status);
    });
  }, async ({ runtime, call, expire }) => {
    const pending = call("slow");
    await begun.promise;
    expire();
    await (await pending).body?.cancel();
    late.resolve();
    assert.equal(await ended.promise, "rejected");
    assert.deepEqual(await titles(runtime), []);
  });
});

Deno.test("after the time of a batch no further part is begun", async () => {
  const begun: string[] = [];
  const isSlow = Promise.withResolvers<void>();
  await withRuntime("memory", (srv) => {
    srv.on("slow", async (req) => {
      begun.push("slow");
      isSlow.resolve();
      await new Promise((_resolve, reject) => {
        req.signal!.addEventListener("abort", () => reject(req.signal!.reason));
      });
    });
    srv.on("fast", () => void begun.push("fast"));
  }, async ({ call, expire }) => {
    const requests = ["fast", "slow", "fast"].map((url, id) => ({
      id: `${id}`,
      method: "POST",
      url,
      body: {},
    }));
    const pending = call("$batch", { requests });
    await isSlow.promise;
    expire();
    const response = await pending;
    assert.equal(response.status, 504);
    await response.body?.cancel();
    assert.deepEqual(begun, ["fast", "slow"]);
  });
});

Deno.test("failed and done of a request whose time is over fire once, succeeded never", async () => {
  const fired: string[] = [];
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  await withRuntime("memory", (srv) => {
    srv.on("slow", async (req) => {
      for (const event of ["succeeded", "failed"] as const) req.on(event, () => void fired.push(event));
      req.on("done", () => void (fired.push("done"), done.resolve()));
      await fw.db.run(insert(1, "x"));
      begun.resolve();
      await new Promise<void>((resolve) => req.signal!.addEventListener("abort", () => resolve()));
    });
  }, async ({ call, expire }) => {
    const pending = call("slow");
    await begun.promise;
    expire();
    const response = await pending;
    await response.body?.cancel();
    await done.promise;
    assert.deepEqual(fired, ["failed", "done"]);
  });
});

Deno.test("an own route that takes too long is answered 504 in the language of the caller", async () => {
  await withRuntime("memory", () => {}, async ({ runtime, expire }) => {
    const begun = Promise.withResolvers<void>();
    const hangs = Promise.withResolvers<Response>();
    runtime.app.get("/slow", () => {
      begun.resolve();
      return hangs.promise;
    });
    const headers = { authorization: `Basic ${btoa("alice:")}`, "accept-language": "de" };
    const pending = runtime.fetch(new Request("http://localhost/slow", { headers }));
    await begun.promise;
    expire();
    const response = await pending;
    assert.equal(response.status, 504);
    assert.equal((await response.json()).error.message, "Die Anfrage hat zu lange gedauert");
    hangs.resolve(new Response("late"));
  });
});

Deno.test("with shared timers one serves all requests, and each ends in its own context", async () => {
  const original = globalThis.setTimeout;
  const timers: (() => void)[] = [];
  globalThis.setTimeout = ((run: () => void) => timers.push(run)) as never;
  try {
    const limit = new TimeLimit(0, true);
    const seen: unknown[] = [];
    const outcome = { end: (value: string) => value, fail: (error: unknown) => (error as ServiceError).code };
    const requests = ["a", "b"].map((id) => {
      const context = new EventContext({ id });
      const run = () => {
        context.signal!.addEventListener("abort", () => seen.push(currentContext()?.id));
        return new Promise<never>(() => {});
      };
      return limit.run(context, { run, ...outcome });
    });
    const run = () => Promise.resolve("done");
    assert.equal(await limit.run(new EventContext({ id: "c" }), { run, ...outcome }), "done");
    assert.equal(timers.length, 1);
    timers[0]!();
    const codes = await Promise.all(requests);
    assert.deepEqual([codes, seen, timers.length], [["HANDLER_TIMEOUT", "HANDLER_TIMEOUT"], ["a", "b"], 1]);
  } finally {
    globalThis.setTimeout = original;
  }
});

Deno.test("an outcome of work whose time is over is ignored, and an answer that cannot be made rejects", async () => {
  const original = globalThis.setTimeout;
  const timers: (() => void)[] = [];
  globalThis.setTimeout = ((run: () => void) => timers.push(run)) as never;
  try {
    const limit = new TimeLimit(0, true);
    const late = Promise.withResolvers<string>();
    const became: string[] = [];
    const done = limit.run(new EventContext(), {
      run: () => late.promise,
      end: (value) => became.push(value),
      fail: () => became.push("failed"),
    });
    timers[0]!();
    late.resolve("late");
    await done;
    assert.deepEqual(became, ["failed"]);
    const fails = () => {
      throw new TypeError("no answer");
    };
    const run = () => Promise.resolve();
    await assert.rejects(
      async () => await limit.run(new EventContext(), { run, end: fails, fail: fails }),
      TypeError,
    );
  } finally {
    globalThis.setTimeout = original;
  }
});

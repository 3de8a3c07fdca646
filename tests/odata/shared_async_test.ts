/*
 * Asynchronous requests of several processes that share a database: each answers the monitors of all (OData Protocol 11.6).
 */

import assert from "node:assert/strict";
import type { Runtime } from "../../mod.ts";
import { ASYNC_REQUESTS } from "../../src/odata/kept_for_clients.ts";
import { SHARED, withProcesses } from "../live/processes.ts";
import { type Answer, sendTo, type Sent } from "../send_to.ts";
import type { App } from "../service/rules/on_engines.ts";

const ROOT = "/s/";
const ASYNC = { prefer: "respond-async" };
const NEWER = { "odata-maxversion": "4.01", "accept": "application/json" };

/** Holds up the requests for slow notes, before or after they have written. */
class Gate {
  readonly #open: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Resolves when a request stands before it. */
  readonly reached: PromiseWithResolvers<void> = Promise.withResolvers();

  async pass(): Promise<void> {
    this.reached.resolve();
    await this.#open.promise;
  }

  open(): void {
    this.#open.resolve();
  }
}

function notesApp(gate: Gate, limits: Readonly<Record<string, number>> = {}): App {
  return {
    cdl: `
      entity db.Notes { key ID : Integer; text : String; }
      @requires: 'authenticated-user' @path: '/s'
      service S { entity Notes as projection on db.Notes; }`,
    handlers: {
      S: (srv) => {
        srv.before("CREATE", "Notes", async ({ data }) => {
          if ((data as { text: string }).text === "slow") await gate.pass();
        });
        srv.after("CREATE", "Notes", async (_, { data }) => {
          if ((data as { text: string }).text === "slow to end") await gate.pass();
        });
      },
    },
    env: {
      limits,
      odata: { respond_async: true },
      security: { mock: { users: { alice: { roles: ["clerk"] }, bob: {} } } },
    },
  };
}

function ask(runtime: Runtime, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  return sendTo(runtime, {
    method,
    path: ROOT + path,
    user: "bob",
    ...sent,
    headers: { ...NEWER, ...sent.headers },
  });
}

async function begin(runtime: Runtime, text = "slow", ID = 1, sent: Sent = {}): Promise<string> {
  const { status, headers, text: answer } = await ask(runtime, "POST", "Notes", {
    ...{ body: { ID, text }, ...sent },
    headers: ASYNC,
  });
  assert.equal(status, 202, answer);
  return headers.get("location")!;
}

/** Asks a monitor until there is a result. */
async function result(runtime: Runtime, monitor: string): Promise<Answer> {
  for (;;) {
    const answer = await ask(runtime, "GET", monitor);
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function notes(runtime: Runtime): Promise<readonly unknown[]> {
  return ((await ask(runtime, "GET", "Notes")).body.value as unknown as { ID: number }[]).map(({ ID }) => ID);
}

const rows = async (runtime: Runtime) =>
  await runtime.db!.run({ SELECT: { from: { ref: [ASYNC_REQUESTS] } } }) as readonly Record<
    string,
    unknown
  >[];

const change = (runtime: Runtime, data: Record<string, unknown>) =>
  runtime.db!.run({ UPDATE: { entity: ASYNC_REQUESTS, data } });

/** Longer ago than processes are silent. */
const aMinuteAgo = () => ({ at: new Date(Date.now() - 60_000).toISOString() });
const LONG_AGO = { at: "2020-01-01T00:00:00Z" };

/** Runs something with two processes; the gate is open in the end. */
async function withTwo(
  engine: string,
  run: (given: { readonly one: Runtime; readonly other: Runtime; readonly gate: Gate }) => Promise<void>,
  limits: Readonly<Record<string, number>> = {},
): Promise<void> {
  const gate = new Gate();
  const app = () => notesApp(gate, limits);
  await withProcesses(engine, [app(), app()], async (one, other) => {
    try {
      await run({ one: one!, other: other!, gate });
    } finally {
      gate.open();
    }
  });
}

for (const engine of SHARED) {
  Deno.test(`the monitor of a request is answered by another process (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const monitor = await begin(one);
      const pending = await ask(other, "GET", monitor);
      assert.deepEqual([pending.status, pending.headers.get("retry-after")], [202, "1"]);
      gate.open();
      const { status, headers, body } = await result(other, monitor);
      assert.deepEqual([status, headers.get("asyncresult"), body.text], [200, "201", "slow"]);
      assert.equal(headers.get("location")?.endsWith("Notes(1)"), true);
      assert.deepEqual((await result(one, monitor)).body, body);
      const message = await ask(other, "GET", monitor, { headers: { accept: "application/http" } });
      assert.match(message.text, /^HTTP\/1\.1 201 Created\r\n/);
      const failed = await begin(one, "again");
      assert.deepEqual((await result(other, failed)).headers.get("asyncresult"), "409");
    }));

  Deno.test(`monitors show nothing to others, nor to who has lost a role, at any process (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      gate.open();
      const monitor = await begin(one, "slow", 1, { user: "alice" });
      for (const runtime of [one, other]) {
        for (const method of ["GET", "DELETE"]) {
          assert.equal((await ask(runtime, method, monitor)).status, 404);
        }
      }
      await change(one, { roles: JSON.stringify(["clerk", "boss"]) });
      for (const runtime of [one, other]) {
        assert.equal((await ask(runtime, "GET", monitor, { user: "alice" })).status, 404);
      }
      assert.equal((await ask(other, "GET", `${monitor.slice(0, -1)}x`, { user: "alice" })).status, 404);
    }));

  Deno.test(`a request that another process calls off changes nothing (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const monitor = await begin(one);
      await gate.reached.promise;
      assert.equal((await ask(other, "DELETE", monitor)).status, 204);
      for (const runtime of [one, other]) assert.equal((await ask(runtime, "GET", monitor)).status, 404);
      gate.open();
      await one.close();
      assert.deepEqual(await notes(other), []);
    }));

  Deno.test(`what is committed is not called off by another process (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      gate.open();
      const monitor = await begin(one);
      await result(one, monitor);
      assert.equal((await ask(other, "DELETE", monitor)).status, 409);
      await change(one, { state: "committed", answer: null });
      assert.equal((await ask(other, "DELETE", monitor)).status, 409);
      assert.equal((await ask(other, "GET", monitor)).status, 202);
      const reading = await ask(one, "GET", "Notes", { headers: ASYNC });
      assert.equal((await ask(other, "DELETE", reading.headers.get("location")!)).status, 204);
    }));

  Deno.test(`the monitor of a process that is silent says so, and what it still does is not committed (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const monitor = await begin(one);
      await gate.reached.promise;
      await change(one, aMinuteAgo());
      const { status, headers, body } = await result(other, monitor);
      assert.deepEqual([status, headers.get("asyncresult"), body.error.code], [
        200,
        "503",
        "ASYNC_REQUEST_LOST",
      ]);
      gate.open();
      await one.close();
      assert.deepEqual(await notes(other), []);
      assert.equal((await result(other, monitor)).headers.get("asyncresult"), "503");
      assert.equal((await ask(other, "DELETE", monitor)).status, 204);
      assert.equal((await ask(other, "GET", monitor)).status, 404);
    }));

  Deno.test(`the monitor of a process that has ended says what became of its work (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      gate.open();
      for (
        const [changes, code, cancelled] of [
          [{ state: "committed" }, "ASYNC_ANSWER_LOST", 409],
          [{ state: "running", isOneTransaction: false }, "ASYNC_PARTS_LOST", 409],
          [{ state: "running", isOneTransaction: true }, "ASYNC_REQUEST_LOST", 204],
        ] as const
      ) {
        const monitor = await begin(one, "quick", Math.round(Math.random() * 1e6));
        await result(one, monitor);
        await change(one, { ...changes, ...aMinuteAgo(), answer: null });
        const { headers, body } = await result(other, monitor);
        assert.deepEqual([body.error.code, headers.get("asyncresult")], [
          code,
          cancelled === 204 ? "503" : "500",
        ]);
        assert.equal((await ask(other, "DELETE", monitor)).status, cancelled);
        await one.db!.run({ DELETE: { from: { ref: [ASYNC_REQUESTS] } } });
      }
    }));

  Deno.test(`a process that ends tells what it has not done (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const monitor = await begin(one);
      await gate.reached.promise;
      await one.close();
      const { headers, body } = await result(other, monitor);
      assert.deepEqual([headers.get("asyncresult"), body.error.code], ["503", "ASYNC_REQUEST_LOST"]);
      assert.deepEqual(await notes(other), []);
    }));

  Deno.test(`requests of all processes count together (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const first = await begin(one, "slow", 1);
      await begin(other, "slow", 2);
      const third = await ask(other, "POST", "Notes", { body: { ID: 3, text: "quick" }, headers: ASYNC });
      assert.equal(third.status, 201);
      const alice = await ask(one, "POST", "Notes", { body: { ID: 4 }, headers: ASYNC, user: "alice" });
      assert.equal(alice.status, 202);
      gate.open();
      await result(one, first);
      assert.equal((await ask(one, "DELETE", first)).status, 409);
      await change(one, LONG_AGO);
      // what is too old leaves, whichever process finds it
      const last = await Promise.all([begin(one, "quick", 5), begin(other, "quick", 6)]);
      for (const monitor of last) {
        assert.equal((await result(one, monitor)).headers.get("asyncresult"), "201");
      }
      assert.equal((await rows(one)).length, 2);
    }, { asyncRequestsOfUser: 2 }));

  Deno.test(`a flood of requests at several processes keeps within the limit (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const flood = Array.from(
        { length: 60 },
        (_, n) => ask(n % 2 === 0 ? one : other, "GET", "Notes", { headers: ASYNC }),
      );
      const statuses = (await Promise.all(flood)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)].sort(), [200, 202]);
      // two processes may look at the same moment
      const kept = (await rows(one)).length;
      assert.ok(kept >= 5 && kept <= 10, `${kept} are kept`);
      assert.equal(statuses.filter((status) => status === 202).length, kept);
      gate.open();
    }, { asyncRequests: 5 }));

  Deno.test(`a flood of requests at one of several processes fills the limit (${engine})`, () =>
    withTwo(engine, async ({ one }) => {
      const flood = Array.from({ length: 60 }, () => ask(one, "GET", "Notes", { headers: ASYNC }));
      const statuses = (await Promise.all(flood)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 202).length, 5);
      assert.equal((await rows(one)).length, 5);
    }, { asyncRequests: 5 }));

  Deno.test(`clocks of processes may differ by minutes (${engine})`, () =>
    withTwo(engine, async ({ one, other, gate }) => {
      const now = Date.now;
      const with10Minutes = async <T>(sign: number, run: () => Promise<T>): Promise<T> => {
        Date.now = () => now() + sign * 600_000;
        try {
          return await run();
        } finally {
          Date.now = now;
        }
      };
      for (const sign of [1, -1]) {
        const monitor = await begin(one, "slow", 5 + sign);
        assert.equal((await with10Minutes(sign, () => ask(other, "GET", monitor))).status, 202);
        gate.open();
        await result(one, monitor);
        await with10Minutes(sign, () => begin(other, "quick", 15 + sign));
        const late = await with10Minutes(sign, () => ask(other, "GET", monitor));
        assert.equal(late.headers.get("asyncresult"), "201");
      }
    }));
}

Deno.test("answers leave the database after their time, also where nobody asks for any", () =>
  withTwo("sqlite file", async ({ one, gate }) => {
    gate.open();
    await begin(one);
    await begin(one, "quick", 2);
    while ((await rows(one)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await notes(one), [1, 2]);
  }, { asyncResultMs: 300 }));

Deno.test("an answer that cannot be kept at once is kept later", () =>
  withTwo("sqlite file", async ({ one, other, gate }) => {
    const monitor = await begin(one, "slow to end");
    await gate.reached.promise;
    const database = await one.db!.database(undefined);
    const { begin: original } = database;
    let failures = 0;
    // the transaction of the request is open already
    database.begin = () => {
      failures++;
      throw new Error("The database is away");
    };
    gate.open();
    while (failures < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    database.begin = original;
    assert.equal((await result(other, monitor)).headers.get("asyncresult"), "201");
    assert.deepEqual(await notes(other), [1]);
  }));

/** Asynchronous requests of a process that is told to end (OData Protocol 11.6; docs/guides/operating.md). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { AsyncRequests } from "../../../src/odata/async/async_requests.ts";
import { type Answer, createExchange, type ProtocolScope } from "../../../src/odata/exchange.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";
import type { ServiceHost } from "../../../src/service/host.ts";
import { within } from "../../contract/within.ts";
import { recordingLog } from "../../messaging/channels.ts";

/** Requests of a service whose table is where `run` says. */
function open(
  run: (query: { UPDATE?: { data?: { state?: string } } }, params?: { ids?: unknown }) => unknown,
  limits: Partial<typeof DEFAULT_LIMITS> = {},
) {
  const log = recordingLog();
  const engine = { run };
  const db = {
    rootOptions: { log },
    withEngine: (work: (given: unknown) => unknown) => work(engine),
    database: () => Promise.resolve({ isVolatile: false }),
  };
  const host = {
    ...{ db, limits: { ...DEFAULT_LIMITS, ...limits }, log: () => log, name: "app" },
    queue: { isFor: () => true, leaseMs: 10 },
  } as unknown as ServiceHost;
  const requests = new AsyncRequests(host, "S");
  const scope = { host, root: "/s", settings: { respondAsync: true, body: {} } } as unknown as ProtocolScope;
  const ask = (answer: Answer) => {
    const request = { method: "GET", headers: new HeaderList([["prefer", "respond-async"]]), body: null };
    const exchange = createExchange(scope, { request, context: new EventContext(), rawUrl: "E" });
    return requests.answer(exchange, () => answer);
  };
  return { requests, ask };
}

Deno.test("a process that ends waits for what it tells of its requests, and tells nothing afterwards", async () => {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const told: string[] = [];
  const { requests, ask } = open(async (query) => {
    if ("SELECT" in query) return [];
    if (query.UPDATE?.data?.state !== "done") return 1;
    told.push("answer");
    if (told.length === 1) throw new Error("The database is away");
    reached.resolve();
    await opened.promise;
    told.push("kept");
    return 1;
  });
  const { status } = await ask({ status: 200, headers: new HeaderList(), body: "x" });
  assert.equal(status, 202);
  await reached.promise;
  const closed = requests.close().then(() => told.push("closed"));
  await new Promise((resolve) => setTimeout(resolve));
  opened.resolve();
  await closed;
  assert.deepEqual(told, ["answer", "answer", "kept", "closed"]);
});

Deno.test("a request that is kept too long leaves though nobody asks for it, once it is over and as old as that", async () => {
  const now = "2026-01-01T00:00:00.010Z";
  const row = (ID: string, state: string, ageMs: number) => {
    return { ID, owner: "o", state, length: 1, at: now.replace("010", `00${10 - ageMs}`), now };
  };
  const young = [row("r", "done", 4)];
  // the last one is under way elsewhere
  const listed = [young, young, young, young, [row("r", "done", 5), row("q", "running", 5)]];
  const removed: unknown[] = [];
  let lists = 0;
  const over = Promise.withResolvers<void>();
  const { requests, ask } = open((query, params) => {
    if ("DELETE" in query) removed.push(params?.ids);
    if (!("SELECT" in query)) return 1;
    lists++;
    const rows = listed.shift();
    if (rows === undefined) over.resolve();
    return rows ?? [];
  }, { asyncResultMs: 5 });
  assert.equal((await ask({ status: 200, headers: new HeaderList(), body: "x" })).status, 202);
  await within(over.promise, "removing what is old");
  assert.deepEqual(removed, [["r"]]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(lists, 6, "nothing is left to be removed later");
  await requests.close();
});

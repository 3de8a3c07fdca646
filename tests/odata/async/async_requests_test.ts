/** Asynchronous requests of a process that is told to end (OData Protocol 11.6; docs/guides/operating.md). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { AsyncRequests } from "../../../src/odata/async/async_requests.ts";
import { type Answer, createExchange, type ProtocolScope } from "../../../src/odata/exchange.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";
import type { ServiceHost } from "../../../src/service/host.ts";
import { recordingLog } from "../../messaging/channels.ts";

/** Requests of a service whose table is where `run` says. */
function open(run: (query: { UPDATE?: { data?: { state?: string } } }) => unknown) {
  const log = recordingLog();
  const engine = { run };
  const db = {
    rootOptions: { log },
    withEngine: (work: (given: unknown) => unknown) => work(engine),
    database: () => Promise.resolve({ isVolatile: false }),
  };
  const host = {
    ...{ db, limits: DEFAULT_LIMITS, log: () => log, name: "app" },
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

/** Asynchronous requests as rows: which of them are over (OData Protocol 11.6; docs/guides/operating.md). */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { AsyncRequest } from "../../src/odata/async/async_request.ts";
import { StoredRequests } from "../../src/odata/async/stored_requests.ts";
import { recordingLog } from "../messaging/channels.ts";

const SILENCE_MS = 20_000;
const NOW = "2026-01-01T00:01:00.000Z";

Deno.test("a request is over when it has ended, or when the other process that did it is silent for too long", async () => {
  const before = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000).toISOString();
  const cases: readonly [id: string, state: string, at: string, isOver: boolean][] = [
    ["here", "running", before(1), false],
    ["here", "running", before(60), false],
    ["here", "committed", before(60), false],
    ["here", "done", before(1), true],
    ["there", "running", before(1), false],
    ["there", "running", before(20), false],
    ["there", "running", before(21), true],
    ["there", "committed", before(1), false],
    ["there", "committed", before(21), true],
    ["there", "done", before(1), true],
    ["there", "lost", before(1), true],
  ];
  const rows = cases.map(([ID, state, at]) => ({ ID, owner: "ann", state, length: 3, at, now: NOW }));
  const engine = { run: (query: object) => Promise.resolve("SELECT" in query ? rows : 1) };
  const log = recordingLog();
  const requests = new StoredRequests({
    db: { withEngine: (run: (given: unknown) => unknown) => run(engine), rootOptions: { log } } as never,
    ...{ tenant: undefined, application: "app", service: "S", silenceMs: SILENCE_MS, log },
  });
  await requests.begin(
    { id: "here", owner: "ann", method: "GET", context: new EventContext() } as unknown as AsyncRequest,
  );
  try {
    const listed = await requests.list();
    assert.deepEqual(
      listed.map(({ id, isOver }) => [id, isOver]),
      cases.map(([id, , , isOver]) => [id, isOver]),
    );
    assert.deepEqual(listed[1], { id: "here", owner: "ann", isOver: false, length: 3, ageMs: 60_000 });
  } finally {
    await requests.close();
  }
});

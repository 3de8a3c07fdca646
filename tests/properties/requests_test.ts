import assert from "node:assert/strict";
import { runRequests } from "../../scripts/properties/run_requests.ts";
import { loadProject } from "../../src/deno/load_project.ts";

// The smallest share of `deno task properties`.
Deno.test("Random requests cause no 5xx, leak nothing, and change nothing when they are rejected [1.5] [7.2.5]", async () => {
  const env = { log: { levels: { default: "silent" } }, requires: { messaging: false } };
  const { runtime } = await loadProject("examples/bookshop", { env, variables: {} });
  try {
    const { requests, rejected, statuses } = await runRequests(runtime, { runs: 300, seed: 7 });
    assert.ok(requests > 250 && rejected > 50);
    for (const status of [200, 400, 401, 403, 404, 405]) assert.ok(statuses.has(status), String(status));
  } finally {
    await runtime.close();
  }
});

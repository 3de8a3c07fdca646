import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createConcurrencyApp, sendConcurrently } from "./concurrency_app.ts";

for (const database of ["sqlite", "memory"]) {
  Deno.test(`200 concurrent requests never see the context of another one, with ${database} [2.1.3] [2.1.tenant.b] [2.1.timestamp.b]`, async () => {
    const app = createConcurrencyApp(database, denoKinds);
    try {
      const { calls, problems } = await sendConcurrently((request) => app.fetch(request), 200);
      assert.deepEqual(problems, []);
      assert.equal(calls, 133 + 67 * 4);
    } finally {
      await app.close();
    }
  });
}

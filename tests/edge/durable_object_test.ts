import assert from "node:assert/strict";
import { startModule } from "./miniflare.ts";

Deno.test("the database of a Durable Object keeps the rules of all engines, inside of the object", async (context) => {
  const server = await startModule("tests/edge/durable_object_worker.ts", {
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: { OBJECTS: { className: "Tester", useSQLite: true } },
  });
  try {
    const names = await (await server.fetch("/")).json() as string[];
    assert.ok(names.length > 30, `${names.length} tests`);
    for (const name of names) {
      await context.step(name, async () => {
        const response = await server.fetch(`/${encodeURIComponent(name)}`);
        assert.equal(await response.text(), "");
      });
    }
  } finally {
    await server.stop();
  }
});

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { optionsOf } from "../service/rules/on_engines.ts";

Deno.test("a service of a protocol that is not there is not served, and the start says so", async () => {
  const warnings: string[] = [];
  const options = optionsOf({
    cdl: "@graphql service S { entity E { key ID : Integer; } } service T { entity E { key ID : Integer; } }",
    env: { log: { levels: { default: "warn" } } },
  });
  const log = (_level: string, ...texts: readonly unknown[]) => void warnings.push(texts.join(" "));
  const runtime = createRuntime(options);
  const original = console.warn;
  console.warn = (...texts: unknown[]) => log("warn", ...texts);
  try {
    await runtime.start();
    assert.deepEqual(runtime.endpoints.map(({ path }) => path), ["/odata/v4/t"]);
    assert.equal((await runtime.fetch(new Request("http://localhost/odata/v4/s/E"))).status, 404);
    assert.ok(
      warnings.some((text) => text.includes('S: protocol "graphql" is not there')),
      warnings.join("\n"),
    );
  } finally {
    console.warn = original;
    await runtime.close();
  }
});

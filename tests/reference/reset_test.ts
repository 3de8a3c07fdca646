import assert from "node:assert/strict";
import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import type { Runtime } from "../../mod.ts";
import { ENGINES, product, withReference } from "./reference.ts";

const SILENT = { requires: { db: { kind: "memory" } }, log: { levels: { default: "silent" } } };

async function send(runtime: Runtime, method: string, path: string, headers: Record<string, string> = {}) {
  const response = await runtime.fetch(new Request(`http://localhost/${path}`, { method, headers }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** The monitor of a completed asynchronous request, and a delta link. */
async function keep(runtime: Runtime): Promise<readonly string[]> {
  const accepted = await send(runtime, "GET", "Products", { prefer: "respond-async" });
  assert.equal(accepted.status, 202);
  const tracked = await send(runtime, "GET", "Products", { prefer: "track-changes" });
  const kept = [accepted.headers.get("location")!, JSON.parse(tracked.text)["@odata.deltaLink"]];
  for (const path of kept) assert.equal((await send(runtime, "GET", path)).status < 300, true, path);
  return kept;
}

Deno.test("a reset of the runtime forgets asynchronous requests and what clients track", async () => {
  const runtime = await startReference(SILENT);
  try {
    const [monitor, delta] = await keep(runtime);
    await runtime.reset();
    assert.equal((await send(runtime, "GET", monitor!)).status, 404);
    assert.equal((await send(runtime, "GET", delta!)).status, 410);
  } finally {
    await runtime.close();
  }
});

Deno.test("Reseed forgets asynchronous requests and what clients track, but not itself", async () => {
  const runtime = await startReference(SILENT);
  try {
    const [monitor, delta] = await keep(runtime);
    const reseed = await send(runtime, "POST", "Reseed", { prefer: "respond-async" });
    assert.equal(reseed.status, 202);
    const own = reseed.headers.get("location")!;
    let result = await send(runtime, "GET", own, { "odata-maxversion": "4.01", accept: "application/json" });
    while (result.status === 202) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      result = await send(runtime, "GET", own, { "odata-maxversion": "4.01", accept: "application/json" });
    }
    assert.deepEqual([result.status, result.headers.get("asyncresult")], [200, "200"]);
    assert.equal((await send(runtime, "GET", monitor!)).status, 404);
    assert.equal((await send(runtime, "GET", delta!)).status, 410);
  } finally {
    await runtime.close();
  }
});

for (const engine of ENGINES) {
  Deno.test(`${engine}: a description belongs to a product that exists`, () =>
    withReference(async (send) => {
      const unknown = {
        ProductID: "00000002-0000-4000-8000-0000000000ff",
        LanguageKey: "EN",
        Description: "x",
      };
      const refused = await send("POST", "ProductDescriptions", unknown);
      assert.deepEqual([refused.status, refused.body.error.code], [400, "ASSERT_TARGET"]);
      const known = { ...unknown, ProductID: product(7).slice(9, -1) };
      assert.equal((await send("POST", "ProductDescriptions", known)).status, 201);
      const below = await send("POST", `${product(7)}/Descriptions`, { LanguageKey: "DE", Description: "x" });
      assert.equal(below.status, 201);
      const deep = { Name: "n", Price: 1, Descriptions: [{ LanguageKey: "EN", Description: "x" }] };
      assert.equal((await send("POST", "Products", deep)).status, 201);
      const around = { LanguageKey: "EN", Description: "x", Product: { Name: "m", Price: 1 } };
      assert.equal((await send("POST", "ProductDescriptions", around)).status, 201);
    }, engine));
}

Deno.test("metadata has no path to an element that it does not have [CSDL 14.4.1.1]", () =>
  withReference(async (send) => {
    for (const headers of [{ accept: "application/xml" }, { accept: "application/json" }]) {
      const { body } = await send("GET", "$metadata", undefined, headers);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      assert.doesNotMatch(text, /PhotoContentType/);
      assert.match(text, /Core\.MediaType/);
    }
  }));

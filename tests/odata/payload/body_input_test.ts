/** URLs in bodies, as they are below the service root. */

import assert from "node:assert/strict";
import type { Exchange } from "../../../src/odata/exchange.ts";
import { EntityInput, relativeUrl } from "../../../src/odata/payload/body_input.ts";

Deno.test("URLs of bodies are relative, absolute paths or absolute, or begin with a request of the batch (Protocol 11.7.4, 11.7.7.2)", () => {
  const references = {
    get: (id: string) => id === "1" || id === "batch" || id === "metadata" ? "Authors(5)" : undefined,
  };
  const exchange = { scope: { root: "/odata/v4/s" }, references } as unknown as Parameters<
    typeof relativeUrl
  >[0];
  const cases: readonly (readonly [url: string, relative: string])[] = [
    ["Authors(1)", "Authors(1)"],
    ["/odata/v4/s/Authors(1)", "Authors(1)"],
    ["http://host:80/odata/v4/s/Authors(1)?$top=1", "Authors(1)?$top=1"],
    ["HTTPS://host/odata/v4/s", ""],
    ["/odata/v4/s?$format=json", "?$format=json"],
    ["/odata/v4/sales/Authors(1)", "odata/v4/sales/Authors(1)"],
    ["/Authors(1)", "Authors(1)"],
    ["//Authors(1)", "/Authors(1)"],
    ["Authors('a://b')", "Authors('a://b')"],
    ["$1", "Authors(5)"],
    ["/$1/name", "Authors(5)/name"],
    ["$1?$select=name", "Authors(5)?$select=name"],
    ["$2/name", "$2/name"],
    ["$batch", "$batch"],
    ["/$metadata#Authors", "$metadata#Authors"],
    ["Authors/$1", "Authors/$1"],
  ];
  for (const [url, relative] of cases) assert.equal(relativeUrl(exchange, url), relative, url);
  assert.equal(relativeUrl({ ...exchange, references: undefined }, "$1/name"), "$1/name");
});

Deno.test("new rows replace no collections and have no versions, others have what is sent (Protocol 11.4.3.1, JSON Format 4.5.11)", () => {
  const inputOf = (method: string, headers: Record<string, string> = {}) =>
    new EntityInput(
      {
        method,
        request: { headers: new Headers(headers) },
        scope: { model: {}, settings: {}, host: { limits: {} } },
      } as unknown as Exchange,
    );
  const created = inputOf("POST", { "odata-version": "4.01" });
  assert.deepEqual([created.replaceRelated, created.takeVersion, created.etags], [
    undefined,
    undefined,
    undefined,
  ]);
  for (const method of ["PATCH", "PUT"]) {
    const input = inputOf(method);
    const collection = { element: {} } as never;
    input.replaceRelated!(collection);
    assert.deepEqual(input.replaced, [collection]);
  }
});

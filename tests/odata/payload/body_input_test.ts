/** URLs in bodies, as they are below the service root. */

import assert from "node:assert/strict";
import { relativeUrl } from "../../../src/odata/payload/body_input.ts";

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
